//! Tests of the host backend: what both executors keep, then each on its own.

mod both;
mod races;
mod schedule;
mod threads;

use super::{Checked, checked};
use crate::backend::{Access, Backend, Origin, RawEvent, RawStream, Span};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Long enough for what must happen.
const SOON: Duration = Duration::from_secs(20);

/// Runs `f` on its own thread and fails, rather than hangs, if it does not come back.
fn within_time(f: impl FnOnce() + Send + 'static) {
    let (done, ended) = channel();
    std::thread::spawn(move || {
        f();
        done.send(()).unwrap();
    });
    match ended.recv_timeout(SOON) {
        Ok(()) => {}
        Err(RecvTimeoutError::Timeout) => panic!("hangs"),
        Err(RecvTimeoutError::Disconnected) => panic!("panicked"),
    }
}

/// Runs `test` on every executor that must keep what all of them keep.
fn each_executor(test: impl Fn(Arc<dyn Backend>) + Send + 'static) {
    within_time(move || {
        test(super::threads());
        test(checked(Checked::seed(0).slow("a")));
        (0..40).for_each(|seed| test(checked(Checked::seed(seed))));
    });
}

fn origin(node: &'static str) -> Origin {
    Origin { chunk: "model", node }
}

fn read(span: &Span) -> Access {
    Access { span: span.clone(), write: false }
}

fn write(span: &Span) -> Access {
    Access { span: span.clone(), write: true }
}

/// An event after everything `stream` has been given.
fn event(backend: &dyn Backend, stream: RawStream) -> RawEvent {
    let mut event = RawEvent::default();
    backend.record(stream, &mut event).unwrap();
    event
}

/// `later` waits for all that `earlier` has been given.
fn order(backend: &dyn Backend, earlier: RawStream, later: RawStream) {
    backend.wait(later, &event(backend, earlier)).unwrap();
}

fn finish(backend: &dyn Backend, stream: RawStream) {
    backend.synchronize(&event(backend, stream)).unwrap();
}

/// The word at the start of `span`, which must be memory of a live slab.
fn word(span: &Span) -> &'static AtomicU32 {
    let address = std::ptr::with_exposed_provenance_mut::<u32>(span.start);
    // SAFETY: tests pass the start of a block of a slab that they hold: initialised, aligned to 256, and touched as
    // atomics only (or by poison, which runs under the executor's one driver).
    unsafe { AtomicU32::from_ptr(address) }
}

fn put(backend: &dyn Backend, stream: RawStream, node: &'static str, span: &Span, value: u32) {
    let at = span.clone();
    let task = Box::new(move || word(&at).store(value, Ordering::SeqCst));
    backend.kernel(stream, origin(node), &[write(span)], task).unwrap();
}

/// What `get` saw.
type Seen = Arc<Mutex<Vec<u32>>>;

fn get(backend: &dyn Backend, stream: RawStream, node: &'static str, span: &Span, seen: &Seen) {
    let (at, seen) = (span.clone(), seen.clone());
    let task = Box::new(move || seen.lock().unwrap().push(word(&at).load(Ordering::SeqCst)));
    backend.kernel(stream, origin(node), &[read(span)], task).unwrap();
}

/// A kernel without memory that notes `value`.
fn note(backend: &dyn Backend, stream: RawStream, seen: &Seen, value: u32) {
    let seen = seen.clone();
    backend.kernel(stream, origin("note"), &[], Box::new(move || seen.lock().unwrap().push(value))).unwrap();
}

/// A slab that is handed out whole to `stream`.
fn block(backend: &dyn Backend, stream: RawStream, bytes: usize) -> Span {
    let slab = backend.take_slab(bytes, stream).unwrap();
    backend.note_alloc(stream, origin("alloc"), slab.clone());
    slab
}
