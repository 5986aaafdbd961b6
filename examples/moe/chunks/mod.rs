//! The model as chunks: each function below is planned by `#[model_chunk]`.
//!
//! A forward chunk returns its result and what its backward needs; the backward takes that by value, so that each
//! activation comes free after its own last use. Tokens change places (`dispatch`, `combine` and their mirror
//! images) on `comm`; everything else runs on `compute`, arranged so that there is work beside each exchange.

use streamlease::plan::Plan;

mod attention;
mod ends;
mod experts;
mod model;
mod update;

pub use attention::{AttentionActs, attention_backward, attention_forward};
pub use ends::{HeadActs, embed_backward, embed_forward, head_backward, head_forward, head_logits};
pub use experts::{ExpertsActs, experts_backward, experts_forward};
pub use model::{Saved, backward, forward};
pub use update::{update_attention, update_embedding, update_experts, update_head};

/// The plan of every chunk here: forward and backward of the whole model, then those that a training step calls, in
/// order, then that of generating text.
pub const PLANS: [&Plan<'static>; 15] = [
    forward::PLAN,
    backward::PLAN,
    embed_forward::PLAN,
    attention_forward::PLAN,
    experts_forward::PLAN,
    head_forward::PLAN,
    head_backward::PLAN,
    experts_backward::PLAN,
    attention_backward::PLAN,
    embed_backward::PLAN,
    update_embedding::PLAN,
    update_attention::PLAN,
    update_experts::PLAN,
    update_head::PLAN,
    head_logits::PLAN,
];
