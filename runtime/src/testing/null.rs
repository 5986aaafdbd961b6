//! A device that does nothing but keep time, to see what the host's bookkeeping costs by itself and how well a
//! program's streams overlap; and a backend's bare calls, to compare with.

use crate::backend::{Access, Backend, Origin, Priority, RawEvent, RawStream, Span, Task, host};
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// How long a kernel of a node takes on a device that only keeps time: by the names of chunk and node.
pub type Durations = fn(chunk: &str, node: &str) -> u64;

/// Takes every call and does nothing. Its addresses are made up: no kernel ever runs.
///
/// With durations each stream has a clock. A kernel moves it on, a wait moves it up to where the other stream's
/// clock stood when the event was recorded; so the latest clock is the time that a device with that many streams
/// would have taken.
#[derive(Default)]
pub(crate) struct Null {
    streams: AtomicU32,
    addresses: AtomicUsize,
    durations: Option<Durations>,
    clocks: Mutex<Vec<u64>>,
}

impl Null {
    pub(crate) fn new(durations: Option<Durations>) -> Self {
        Null { durations, ..Null::default() }
    }
}

impl Backend for Null {
    fn name(&self) -> &'static str {
        "null"
    }
    fn time(&self) -> u64 {
        self.clocks.lock().iter().copied().max().unwrap_or(0)
    }
    fn stream(&self, _: &str, _: Priority) -> Result<RawStream> {
        self.clocks.lock().push(0);
        Ok(RawStream(u64::from(self.streams.fetch_add(1, Relaxed))))
    }
    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()> {
        event.stream = stream.0;
        if self.durations.is_some() {
            event.word = self.clocks.lock()[stream.0 as usize];
        }
        Ok(())
    }
    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()> {
        if self.durations.is_some() {
            let clock = &mut self.clocks.lock()[stream.0 as usize];
            *clock = event.word.max(*clock);
        }
        Ok(())
    }
    fn query(&self, _: &RawEvent) -> Result<bool> {
        Ok(true)
    }
    fn synchronize(&self, _: &RawEvent) -> Result<()> {
        Ok(())
    }
    fn take_slab(&self, bytes: usize, _: RawStream) -> Result<Span> {
        let start = self.addresses.fetch_add(bytes, Relaxed) + 4096;
        Ok(start..start + bytes)
    }
    fn give_slab(&self, _: Span, _: RawStream) -> Result<()> {
        Ok(())
    }
    fn host_fn(&self, _: RawStream, f: Task) -> Result<()> {
        drop(f);
        Ok(())
    }
    fn kernel(&self, stream: RawStream, origin: Origin, _: &[Access], task: Task) -> Result<()> {
        drop(task);
        if let Some(durations) = self.durations {
            self.clocks.lock()[stream.0 as usize] += durations(origin.chunk, origin.node);
        }
        Ok(())
    }
    fn failure(&self) -> Option<Error> {
        None
    }
    fn has_failed(&self) -> bool {
        false
    }
}

/// A backend without timelines, ledgers or pool: what a program would call that does all of that by hand.
#[allow(missing_debug_implementations)]
pub struct Bare {
    backend: Arc<dyn Backend>,
    streams: Vec<RawStream>,
    events: Vec<RawEvent>,
}

impl Bare {
    fn new(backend: Arc<dyn Backend>, streams: usize, events: usize) -> Result<Self> {
        let streams = (0..streams).map(|_| backend.stream("bare", 0)).collect::<Result<_>>()?;
        let events = (0..events).map(|_| RawEvent::default()).collect();
        Ok(Bare { backend, streams, events })
    }

    /// Over the device that does nothing.
    ///
    /// # Errors
    /// None.
    pub fn null(streams: usize, events: usize) -> Result<Self> {
        Self::new(Arc::new(Null::default()), streams, events)
    }

    /// Over the host backend's worker threads.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn host(streams: usize, events: usize) -> Result<Self> {
        Self::new(host::threads(), streams, events)
    }

    /// Records an event.
    ///
    /// # Errors
    /// The backend's.
    pub fn record(&mut self, stream: usize, event: usize) -> Result<()> {
        self.backend.record(self.streams[stream], &mut self.events[event])
    }

    /// Makes a stream wait for an event.
    ///
    /// # Errors
    /// The backend's.
    pub fn wait(&self, stream: usize, event: usize) -> Result<()> {
        self.backend.wait(self.streams[stream], &self.events[event])
    }

    /// Enqueues a kernel that touches nothing.
    ///
    /// # Errors
    /// The backend's.
    pub fn kernel(&self, stream: usize, task: impl FnOnce() + Send + 'static) -> Result<()> {
        self.backend.kernel(self.streams[stream], Origin { chunk: "", node: "" }, &[], Box::new(task))
    }

    /// Waits for everything on a stream.
    ///
    /// # Errors
    /// The backend's.
    pub fn finish(&self, stream: usize) -> Result<()> {
        let mut event = RawEvent::default();
        self.backend.record(self.streams[stream], &mut event)?;
        self.backend.synchronize(&event)
    }
}
