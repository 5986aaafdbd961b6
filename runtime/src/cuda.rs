//! CUDA: the runtime on a GPU, beside code that uses [`cudarc`].
//!
//! ```no_run
//! use cudarc::driver::{LaunchConfig, PushKernelArg};
//! use streamlease::{Buffer, Node, Result, Runtime, model_chunk};
//!
//! # fn scale(_: &Node<'_>, _: &cudarc::driver::CudaFunction, _: &Buffer<f32>) -> Result<()> { Ok(()) }
//! let runtime = Runtime::builder().cuda(0).build()?;
//! let lane = runtime.lane(&["compute", "comm"])?;
//! # Ok::<(), streamlease::Error>(())
//! ```
//!
//! # Three ways to memory
//!
//! | where | what | who orders it |
//! |---|---|---|
//! | in a node | [`Node::view`], [`Node::view_mut`]: cudarc's `DevicePtr` and `PushKernelArg` are implemented on them | the plan; the ledger judges |
//! | anywhere | a [`Buffer`] itself: `DeviceSlice`, `DevicePtr`, `DevicePtrMut`, so that cuBLAS, NCCL and copies take it | the ledger, for any number of readers |
//! | anywhere | raw pointers and streams, `unsafe` | the node that they are taken through |
//!
//! A call through cudarc's traits says on which stream the memory is used. If that is a stream of the runtime's, the
//! call is ordered after what it conflicts with, and leaves a mark. If it is a stream that the runtime does not know, the
//! host waits for the call to end; [`Runtime::adopt`] makes it known.
//!
//! [`Node::view`]: crate::Node::view
//! [`Node::view_mut`]: crate::Node::view_mut
//! [`Buffer`]: crate::Buffer
//! [`Runtime::adopt`]: crate::Runtime::adopt

mod access;
mod interop;
mod launch;

pub use launch::Arg;
