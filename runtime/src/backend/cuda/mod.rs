//! The CUDA backend: streams, events and memory of one device, through cudarc's driver bindings.
//!
//! Slabs come from a memory pool of the runtime's own and go back to it, both in a stream's order. Events carry no
//! timing and are made once; they belong to whoever records them. Waits and records are one driver call each and
//! need no current context; whatever makes something new binds the context to the thread first.
//!
//! The driver is looked for before anything else is called, and so is each function that this backend needs: a
//! machine without it gets an error, where cudarc would panic.
//!
//! An error that the driver calls sticky (an illegal address in a kernel, say) is kept: all further work is refused with
//! it, and memory that may be in flight is kept back. See [`call`].

mod call;
mod event;
mod memory;
mod open;

use super::{Access, Backend, Copies, Native, Origin, Priority, RawEvent, RawStream, Span, Task};
use crate::error::{Error, ErrorKind, Result};
use call::Failure;
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};
use memory::Slabs;
use parking_lot::Mutex;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A device.
pub(crate) struct Cuda {
    context: Arc<CudaContext>,
    slabs: Slabs,
    /// Streams that it has made or taken in. They stay as long as the runtime does: marks name them.
    streams: Mutex<Vec<Arc<CudaStream>>>,
    failure: Failure,
}

impl Cuda {
    /// The device of this number, with its primary context.
    pub(crate) fn open(ordinal: usize) -> Result<Self> {
        Self::on(open::context(ordinal)?)
    }

    /// In a context of the caller's.
    pub(crate) fn on(context: Arc<CudaContext>) -> Result<Self> {
        open::find_functions()?;
        let slabs = Slabs::new(&context)?;
        Ok(Cuda { context, slabs, streams: Mutex::default(), failure: Failure::default() })
    }

    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Takes a stream in.
    pub(crate) fn adopt(&self, stream: Arc<CudaStream>) -> Result<(RawStream, Native)> {
        if stream.context().cu_ctx() != self.context.cu_ctx() {
            return Err(Error::new(ErrorKind::WrongDevice, "the stream belongs to another CUDA context"));
        }
        if stream.cu_stream() as usize == PER_THREAD {
            let text = "the per-thread default stream is another one on each thread; make a stream";
            return Err(Error::new(ErrorKind::Unsupported, text));
        }
        Ok(self.keep(stream))
    }

    fn keep(&self, stream: Arc<CudaStream>) -> (RawStream, Native) {
        let raw = RawStream(stream.cu_stream() as usize as u64);
        let mut streams = self.streams.lock();
        if !streams.iter().any(|known| known.cu_stream() == stream.cu_stream()) {
            streams.push(stream.clone());
        }
        (raw, Native::Cuda(stream))
    }

    /// Whoever makes something new on the device calls this first.
    fn bind(&self) -> Result<()> {
        self.called("binding the context", self.context.bind_to_thread())
    }

    /// A result of the driver as one of ours. Sticky errors are kept.
    pub(crate) fn called<T>(&self, what: &str, result: Result<T, DriverError>) -> Result<T> {
        result.map_err(|error| self.failure.note(what, error))
    }
}

/// The handle that stands for each thread's own default stream.
const PER_THREAD: usize = 2;

fn handle(stream: RawStream) -> sys::CUstream {
    stream.0 as usize as sys::CUstream
}

