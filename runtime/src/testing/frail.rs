//! A device that is less than perfect: one call of a kind fails, its memory ends, its slabs come in stream order.

use crate::backend::{Access, Backend, Origin, Priority, RawEvent, RawStream, Span, Task};
use crate::error::{Error, ErrorKind, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Calls of a backend that may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Call {
    Record,
    Wait,
    Query,
    Synchronize,
    TakeSlab,
    GiveSlab,
    HostFn,
    Kernel,
}

/// How a device fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Frailty {
    /// The n-th call of a kind, from 0, does nothing and returns an error. Those after it succeed.
    pub fails: Option<(Call, u64)>,
    /// Bytes of slabs that it has.
    pub capacity: Option<usize>,
    /// Its slabs are there in the order of their stream only.
    pub in_order: bool,
}

/// Another backend, with its frailty.
pub(crate) struct Frail {
    inner: Arc<dyn Backend>,
    how: Frailty,
    calls: AtomicU64,
    taken: AtomicUsize,
}

impl Frail {
    pub(crate) fn new(inner: Arc<dyn Backend>, how: Frailty) -> Self {
        Frail { inner, how, calls: AtomicU64::new(0), taken: AtomicUsize::new(0) }
    }

    fn try_call(&self, call: Call) -> Result<()> {
        match self.how.fails {
            Some((kind, n)) if kind == call && self.calls.fetch_add(1, Relaxed) == n => {
                Err(Error::new(ErrorKind::Device, format!("{call:?} was made to fail")))
            }
            _ => Ok(()),
        }
    }
}

impl Backend for Frail {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn stream(&self, label: &str, priority: Priority) -> Result<RawStream> {
        self.inner.stream(label, priority)
    }
    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()> {
        self.try_call(Call::Record)?;
        self.inner.record(stream, event)
    }
    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()> {
        self.try_call(Call::Wait)?;
        self.inner.wait(stream, event)
    }
    fn query(&self, event: &RawEvent) -> Result<bool> {
        self.try_call(Call::Query)?;
        self.inner.query(event)
    }
    fn synchronize(&self, event: &RawEvent) -> Result<()> {
        self.try_call(Call::Synchronize)?;
        self.inner.synchronize(event)
    }
    fn take_slab(&self, bytes: usize, stream: RawStream) -> Result<Span> {
        self.try_call(Call::TakeSlab)?;
        if self.how.capacity.is_some_and(|all| self.taken.load(Relaxed) + bytes > all) {
            return Err(Error::new(ErrorKind::OutOfMemory, "the device is full").with_bytes(bytes));
        }
        let slab = self.inner.take_slab(bytes, stream)?;
        self.taken.fetch_add(bytes, Relaxed);
        Ok(slab)
    }
    fn slab_grain(&self) -> usize {
        self.inner.slab_grain()
    }
    fn takes_in_order(&self) -> bool {
        self.how.in_order || self.inner.takes_in_order()
    }
    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()> {
        self.try_call(Call::GiveSlab)?;
        let bytes = slab.len();
        self.inner.give_slab(slab, stream)?;
        self.taken.fetch_sub(bytes, Relaxed);
        Ok(())
    }
    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()> {
        self.try_call(Call::HostFn)?;
        self.inner.host_fn(stream, f)
    }
    fn kernel(&self, stream: RawStream, origin: Origin, accesses: &[Access], task: Task) -> Result<()> {
        self.try_call(Call::Kernel)?;
        self.inner.kernel(stream, origin, accesses, task)
    }
    fn failure(&self) -> Option<Error> {
        self.inner.failure()
    }
    fn has_failed(&self) -> bool {
        self.inner.has_failed()
    }
    fn note_alloc(&self, stream: RawStream, origin: Origin, span: Span) {
        self.inner.note_alloc(stream, origin, span);
    }
    fn note_free(&self, span: Span) {
        self.inner.note_free(span);
    }
    fn is_lazy(&self) -> bool {
        self.inner.is_lazy()
    }
    fn violations(&self) -> Vec<String> {
        self.inner.violations()
    }
}
