//! Schedule-aware tensor lifetimes on several device streams.
//!
//! [`#[model_chunk]`](macro@model_chunk) plans a function when it is expanded: who uses each tensor on which stream,
//! which stream waits for which, where each tensor's memory comes free. This crate is what the plan runs on.
//!
//! ```
//! use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};
//!
//! #[model_chunk(streams(compute, copy))]
//! fn save_and_double(cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
//!     #[on(copy)]
//!     let saved = scale(cx, &x, 1.0)?;
//!     #[on(compute)]
//!     let doubled = scale(cx, &x, 2.0)?;
//!     Ok((saved, doubled))
//! }
//!
//! /// An operator: allocates on its node's stream, and enqueues a kernel there.
//! fn scale(cx: &Node<'_>, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
//!     let mut y = cx.empty(x.len())?;
//!     cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), move |(x, y)| {
//!         y.iter_mut().zip(x).for_each(|(y, x)| *y = by * x);
//!     })?;
//!     Ok(y)
//! }
//!
//! let runtime = Runtime::host()?;
//! let lane = runtime.lane(&["compute", "copy"])?;
//! let x = lane.cx().upload([1.0, 2.0])?;
//! let (saved, doubled) = save_and_double(&lane.cx(), x)?;
//! assert_eq!(lane.cx().read(&saved)?.wait()?, [1.0, 2.0]);
//! assert_eq!(lane.cx().read(&doubled)?.wait()?, [2.0, 4.0]);
//! assert!(save_and_double::PLAN.nodes.iter().all(|node| node.waits.is_empty()));
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Loops, branches, optional tensors
//!
//! Control flow is model code like any other. A name that a node assigns to is carried from trip to trip; names bound
//! from `&place`, `if let` and `for` stand for the places that they refer to. [`plan::Plan`] prints the structure.
//!
//! ```
//! # use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};
//! # fn add(cx: &Node<'_>, a: &Buffer<f32>, b: &Buffer<f32>) -> Result<Buffer<f32>> {
//! #     let mut y = cx.empty(a.len())?;
//! #     cx.launch((cx.view(a)?, cx.view(b)?, cx.view_mut(&mut y)?), |(a, b, y)| {
//! #         y.iter_mut().zip(a).zip(b).for_each(|((y, a), b)| *y = a + b);
//! #     })?;
//! #     Ok(y)
//! # }
//! struct Layer {
//!     w: Buffer<f32>,
//!     bias: Option<Buffer<f32>>,
//! }
//!
//! #[model_chunk(streams(compute, comm))]
//! fn forward(cx: &Cx<'_>, layers: &[Layer], x: &Buffer<f32>) -> Result<(Buffer<f32>, Vec<Buffer<f32>>)> {
//!     let mut saved = Vec::new();
//!     #[on(compute)]
//!     let mut h = add(cx, x, x)?;
//!     for layer in layers {
//!         #[on(comm)]
//!         let sent = add(cx, &h, &layer.w)?;
//!         #[on(compute)]
//!         h = add(cx, &sent, &h)?;
//!         if let Some(bias) = &layer.bias {
//!             #[on(compute)]
//!             h = add(cx, &h, bias)?;
//!         }
//!         saved.push(sent);
//!     }
//!     Ok((h, saved))
//! }
//!
//! let runtime = Runtime::builder().strict(true).build()?;
//! let lane = runtime.lane(&["compute", "comm"])?;
//! let cx = lane.cx();
//! let layer = |bias| Ok::<_, streamlease::Error>(Layer { w: cx.upload([1.0])?, bias });
//! let layers = [layer(None)?, layer(Some(cx.upload([0.5])?))?];
//! let (h, saved) = forward(&cx, &layers, &cx.upload([1.0])?)?;
//! assert_eq!(cx.read(&h)?.wait()?, [11.5]);
//! assert_eq!(saved.len(), 2);
//! # drop((h, saved, layers));
//! # lane.drain()?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # From the outside in
//!
//! - A [`Runtime`] owns a device, its memory and its streams; a [`Lane`] binds the names that chunks use to physical
//!   streams; [`Cx`] is the capability that a chunk takes.
//! - A [`Node`] is device work on one stream, and the only way to memory: it makes [`Buffer`]s and [`View`]s of them.
//!   Operators take `cx: &Node<'_>`. Outside chunks, [`Cx::node`] opens one; everything is ordered all the same.
//! - A chunk's companion has the same name: `f::PLAN` is its [`plan::Plan`], `f::start` makes a [`Stepped`] run.
//! - [`Pending`] is a value on its way to the host; [`Stats`] counts memory and waits; [`Checked`] runs programs in
//!   adversarial orders and judges every access.
//!
//! # What always holds
//!
//! Every storage carries a *ledger*: its last write and, per stream, its last read, each a position on that stream.
//! Every stream has a *row*: up to which position of every other stream it is ordered. An access compares the two, and
//! where they do not meet, the stream waits. The plan places waits so that they meet. Freed memory keeps its ledger, and
//! goes to any stream whose row covers it. So a wrong plan costs time, and nothing that a program does or leaves undone
//! on its way out costs more than memory.

#![deny(missing_docs)]

mod backend;
mod buffer;
mod context;
#[cfg(feature = "__cuda")]
pub mod cuda;
mod element;
mod error;
pub mod guide;
mod kernel;
mod lane;
mod ledger;
mod lock;
mod mark;
mod node;
mod pool;
mod readback;
mod row;
mod run;
mod runtime;
mod shared;
mod staging;
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
