//! Runtime.
mod backend;
mod error;
pub use error::{Error, ErrorKind, Result};
pub use streamlease_macros::model_chunk;
pub use streamlease_plan as plan;
