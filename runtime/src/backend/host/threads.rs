//! The threads executor: a worker thread a stream.
//!
//! What workers need lives in [`Shared`], which each of them holds: slabs that were never given back are freed when
//! the last worker has ended, not before, whoever dropped the backend. Dropping it drains all queues; a thread that
//! runs a task does not wait for that (the task may be what a worker waits for), any other does.

use super::super::{Access, Backend, Origin, Priority, RawEvent, RawStream, Span, Task};
use super::failure::{Latch, inside_task};
use super::queue::{Job, Queue};
use super::slab::Slabs;
use super::{blocked_inside, stranger};
use crate::error::{Error, ErrorKind, Result};
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;
use std::thread::JoinHandle;

#[derive(Default)]
struct Shared {
    latch: Latch,
    slabs: Mutex<Slabs>,
}

/// The executor.
#[derive(Default)]
pub(super) struct Threads {
    shared: Arc<Shared>,
    streams: RwLock<Vec<Stream>>,
}

struct Stream {
    queue: Arc<Queue>,
    worker: JoinHandle<()>,
}

impl Threads {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, stream: u64, f: impl FnOnce(&Arc<Queue>) -> T) -> Result<T> {
        let streams = self.streams.read();
        streams.get(stream as usize).map(|s| f(&s.queue)).ok_or_else(|| stranger("a stream"))
    }

    fn push(&self, stream: RawStream, job: Job) -> Result<()> {
        self.with(stream.0, |queue| queue.push(job))
    }

    /// The queue of `event`, which must have been recorded there.
    fn queue_of(&self, event: &RawEvent) -> Result<Arc<Queue>> {
        let queue = self.with(event.stream, Arc::clone)?;
        if event.word > queue.ticket() {
            // Nothing could ever be ordered after it, and waits would no longer look back only.
            return Err(stranger("an event"));
        }
        Ok(queue)
    }
}

impl Backend for Threads {
    fn name(&self) -> &'static str {
        "host"
    }

    fn stream(&self, label: &str, _: Priority) -> Result<RawStream> {
        let queue = Arc::new(Queue::new(label));
        let shared = Arc::clone(&self.shared);
        let mine = Arc::clone(&queue);
        // A zero byte in a thread's name would panic.
        let worker = std::thread::Builder::new()
            .name(label.replace('\0', " "))
            .spawn(move || mine.work(&shared.latch))
            .map_err(|e| Error::new(ErrorKind::Device, "no worker thread for a stream").caused_by(e))?;
        let mut streams = self.streams.write();
        let number = streams.len() as u64;
        streams.push(Stream { queue, worker });
        Ok(RawStream(number))
    }

    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()> {
        event.word = self.with(stream.0, |queue| queue.ticket())?;
        event.stream = stream.0;
        Ok(())
    }

    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()> {
        if event.word == 0 || event.stream == stream.0 {
            return self.with(stream.0, |_| ());
        }
        let other = self.queue_of(event)?;
        if other.has_passed(event.word) {
            return self.with(stream.0, |_| ());
        }
        self.push(stream, Job::Wait(other, event.word))
    }

    fn query(&self, event: &RawEvent) -> Result<bool> {
        Ok(event.word == 0 || self.queue_of(event)?.has_passed(event.word))
    }

    fn synchronize(&self, event: &RawEvent) -> Result<()> {
        if event.word > 0 {
            let queue = self.queue_of(event)?;
            if inside_task() && !queue.has_passed(event.word) {
                return Err(blocked_inside());
            }
            queue.wait_for(event.word);
        }
        self.shared.latch.check()
    }

    fn take_slab(&self, bytes: usize, stream: RawStream) -> Result<Span> {
        self.with(stream.0, |_| ())?;
        self.shared.slabs.lock().take(bytes)
    }

    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()> {
        let queue = self.with(stream.0, Arc::clone)?;
        let slab = self.shared.slabs.lock().give(&slab)?;
        queue.push(Job::Free(slab));
        Ok(())
    }

    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()> {
        self.push(stream, Job::HostFn(f))
    }

    fn kernel(&self, stream: RawStream, origin: Origin, _accesses: &[Access], task: Task) -> Result<()> {
        self.push(stream, Job::Kernel(origin, task))
    }

    fn failure(&self) -> Option<Error> {
        self.shared.latch.error()
    }

    fn has_failed(&self) -> bool {
        self.shared.latch.is_set()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let streams = std::mem::take(self.streams.get_mut());
        for stream in &streams {
            stream.queue.close();
        }
        if inside_task() {
            return;
        }
        for stream in streams {
            // A worker catches what its tasks throw, so there is no panic to pass on.
            let _ = stream.worker.join();
        }
    }
}
