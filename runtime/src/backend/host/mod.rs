//! The host backend: the machine's own memory as device memory, Rust closures as kernels.
//!
//! Two executors stand behind one [`Backend`]:
//!
//! ```text
//! threads   a worker thread a stream, real concurrency                        what users run
//! checked   no threads: a seeded scheduler runs the queues, its own vector    what tests run
//!           clocks judge every access, fresh memory is poisoned
//! ```
//!
//! Both number the tasks of a stream 1, 2, 3, ..; an event's word is a *ticket*, the number of the last task that its
//! stream had been given when it was recorded. The event has passed once the stream's count of finished tasks has
//! reached the ticket. A ticket is never greater than what its stream has been given, so a wait only ever looks
//! back in time: waits cannot form a circle, whatever threads enqueue them.
//!
//! A kernel that panics makes the backend *fail*: the first panic is kept, later kernels are dropped unrun, and
//! everything else (waits, frees, host functions) goes on, so that tickets advance and nobody hangs.

mod checked;
mod failure;
mod queue;
mod slab;
mod threads;

#[cfg(test)]
mod tests;

pub use checked::Checked;

use super::Backend;
use crate::error::{Error, ErrorKind};
use std::sync::Arc;

/// Streams as worker threads.
pub(crate) fn threads() -> Arc<dyn Backend> {
    Arc::new(threads::Threads::new())
}

/// Streams as queues that a seeded scheduler runs, every access judged.
pub(crate) fn checked(how: Checked) -> Arc<dyn Backend> {
    Arc::new(checked::Executor::new(how))
}

/// For a stream or event that this backend has not made.
fn stranger(what: &str) -> Error {
    Error::new(ErrorKind::WrongDevice, format!("{what} of another runtime"))
}

/// For a call that would block a thread that is running a task: the task might be what it waits for.
fn blocked_inside() -> Error {
    Error::new(ErrorKind::Unsupported, "a kernel or host function cannot block on the device")
}
