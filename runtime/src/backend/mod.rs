//! What the runtime needs of a device: streams, events, slabs. Sealed; chosen when the runtime is made.
//!
//! A backend orders work within a stream, and between streams exactly as [`Backend::record`] and
//! [`Backend::wait`] say. It knows nothing of tensors, ledgers or plans.

#[cfg(feature = "__cuda")]
pub(crate) mod cuda;
pub(crate) mod host;

use crate::error::Result;
use std::any::Any;
use std::ops::Range;

/// A stream of a backend: its number there, or the driver's handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RawStream(pub(crate) u64);

/// An event as the backend sees it. Belongs to one stream for good; recording again overwrites it.
#[derive(Debug, Default)]
pub(crate) struct RawEvent {
    /// Backend's own word: a ticket (host) or a handle (driver).
    pub(crate) word: u64,
    /// The stream it was last recorded on.
    pub(crate) stream: u64,
    /// What gives the handle back when it is dropped.
    #[cfg_attr(not(feature = "__cuda"), allow(dead_code))]
    pub(crate) keeper: Option<Box<dyn Any + Send + Sync>>,
}

/// A stream as users of the device's own interface know it.
pub(crate) enum Native {
    Host,
    #[cfg(feature = "__cuda")]
    Cuda(std::sync::Arc<cudarc::driver::CudaStream>),
}

#[cfg(feature = "__cuda")]
impl Native {
    pub(crate) fn cuda(&self) -> Option<&std::sync::Arc<cudarc::driver::CudaStream>> {
        match self {
            Native::Cuda(stream) => Some(stream),
            Native::Host => None,
        }
    }
}

/// Which of two streams the device prefers, where both have work: the greater one. Backends without priorities take any.
pub(crate) type Priority = i32;

/// Addresses of device memory, in bytes.
pub(crate) type Span = Range<usize>;

/// How a kernel touches a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) span: Span,
    pub(crate) write: bool,
}

/// Who enqueues work: for reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) chunk: &'static str,
    pub(crate) node: &'static str,
}

/// Work of the host backend: runs once on the stream's worker.
pub(crate) type Task = Box<dyn FnOnce() + Send + 'static>;

/// A device.
pub(crate) trait Backend: Send + Sync + 'static {
    /// `"host"`, `"checked"`, `"cuda"`.
    fn name(&self) -> &'static str;
    /// A new stream; `label` is for reports.
    fn stream(&self, label: &str, priority: Priority) -> Result<RawStream>;
    /// The stream as users of the device's own interface know it.
    fn native(&self, _stream: RawStream) -> Native {
        Native::Host
    }
    /// Records `event` after everything that `stream` has been given so far.
    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()>;
    /// Later work of `stream` runs only after `event`, as it is recorded at this call.
    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()>;
    /// Whether the device has passed `event`. Never called under scheduled release except for the user.
    fn query(&self, event: &RawEvent) -> Result<bool>;
    /// Blocks the host until the device has passed `event`.
    fn synchronize(&self, event: &RawEvent) -> Result<()>;
    /// Fresh, initialised memory, aligned to at least 256 bytes, usable on `stream`; on any other stream at once, or
    /// once it is ordered after this call, as [`Backend::takes_in_order`] says.
    fn take_slab(&self, bytes: usize, stream: RawStream) -> Result<Span>;
    /// Slabs are multiples of this many bytes.
    fn slab_grain(&self) -> usize {
        64 << 10
    }
    /// Whether fresh slabs are there in the order of their stream only, as a driver's stream-ordered allocations are.
    fn takes_in_order(&self) -> bool {
        false
    }
    /// Gives a slab back in the order of `stream`, which is ordered after all its uses.
    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()>;
    /// Enqueues host code that touches no device memory (wakers, counters). It runs even after a failure.
    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()>;
    /// Gives the device time to have what [`Backend::give_slab`] gave it, before it is asked for more once again.
    /// May block.
    fn settle(&self, _stream: RawStream) -> Result<()> {
        Ok(())
    }
    /// Enqueues a host kernel; an error on backends whose memory the host cannot reach.
    fn kernel(&self, stream: RawStream, origin: Origin, accesses: &[Access], task: Task) -> Result<()>;
    /// How bytes go in and out where the host cannot reach the device's memory; none where it can.
    fn copies(&self) -> Option<&dyn Copies> {
        None
    }
    /// A device failure that makes all further work pointless (a kernel that panicked), if there was one.
    fn failure(&self) -> Option<crate::error::Error>;
    /// Whether there was one; asked at every node.
    fn has_failed(&self) -> bool {
        self.failure().is_some()
    }
    /// The pool gives `span` to `stream` (checked mode poisons it, in the stream's order).
    fn note_alloc(&self, _stream: RawStream, _origin: Origin, _span: Span) {}
    /// The pool takes `span` back.
    fn note_free(&self, _span: Span) {}
    /// Whether queued work moves only when the host asks for it.
    fn is_lazy(&self) -> bool {
        false
    }
    /// The latest clock of a backend that keeps time.
    #[cfg(feature = "__testing")]
    fn time(&self) -> u64 {
        0
    }
    /// What a checking backend has found, oldest first; empty for others.
    fn violations(&self) -> Vec<String> {
        Vec::new()
    }
    /// The CUDA backend, if it is that one.
    #[cfg(feature = "__cuda")]
    fn cuda(&self) -> Option<&cuda::Cuda> {
        None
    }
}

/// A device whose memory the host reaches by copies only. The host's side of a copy is memory of
/// [`Copies::take_host`]; everything is enqueued, nothing blocks.
pub(crate) trait Copies {
    /// Page-locked host memory of at least `bytes`, aligned to at least 256 bytes.
    fn take_host(&self, bytes: usize) -> Result<Span>;
    /// Gives it back; the device has finished with it.
    fn give_host(&self, span: Span);
    /// Enqueues a copy of `to.len()` bytes from host memory at `from`.
    ///
    /// # Safety
    /// Both spans must be allocated until the stream has come past the copy.
    unsafe fn copy_in(&self, stream: RawStream, from: usize, to: Span) -> Result<()>;
    /// Enqueues a copy of `from.len()` bytes to host memory at `to`.
    ///
    /// # Safety
    /// As for [`Copies::copy_in`].
    unsafe fn copy_out(&self, stream: RawStream, from: Span, to: usize) -> Result<()>;
    /// Enqueues the filling of `span` with zero bytes.
    ///
    /// # Safety
    /// The span must be allocated until the stream has come past it.
    unsafe fn zero(&self, stream: RawStream, span: Span) -> Result<()>;
}