impl Backend for Cuda {
    fn name(&self) -> &'static str {
        "cuda"
    }

    fn stream(&self, _: &str, priority: Priority) -> Result<RawStream> {
        self.bind()?;
        let made = if priority == 0 {
            self.context.new_stream()
        } else {
            let range = self.called("reading the priorities", result::stream::get_priority_range())?;
            // The driver's greatest is its smallest number.
            let (least, greatest) = range;
            self.context.new_stream_with_priority(priority.saturating_neg().clamp(greatest, least))
        };
        Ok(self.keep(self.called("making a stream", made)?).0)
    }

    fn native(&self, stream: RawStream) -> Native {
        let streams = self.streams.lock();
        let found = streams.iter().find(|known| known.cu_stream() == handle(stream));
        found.map_or(Native::Host, |found| Native::Cuda(found.clone()))
    }

    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()> {
        if event.word == 0 {
            self.bind()?;
            self.called("making an event", event::make(&self.context, event))?;
        }
        event.stream = stream.0;
        // SAFETY: the event was made above or before, and lives until its keeper is dropped; the stream is one of
        // this backend's, which it keeps.
        let recorded = unsafe { result::event::record(event::handle(event), handle(stream)) };
        self.called("recording an event", recorded)
    }

    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()> {
        if event.word == 0 {
            return Ok(());
        }
        let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
        // SAFETY: as for `record`.
        let waited = unsafe { result::stream::wait_event(handle(stream), event::handle(event), flags) };
        self.called("waiting for an event", waited)
    }

    fn query(&self, event: &RawEvent) -> Result<bool> {
        if event.word == 0 {
            return Ok(true);
        }
        // SAFETY: as for `record`.
        match unsafe { result::event::query(event::handle(event)) } {
            Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_READY)) => Ok(false),
            done => self.called("asking for an event", done).map(|()| true),
        }
    }

    fn synchronize(&self, event: &RawEvent) -> Result<()> {
        if event.word == 0 {
            return Ok(());
        }
        // SAFETY: as for `record`.
        let done = unsafe { result::event::synchronize(event::handle(event)) };
        self.called("waiting on the host", done)
    }

    fn take_slab(&self, bytes: usize, stream: RawStream) -> Result<Span> {
        self.bind()?;
        self.called("taking memory", self.slabs.take(bytes, handle(stream)))
    }

    fn slab_grain(&self) -> usize {
        // What the driver's pools take from the device at a time.
        2 << 20
    }

    fn takes_in_order(&self) -> bool {
        true
    }

    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()> {
        self.bind()?;
        self.called("giving memory back", self.slabs.give(&slab, handle(stream)))
    }

    fn settle(&self, stream: RawStream) -> Result<()> {
        self.bind()?;
        // SAFETY: the stream is one of this backend's.
        let done = unsafe { result::stream::synchronize(handle(stream)) };
        self.called("waiting on the host", done)?;
        self.called("trimming the pool", self.slabs.trim())
    }

    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()> {
        let boxed: *mut Task = Box::into_raw(Box::new(f));
        // A callback, not a host function: it runs after a failure of the device too, so that wakers are woken.
        // SAFETY: the driver calls `run_task` once, or refuses the call; the stream is one of this backend's.
        let added =
            unsafe { sys::cuStreamAddCallback(handle(stream), Some(run_task), boxed.cast(), 0) }.result();
        if added.is_err() {
            // SAFETY: the driver has refused the call, so the box is still ours.
            drop(unsafe { Box::from_raw(boxed) });
        }
        self.called("enqueuing a host function", added)
    }

    fn kernel(&self, _: RawStream, _: Origin, _: &[Access], _: Task) -> Result<()> {
        let text = "a closure cannot reach a GPU's memory; launch kernels on `cuda_stream()`";
        Err(Error::new(ErrorKind::Unsupported, text))
    }

    fn copies(&self) -> Option<&dyn Copies> {
        Some(self)
    }

    fn failure(&self) -> Option<Error> {
        self.failure.get()
    }

    fn has_failed(&self) -> bool {
        self.failure.is_set()
    }

    fn cuda(&self) -> Option<&Cuda> {
        Some(self)
    }
}

unsafe extern "C" fn run_task(_: sys::CUstream, _: sys::CUresult, boxed: *mut c_void) {
    // SAFETY: `host_fn` made it from a box, for this one call.
    let task = unsafe { Box::from_raw(boxed.cast::<Task>()) };
    // Nothing may unwind into the driver; a payload may panic again when it is dropped.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(task)) {
        std::mem::forget(panic);
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // After a failure the driver has nothing to give back.
        if self.failure.is_set() || self.context.bind_to_thread().is_err() {
            return;
        }
        self.slabs.close(&self.context, &self.streams.lock());
    }
}
