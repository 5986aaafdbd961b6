//! Pieces that the example programs share: the mixture-of-experts language model of `train_moe`.

pub mod moe;
