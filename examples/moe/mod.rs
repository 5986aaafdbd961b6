//! A character-level mixture-of-experts language model.

#[cfg(test)]
mod gradcheck;
pub mod kernels;
