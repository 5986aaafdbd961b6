//! Attention.

use crate::moe::Matrix;
use crate::moe::kernels::{self, Heads};
use streamlease::{Buffer, Node, Result};

/// `qkv [N, 3 D]` to the mixed values `[N, D]`; the weights `[N / T, H, T, T]` are kept for the backward.
pub fn attention(cx: &Node<'_>, h: &Heads, qkv: &Matrix) -> Result<(Matrix, Buffer<f32>)> {
    let h = *h;
    let mut mixed = Matrix::empty(cx, qkv.rows, h.width)?;
    let mut probs = cx.empty(qkv.rows * h.heads * h.seq)?;
    let args = (cx.view(&qkv.data)?, cx.view_mut(&mut probs)?, cx.view_mut(&mut mixed.data)?);
    cx.launch(args, move |(qkv, probs, mixed)| kernels::attention(h, qkv, probs, mixed))?;
    Ok((mixed, probs))
}

/// The gradient of `qkv`.
pub fn attention_backward(
    cx: &Node<'_>,
    h: &Heads,
    qkv: &Matrix,
    probs: &Buffer<f32>,
    dmixed: &Matrix,
) -> Result<Matrix> {
    let h = *h;
    let mut dqkv = qkv.like(cx)?;
    // Given back when this returns: the node's own marks keep it from whoever comes next.
    let mut scratch = cx.empty(h.seq * h.seq)?;
    let args = (
        cx.view(&qkv.data)?,
        cx.view(probs)?,
        cx.view(&dmixed.data)?,
        cx.view_mut(&mut scratch)?,
        cx.view_mut(&mut dqkv.data)?,
    );
    cx.launch(args, move |(qkv, probs, dmixed, scratch, dqkv)| {
        kernels::attention_backward(h, qkv, probs, dmixed, scratch, dqkv);
    })?;
    Ok(dqkv)
}
