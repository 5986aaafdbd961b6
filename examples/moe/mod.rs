//! A character-level mixture-of-experts language model, with its forward and backward as annotated chunks.
//!
//! From the inside out: [`kernels`] are plain functions over slices; [`ops`] launch them on a node's stream;
//! [`chunks`] put operators on streams and loop over layers, which is where `#[model_chunk]` comes in; [`train`] and
//! [`generate`] call them. [`Model`] and its parts are plain structs around [`Matrix`], a struct around a
//! buffer.

pub mod chunks;
mod config;
pub mod data;
pub mod generate;
#[cfg(test)]
mod gradcheck;
pub mod kernels;
mod matrix;
pub mod ops;
#[cfg(test)]
mod tests;
pub mod train;
mod weights;

pub use config::Config;
pub use matrix::Matrix;
pub use weights::{Attention, Embedding, Experts, Head, Layer, Model};
