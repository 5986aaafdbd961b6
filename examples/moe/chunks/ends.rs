//! From characters to the first layer, and from the last layer to the loss.

use crate::moe::ops::{
    self, cross_entropy, cross_entropy_backward, embed, linear, linear_backward, rmsnorm, rmsnorm_backward,
    weight_gradient, zeros,
};
use crate::moe::{Embedding, Head, Matrix};
use streamlease::{Buffer, Cx, Result, model_chunk};

/// Characters `[N]` to rows `[N, D]`.
#[model_chunk(streams(compute, comm))]
pub fn embed_forward(cx: &Cx<'_>, w: &Embedding, ids: &Buffer<u32>) -> Result<Matrix> {
    #[on(compute)]
    let x = embed(cx, ids, &w.tokens, &w.positions)?;
    Ok(x)
}

/// Sets all of `g` from the gradient of the rows.
#[model_chunk(streams(compute, comm))]
pub fn embed_backward(cx: &Cx<'_>, g: &mut Embedding, ids: Buffer<u32>, dx: Matrix) -> Result<()> {
    #[on(compute)]
    ops::embed_backward(cx, &ids, &dx, &mut g.tokens, &mut g.positions)?;
    Ok(())
}

/// What [`head_forward()`] leaves for [`head_backward()`].
#[derive(Debug)]
pub struct HeadActs {
    x: Matrix,
    inv: Buffer<f32>,
    normed: Matrix,
    probs: Matrix,
    targets: Buffer<u32>,
}

/// The mean loss in nats, `[1]`, of predicting `targets [N]` from `x [N, D]`.
#[model_chunk(streams(compute, comm))]
pub fn head_forward(
    cx: &Cx<'_>,
    w: &Head,
    x: Matrix,
    targets: Buffer<u32>,
) -> Result<(Buffer<f32>, HeadActs)> {
    #[on(compute)]
    let (normed, inv) = rmsnorm(cx, &x, &w.norm)?;
    #[on(compute)]
    let logits = linear(cx, &normed, &w.out)?;
    #[on(compute)]
    let (loss, probs) = cross_entropy(cx, logits, &targets)?;
    Ok((loss, HeadActs { x, inv, normed, probs, targets }))
}

/// The gradient of `x`; sets all of `g`.
#[model_chunk(streams(compute, comm))]
pub fn head_backward(cx: &Cx<'_>, w: &Head, g: &mut Head, acts: HeadActs) -> Result<Matrix> {
    let HeadActs { x, inv, normed, probs, targets } = acts;
    #[on(compute)]
    let dlogits = cross_entropy_backward(cx, probs, &targets)?;
    #[on(compute)]
    weight_gradient(cx, &normed, &dlogits, &mut g.out)?;
    #[on(compute)]
    let dnormed = linear_backward(cx, &dlogits, &w.out)?;
    #[on(compute)]
    let none = zeros(cx, &x)?;
    #[on(compute)]
    let dx = rmsnorm_backward(cx, (&x, &inv), &w.norm, &dnormed, none, &mut g.norm)?;
    Ok(dx)
}

/// The logits `[N, V]` alone, for generating text.
#[model_chunk(streams(compute, comm))]
pub fn head_logits(cx: &Cx<'_>, w: &Head, x: Matrix) -> Result<Matrix> {
    #[on(compute)]
    let (normed, _inv) = rmsnorm(cx, &x, &w.norm)?;
    #[on(compute)]
    let logits = linear(cx, &normed, &w.out)?;
    Ok(logits)
}
