//! Operators of the first and the last layer.

use crate::moe::Matrix;
use crate::moe::kernels;
use streamlease::{Buffer, Node, Result};

/// `[N, D]`: each id's row of `tokens [V, D]` plus its place's row of `positions [T, D]`.
pub fn embed(cx: &Node<'_>, ids: &Buffer<u32>, tokens: &Matrix, positions: &Matrix) -> Result<Matrix> {
    let width = tokens.cols;
    let mut x = Matrix::empty(cx, ids.len(), width)?;
    let args = (cx.view(ids)?, cx.view(&tokens.data)?, cx.view(&positions.data)?, cx.view_mut(&mut x.data)?);
    cx.launch(args, move |(ids, tokens, positions, x)| kernels::embed(width, ids, tokens, positions, x))?;
    Ok(x)
}

/// Sets the gradients of both embeddings from that of [`embed`]'s result.
pub fn embed_backward(
    cx: &Node<'_>,
    ids: &Buffer<u32>,
    dx: &Matrix,
    dtokens: &mut Matrix,
    dpositions: &mut Matrix,
) -> Result<()> {
    let width = dx.cols;
    let args = (
        cx.view(ids)?,
        cx.view(&dx.data)?,
        cx.view_mut(&mut dtokens.data)?,
        cx.view_mut(&mut dpositions.data)?,
    );
    cx.launch(args, move |(ids, dx, dtokens, dpositions)| {
        kernels::embed_backward(width, ids, dx, dtokens, dpositions);
    })
}

/// The mean loss `[1]` in nats, and the probabilities `[N, V]` in the logits' memory.
pub fn cross_entropy(
    cx: &Node<'_>,
    mut logits: Matrix,
    targets: &Buffer<u32>,
) -> Result<(Buffer<f32>, Matrix)> {
    let vocab = logits.cols;
    let mut loss = cx.empty(1)?;
    let args = (cx.view_mut(&mut logits.data)?, cx.view(targets)?, cx.view_mut(&mut loss)?);
    cx.launch(args, move |(logits, targets, loss)| kernels::cross_entropy(vocab, logits, targets, loss))?;
    Ok((loss, logits))
}

/// The gradient of the logits, in the probabilities' memory.
pub fn cross_entropy_backward(cx: &Node<'_>, mut probs: Matrix, targets: &Buffer<u32>) -> Result<Matrix> {
    let vocab = probs.cols;
    let args = (cx.view_mut(&mut probs.data)?, cx.view(targets)?);
    cx.launch(args, move |(probs, targets)| kernels::cross_entropy_backward(vocab, probs, targets))?;
    Ok(probs)
}
