//! The attention half of a layer: `x + attention(rmsnorm(x))`.

use crate::moe::kernels::Heads;
use crate::moe::ops::{
    self, add, attention, linear, linear_backward, rmsnorm, rmsnorm_backward, weight_gradient,
};
use crate::moe::{Attention, Matrix};
use streamlease::{Buffer, Cx, Result, model_chunk};

/// What [`attention_forward()`] leaves for [`attention_backward()`].
#[derive(Debug)]
pub struct AttentionActs {
    x: Matrix,
    inv: Buffer<f32>,
    normed: Matrix,
    qkv: Matrix,
    probs: Buffer<f32>,
    mixed: Matrix,
}

/// `x [N, D]` to `[N, D]`.
#[model_chunk(streams(compute, comm))]
pub fn attention_forward(
    cx: &Cx<'_>,
    h: &Heads,
    w: &Attention,
    x: Matrix,
) -> Result<(Matrix, AttentionActs)> {
    #[on(compute)]
    let (normed, inv) = rmsnorm(cx, &x, &w.norm)?;
    #[on(compute)]
    let qkv = linear(cx, &normed, &w.qkv)?;
    #[on(compute)]
    let (mixed, probs) = attention(cx, h, &qkv)?;
    #[on(compute)]
    let out = linear(cx, &mixed, &w.out)?;
    #[on(compute)]
    let out = add(cx, out, &x)?;
    Ok((out, AttentionActs { x, inv, normed, qkv, probs, mixed }))
}

/// The gradient of the input from that of the output, `[N, D]`; sets all of `g`.
#[model_chunk(streams(compute, comm))]
pub fn attention_backward(
    cx: &Cx<'_>,
    h: &Heads,
    w: &Attention,
    g: &mut Attention,
    acts: AttentionActs,
    dout: Matrix,
) -> Result<Matrix> {
    let AttentionActs { x, inv, normed, qkv, probs, mixed } = acts;
    #[on(compute)]
    let dmixed = linear_backward(cx, &dout, &w.out)?;
    #[on(compute)]
    weight_gradient(cx, &mixed, &dout, &mut g.out)?;
    #[on(compute)]
    let dqkv = ops::attention_backward(cx, h, &qkv, &probs, &dmixed)?;
    #[on(compute)]
    weight_gradient(cx, &normed, &dqkv, &mut g.qkv)?;
    #[on(compute)]
    let dnormed = linear_backward(cx, &dqkv, &w.qkv)?;
    #[on(compute)]
    let dx = rmsnorm_backward(cx, (&x, &inv), &w.norm, &dnormed, dout, &mut g.norm)?;
    Ok(dx)
}
