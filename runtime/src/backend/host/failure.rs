//! Running tasks so that a panic in one stays there, and remembering the first.

use super::super::{Origin, Task};
use crate::error::{Error, ErrorKind};
use parking_lot::Mutex;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a task belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Reaches device memory: pointless after a failure.
    Kernel(Origin),
    /// A waker or a counter: always runs, or whoever waits for it would hang.
    HostFn,
}

/// The first failure of a backend. Set once, never cleared.
#[derive(Debug, Default)]
pub(super) struct Latch {
    failed: AtomicBool,
    first: Mutex<Option<Failure>>,
}

#[derive(Debug)]
struct Failure {
    kind: Kind,
    stream: Box<str>,
    message: String,
}

impl Latch {
    /// Runs `task`, or drops it unrun where it is a kernel and the backend has failed. Never unwinds.
    pub(super) fn run(&self, kind: Kind, stream: &str, task: Task) {
        if matches!(kind, Kind::Kernel(_)) && self.is_set() {
            return drop_task(task);
        }
        let _inside = Inside::enter();
        let Err(panic) = catch_unwind(AssertUnwindSafe(task)) else { return };
        let message = text_of(&*panic);
        discard(panic);
        let mut first = self.first.lock();
        if first.is_none() {
            *first = Some(Failure { kind, stream: stream.into(), message });
            self.failed.store(true, Ordering::Release);
        }
    }

    /// Whether a failure is kept; kernels do not run any more.
    pub(super) fn is_set(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// The failure as an error of its own.
    pub(super) fn error(&self) -> Option<Error> {
        if !self.is_set() {
            return None;
        }
        let first = self.first.lock();
        let Failure { kind, stream, message } = first.as_ref()?;
        Some(match kind {
            Kind::Kernel(Origin { chunk, node }) => {
                Error::new(ErrorKind::Device, format!("a kernel panicked: {message}")).at(chunk, node, stream)
            }
            Kind::HostFn => Error::new(ErrorKind::Device, format!("a host function panicked: {message}"))
                .at("", "", stream),
        })
    }

    /// `Ok`, or the failure.
    pub(super) fn check(&self) -> crate::error::Result<()> {
        self.error().map_or(Ok(()), Err)
    }
}

/// Drops a task that must not run. Never unwinds: a panic in `drop` of what it owns is not worth keeping.
pub(super) fn drop_task(task: Task) {
    let _inside = Inside::enter();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(task))) {
        discard(panic);
    }
}

/// What the panic said.
fn text_of(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "(no message)".to_owned(),
    }
}

/// Drops a panic's payload, whose own `drop` may panic. The payload of *that* panic is leaked: somewhere it must end.
fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Marks this thread as running a task of some host backend, while it lives.
struct Inside;

impl Inside {
    fn enter() -> Self {
        DEPTH.set(DEPTH.get() + 1);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Whether this thread is running a task of any host backend: it must not block on one then.
pub(super) fn inside_task() -> bool {
    DEPTH.get() > 0
}
