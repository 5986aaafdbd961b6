//! The optimiser's step for each part of the model: weights `w`, gradients `g`, running means `m` and `v`.

use crate::moe::kernels::Adam;
use crate::moe::ops::adam;
use crate::moe::{Attention, Embedding, Experts, Head};
use streamlease::{Cx, Result, model_chunk};

/// One step of the embeddings.
#[model_chunk(streams(compute, comm))]
pub fn update_embedding(
    cx: &Cx<'_>,
    a: &Adam,
    w: &mut Embedding,
    g: &Embedding,
    m: &mut Embedding,
    v: &mut Embedding,
) -> Result<()> {
    #[on(compute)]
    adam(cx, a, &mut w.tokens, &g.tokens, &mut m.tokens, &mut v.tokens)?;
    #[on(compute)]
    adam(cx, a, &mut w.positions, &g.positions, &mut m.positions, &mut v.positions)?;
    Ok(())
}

/// One step of a layer's attention half.
#[model_chunk(streams(compute, comm))]
pub fn update_attention(
    cx: &Cx<'_>,
    a: &Adam,
    w: &mut Attention,
    g: &Attention,
    m: &mut Attention,
    v: &mut Attention,
) -> Result<()> {
    #[on(compute)]
    adam(cx, a, &mut w.norm, &g.norm, &mut m.norm, &mut v.norm)?;
    #[on(compute)]
    adam(cx, a, &mut w.qkv, &g.qkv, &mut m.qkv, &mut v.qkv)?;
    #[on(compute)]
    adam(cx, a, &mut w.out, &g.out, &mut m.out, &mut v.out)?;
    Ok(())
}

/// One step of a layer's experts.
#[model_chunk(streams(compute, comm))]
pub fn update_experts(
    cx: &Cx<'_>,
    a: &Adam,
    w: &mut Experts,
    g: &Experts,
    m: &mut Experts,
    v: &mut Experts,
) -> Result<()> {
    #[on(compute)]
    adam(cx, a, &mut w.norm, &g.norm, &mut m.norm, &mut v.norm)?;
    #[on(compute)]
    adam(cx, a, &mut w.router, &g.router, &mut m.router, &mut v.router)?;
    #[on(compute)]
    adam(cx, a, &mut w.shared_up, &g.shared_up, &mut m.shared_up, &mut v.shared_up)?;
    #[on(compute)]
    adam(cx, a, &mut w.shared_down, &g.shared_down, &mut m.shared_down, &mut v.shared_down)?;
    #[on(compute)]
    adam(cx, a, &mut w.up, &g.up, &mut m.up, &mut v.up)?;
    #[on(compute)]
    adam(cx, a, &mut w.down, &g.down, &mut m.down, &mut v.down)?;
    Ok(())
}

/// One step of the head.
#[model_chunk(streams(compute, comm))]
pub fn update_head(cx: &Cx<'_>, a: &Adam, w: &mut Head, g: &Head, m: &mut Head, v: &mut Head) -> Result<()> {
    #[on(compute)]
    adam(cx, a, &mut w.norm, &g.norm, &mut m.norm, &mut v.norm)?;
    #[on(compute)]
    adam(cx, a, &mut w.out, &g.out, &mut m.out, &mut v.out)?;
    Ok(())
}
