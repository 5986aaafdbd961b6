//! The model's weights: plain structs of matrices, with nothing of streams or lifetimes in them.
//!
//! Gradients and the optimiser's running means have the same shape, so they are the same structs.

use super::{Config, Matrix};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use streamlease::{Context, Result};

/// Token and position embeddings.
#[derive(Debug)]
pub struct Embedding {
    /// A row for each character, `[V, D]`.
    pub tokens: Matrix,
    /// A row for each place in a sequence, `[T, D]`.
    pub positions: Matrix,
}

/// The attention half of a layer.
#[derive(Debug)]
pub struct Attention {
    /// Scale of the normalised input, `[1, D]`.
    pub norm: Matrix,
    /// Queries, keys and values, `[D, 3 D]`.
    pub qkv: Matrix,
    /// From the mixed values back, `[D, D]`.
    pub out: Matrix,
}

/// The mixture-of-experts half of a layer.
#[derive(Debug)]
pub struct Experts {
    /// Scale of the normalised input, `[1, D]`.
    pub norm: Matrix,
    /// Scores of the experts, `[D, E]`.
    pub router: Matrix,
    /// The shared expert's gate and value, `[D, 2 F]`.
    pub shared_up: Matrix,
    /// The shared expert's way back, `[F, D]`.
    pub shared_down: Matrix,
    /// The routed experts' gates and values, `[E D, 2 F]`.
    pub up: Matrix,
    /// The routed experts' ways back, `[E F, D]`.
    pub down: Matrix,
}

/// One layer.
#[derive(Debug)]
pub struct Layer {
    /// Tokens look at each other.
    pub attention: Attention,
    /// Each token is thought over by its experts.
    pub experts: Experts,
}

/// From the last layer to the logits.
#[derive(Debug)]
pub struct Head {
    /// Scale of the normalised input, `[1, D]`.
    pub norm: Matrix,
    /// A column for each character, `[D, V]`.
    pub out: Matrix,
}

/// All weights.
#[derive(Debug)]
pub struct Model {
    /// The way in.
    pub embedding: Embedding,
    /// The layers, first to last.
    pub layers: Vec<Layer>,
    /// The way out.
    pub head: Head,
}

/// How a weight begins.
enum Start {
    Ones,
    /// Evenly spread with this standard deviation.
    Spread(f32),
}

impl Model {
    /// Random weights, the same for the same seed.
    pub fn random(cx: &impl Context, c: &Config, seed: u64) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self::build(c, &mut |rows, cols, start| {
            let values = match start {
                Start::Ones => vec![1.0; rows * cols],
                Start::Spread(deviation) => {
                    let most = deviation * 3f32.sqrt();
                    (0..rows * cols).map(|_| rng.random_range(-most..most)).collect()
                }
            };
            Matrix::upload(cx, rows, cols, values)
        })
    }

    /// Zeros in the shape of a model: gradients and running means.
    pub fn zeros(cx: &impl Context, c: &Config) -> Result<Self> {
        Self::build(c, &mut |rows, cols, _| Matrix::zeros(cx, rows, cols))
    }

    fn build(c: &Config, make: &mut Make<'_>) -> Result<Self> {
        Ok(Model {
            embedding: Embedding {
                tokens: make(c.vocab, c.width, Start::Spread(0.5))?,
                positions: make(c.seq, c.width, Start::Spread(0.1))?,
            },
            layers: (0..c.layers).map(|_| Layer::build(c, make)).collect::<Result<_>>()?,
            head: Head {
                norm: make(1, c.width, Start::Ones)?,
                out: make(c.width, c.vocab, Start::Spread(0.1 * per(c.width)))?,
            },
        })
    }
}

type Make<'a> = dyn FnMut(usize, usize, Start) -> Result<Matrix> + 'a;

/// The deviation that keeps the size of a row through a sum over `inputs` elements.
fn per(inputs: usize) -> f32 {
    1.0 / (inputs as f32).sqrt()
}

impl Layer {
    fn build(c: &Config, make: &mut Make<'_>) -> Result<Self> {
        let (d, f) = (c.width, c.hidden);
        let (wide, narrow) = (Start::Spread, |inputs| Start::Spread(0.5 * per(inputs)));
        Ok(Layer {
            attention: Attention {
                norm: make(1, d, Start::Ones)?,
                qkv: make(d, 3 * d, wide(per(d)))?,
                out: make(d, d, narrow(d))?,
            },
            experts: Experts {
                norm: make(1, d, Start::Ones)?,
                router: make(d, c.experts, wide(per(d)))?,
                shared_up: make(d, 2 * f, wide(per(d)))?,
                shared_down: make(f, d, narrow(f))?,
                up: make(c.experts * d, 2 * f, wide(per(d)))?,
                down: make(c.experts * f, d, narrow(f))?,
            },
        })
    }
}
