//! The whole model: loops over its layers, each a chunk of its own, and what is kept in between.

use super::{
    AttentionActs, ExpertsActs, HeadActs, attention_backward, attention_forward, embed_backward,
    embed_forward, experts_backward, experts_forward, head_backward, head_forward,
};
use crate::moe::Model;
use crate::moe::kernels::Heads;
use streamlease::{Buffer, Cx, Result, model_chunk};

/// What one layer's forward leaves for its backward.
#[derive(Debug)]
pub(super) struct Acts {
    attention: AttentionActs,
    experts: ExpertsActs,
}

/// What a forward leaves for its backward.
#[derive(Debug)]
pub struct Saved {
    layers: Vec<Acts>,
    head: HeadActs,
}

/// The mean loss in nats, `[1]`, of predicting `targets [N]` from `ids [N]`.
#[model_chunk(streams(compute, comm))]
pub fn forward(
    cx: &Cx<'_>,
    heads: &Heads,
    w: &Model,
    ids: &Buffer<u32>,
    targets: Buffer<u32>,
) -> Result<(Buffer<f32>, Saved)> {
    let mut layers = Vec::with_capacity(w.layers.len());
    let mut x = embed_forward(cx, &w.embedding, ids)?;
    for layer in &w.layers {
        let (y, attention) = attention_forward(cx, heads, &layer.attention, x)?;
        let (y, experts) = experts_forward(cx, &layer.experts, y)?;
        layers.push(Acts { attention, experts });
        x = y;
    }
    let (loss, head) = head_forward(cx, &w.head, x, targets)?;
    Ok((loss, Saved { layers, head }))
}

/// Sets all of `g`. The layers' activations are taken in reverse, and end one by one.
#[model_chunk(streams(compute, comm))]
pub fn backward(
    cx: &Cx<'_>,
    heads: &Heads,
    w: &Model,
    g: &mut Model,
    ids: Buffer<u32>,
    saved: Saved,
) -> Result<()> {
    let Saved { mut layers, head } = saved;
    let mut dx = head_backward(cx, &w.head, &mut g.head, head)?;
    for (layer, g) in w.layers.iter().zip(g.layers.iter_mut()).rev() {
        let Some(acts) = layers.pop() else { break };
        let Acts { attention, experts } = acts;
        let dy = experts_backward(cx, &layer.experts, &mut g.experts, experts, dx)?;
        dx = attention_backward(cx, heads, &layer.attention, &mut g.attention, attention, dy)?;
    }
    embed_backward(cx, &mut g.embedding, ids, dx)
}
