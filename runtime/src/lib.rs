//! Schedule-aware tensor lifetimes on several device streams.
//!
//! `#[model_chunk]` plans a function when it is expanded: who uses each tensor on which stream, which stream waits
//! for which, where each tensor's memory comes free. This crate is what the plan runs on.

#![deny(missing_docs)]

mod backend;
mod buffer;
mod context;
mod element;
mod error;
mod kernel;
mod lane;
mod ledger;
mod mark;
mod node;
mod pool;
mod readback;
mod row;
mod run;
mod runtime;
mod shared;
mod stats;
mod stepped;
mod tensor;
mod timeline;
mod view;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(not(feature = "__testing"))]
mod testing;
#[cfg(feature = "__testing")]
#[doc(hidden)]
pub mod testing;

pub use backend::host::Checked;
pub use buffer::{Buffer, HasBuffer};
pub use context::Context;
pub use element::Element;
pub use error::{Error, ErrorKind, Result};
pub use kernel::KernelArgs;
pub use lane::{Cx, Lane};
pub use node::Node;
pub use pool::Release;
pub use readback::{Arrival, Pending};
pub use runtime::{Builder, Runtime, Stream};
pub use stats::{Memory, Stats, StreamStats, Waits};
pub use stepped::{Step, Stepped};
pub use streamlease_macros::model_chunk;
pub use streamlease_plan as plan;
pub use tensor::{Meta, Shape, Tensor};
pub use view::{View, ViewMut};
