//! The training loop: plain Rust around a forward and a backward chunk.

use super::chunks::{
    attention_forward, backward, experts_forward, forward, update_attention, update_embedding,
    update_experts, update_head,
};
use super::data::{Batch, Corpus};
use super::kernels::Adam;
use super::{Config, Layer, Matrix, Model};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use streamlease::{Buffer, Cx, Pending, Result};

/// Steps that the host may be ahead of the last loss that it has seen.
const AHEAD: usize = 2;

/// A model in training.
#[derive(Debug)]
pub struct Trainer {
    config: Config,
    adam: Adam,
    pub(super) weights: Model,
    pub(super) gradients: Model,
    means: Model,
    squares: Model,
}

impl Trainer {
    /// A model with random weights, the same for the same seed.
    pub fn new(cx: &Cx<'_>, config: Config, rate: f32, seed: u64) -> Result<Self> {
        Ok(Trainer {
            config,
            adam: Adam { step: 0, ..Adam::new(rate) },
            weights: Model::random(cx, &config, seed)?,
            gradients: Model::zeros(cx, &config)?,
            means: Model::zeros(cx, &config)?,
            squares: Model::zeros(cx, &config)?,
        })
    }

    /// The model's sizes.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The model's weights as they are now.
    pub fn weights(&self) -> &Model {
        &self.weights
    }

    /// Enqueues one step, and returns the loss before it, which is on its way to the host.
    pub fn step(&mut self, cx: &Cx<'_>, batch: Batch) -> Result<Pending<f32>> {
        let (ids, targets) = (cx.upload(batch.ids)?, cx.upload(batch.targets)?);
        let loss = self.accumulate(cx, ids, targets)?;
        let loss = cx.read(&loss)?;
        self.update(cx)?;
        Ok(loss)
    }

    /// Forward and backward: the loss, with the gradients set.
    pub(super) fn accumulate(
        &mut self,
        cx: &Cx<'_>,
        ids: Buffer<u32>,
        targets: Buffer<u32>,
    ) -> Result<Buffer<f32>> {
        let (heads, w, g) = (self.config.heads(), &self.weights, &mut self.gradients);
        let (loss, saved) = forward(cx, &heads, w, &ids, targets)?;
        backward(cx, &heads, w, g, ids, saved)?;
        Ok(loss)
    }

    fn update(&mut self, cx: &Cx<'_>) -> Result<()> {
        self.adam.step += 1;
        let (a, w, g, m, v) =
            (&self.adam, &mut self.weights, &self.gradients, &mut self.means, &mut self.squares);
        update_embedding(cx, a, &mut w.embedding, &g.embedding, &mut m.embedding, &mut v.embedding)?;
        let layers = w.layers.iter_mut().zip(&g.layers).zip(&mut m.layers).zip(&mut v.layers);
        for (((w, g), m), v) in layers {
            update_attention(cx, a, &mut w.attention, &g.attention, &mut m.attention, &mut v.attention)?;
            update_experts(cx, a, &mut w.experts, &g.experts, &mut m.experts, &mut v.experts)?;
        }
        update_head(cx, a, &mut w.head, &g.head, &mut m.head, &mut v.head)
    }
}

/// Trains on random batches of `corpus`, the same for the same seed; `seen` gets each step's loss, in order.
///
/// The host enqueues up to `AHEAD` more steps before it asks for a loss, so the device never runs dry; and no
/// more than that, so that batches do not pile up.
pub fn train(
    cx: &Cx<'_>,
    trainer: &mut Trainer,
    corpus: &Corpus,
    (steps, seed): (usize, u64),
    mut seen: impl FnMut(f32),
) -> Result<()> {
    let (batch, seq) = (trainer.config.batch, trainer.config.seq);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut coming = VecDeque::with_capacity(AHEAD + 1);
    for _ in 0..steps {
        coming.push_back(trainer.step(cx, corpus.batch(batch, seq, &mut rng))?);
        if coming.len() > AHEAD {
            arrive(&mut coming, &mut seen)?;
        }
    }
    while !coming.is_empty() {
        arrive(&mut coming, &mut seen)?;
    }
    Ok(())
}

/// Waits for the oldest loss.
fn arrive(coming: &mut VecDeque<Pending<f32>>, seen: &mut impl FnMut(f32)) -> Result<()> {
    let Some(loss) = coming.pop_front() else { return Ok(()) };
    loss.wait()?.into_iter().for_each(seen);
    Ok(())
}

/// The forward of all layers, without anything kept for a backward: `x [N, D]` to `[N, D]`.
pub fn infer(cx: &Cx<'_>, c: &Config, layers: &[Layer], mut x: Matrix) -> Result<Matrix> {
    for layer in layers {
        let (y, _) = attention_forward(cx, &c.heads(), &layer.attention, x)?;
        (x, _) = experts_forward(cx, &layer.experts, y)?;
    }
    Ok(x)
}
