//! What the runtime needs of a device: streams, events, slabs. Sealed; chosen when the runtime is made.
//!
//! A backend orders work within a stream, and between streams exactly as [`Backend::record`] and
//! [`Backend::wait`] say. It knows nothing of tensors, ledgers or plans.

pub(crate) mod host;

use crate::error::Result;
use std::ops::Range;

/// A stream of a backend: its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RawStream(pub(crate) u32);

/// An event as the backend sees it. Belongs to one stream for good; recording again overwrites it.
#[derive(Debug, Default)]
pub(crate) struct RawEvent {
    /// Backend's own word: a ticket (host) or a handle (driver).
    pub(crate) word: u64,
    /// The stream it was last recorded on.
    pub(crate) stream: u32,
}

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
    fn stream(&self, label: &str) -> Result<RawStream>;
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
    /// Whether fresh slabs are there in the order of their stream only, as a driver's stream-ordered allocations are.
    fn takes_in_order(&self) -> bool {
        false
    }
    /// Gives a slab back in the order of `stream`, which is ordered after all its uses.
    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()>;
    /// Enqueues host code that touches no device memory (wakers, counters). It runs even after a failure.
    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()>;
    /// Enqueues a host kernel; an error on backends whose memory the host cannot reach.
    fn kernel(&self, stream: RawStream, origin: Origin, accesses: &[Access], task: Task) -> Result<()>;
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
}
