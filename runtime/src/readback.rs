//! Readback: values on their way to the host.
//!
//! The copy is a use like any other: it marks the ledger, so the buffer may be dropped or written at once. The host
//! side is owned by the copy and the [`Pending`] together until the copy is done.

use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::node::Node;
use crate::shared::Shared;
use crate::staging::Piece;
use crate::timeline::Event;
use crate::view::View;
use parking_lot::Mutex;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

/// Host memory that a copy fills.
struct Landing<T> {
    data: Option<Vec<T>>,
    /// The stream has come past the copy. Without data the device had failed before.
    landed: bool,
    waker: Option<Waker>,
}

/// A value on its way to the host.
///
/// [`wait`](Pending::wait) blocks for this value's copy alone; awaiting works with any executor.
#[must_use = "the copy has been started, but its value is lost"]
pub struct Pending<T: Element> {
    landing: Arc<Mutex<Landing<T>>>,
    /// What the copy fills where the host cannot reach the device's memory, and how many elements.
    piece: Option<Piece>,
    len: usize,
    event: Arc<Event>,
    shared: Arc<Shared>,
}

impl<T: Element> Pending<T> {
    pub(crate) fn start(node: &Node<'_>, from: View<'_, T>) -> Result<Self> {
        let landing = Arc::new(Mutex::new(Landing { data: None, landed: false, waker: None }));
        let (filled, awaited) = (landing.clone(), landing.clone());
        let (len, mut piece) = (from.len(), None);
        match node.shared.device.backend.copies() {
            None => node.launch(from, move |from: &[T]| {
                let data = from.to_vec();
                filled.lock().data = Some(data);
            })?,
            Some(copies) => piece = Some(node.download(copies, &from)?),
        }
        // Runs after a failure too, when the copy does not.
        let notify = move || {
            let mut landing = awaited.lock();
            landing.landed = true;
            let waker = landing.waker.take();
            drop(landing);
            if let Some(waker) = waker {
                wake(waker);
            }
        };
        let backend = &node.shared.device.backend;
        backend.host_fn(node.stream.raw, Box::new(notify)).map_err(|e| node.here(e))?;
        let shared = node.shared.clone();
        let event =
            node.stream.record(&shared.device, &mut node.stream.lock(), 0).map_err(|e| node.here(e))?;
        Ok(Pending { landing, piece, len, event, shared })
    }

    /// Whether the value has arrived, or the error that it will not. Asking changes nothing: no order and no memory
    /// depends on the answer. In checked mode, where queued work moves only when the program enqueues or waits, do not
    /// ask in a loop.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.landing.lock().landed
    }

    /// Blocks until the value has arrived. What the copy was ordered after is known to be complete from then on.
    ///
    /// # Errors
    /// If the device failed before the copy.
    pub fn wait(mut self) -> Result<Vec<T>> {
        self.settle()?;
        self.take()
    }

    fn settle(&self) -> Result<()> {
        self.shared.device.backend.synchronize(&self.event.raw)?;
        self.shared.device.learn_everywhere(&self.event);
        Ok(())
    }

    fn take(&mut self) -> Result<Vec<T>> {
        if let Some(piece) = self.piece.take() {
            let mut data = vec![T::zeroed(); self.len];
            piece.copy_to(bytemuck::cast_slice_mut(&mut data));
            self.shared.staging.give(piece, None);
            return Ok(data);
        }
        self.landing.lock().data.take().ok_or_else(|| {
            let lost = || Error::new(ErrorKind::Device, "the device gave up before the value was copied");
            self.shared.device.backend.failure().unwrap_or_else(lost)
        })
    }
}

impl<T: Element> Drop for Pending<T> {
    fn drop(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.shared.staging.give(piece, Some(self.event.clone()));
        }
    }
}

impl<T: Element> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("ready", &self.is_ready()).finish_non_exhaustive()
    }
}

impl<T: Element> IntoFuture for Pending<T> {
    type Output = Result<Vec<T>>;
    type IntoFuture = Arrival<T>;

    fn into_future(self) -> Arrival<T> {
        Arrival { pending: self }
    }
}

/// The future of a [`Pending`].
pub struct Arrival<T: Element> {
    pending: Pending<T>,
}

impl<T: Element> Future for Arrival<T> {
    type Output = Result<Vec<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let pending = &mut self.pending;
        // A checking backend moves only when it is asked to.
        if !pending.shared.device.backend.is_lazy() {
            // Wakers are the executor's code: made and dropped under no lock.
            let waker = context.waker().clone();
            let mut landing = pending.landing.lock();
            if !landing.landed {
                let old = landing.waker.replace(waker);
                drop(landing);
                drop(old);
                return Poll::Pending;
            }
        }
        Poll::Ready(pending.settle().and_then(|()| pending.take()))
    }
}

/// Wakes on a thread of its own: wakers are the executor's code, and streams must not run that. One that panics ends
/// there, and the thread goes on for others.
fn wake(waker: Waker) {
    static HELPER: OnceLock<Option<Sender<Waker>>> = OnceLock::new();
    let helper = HELPER.get_or_init(|| {
        let (sender, wakers) = channel::<Waker>();
        let run = move || {
            for waker in wakers {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
                    // Its payload may panic again when it is dropped.
                    std::mem::forget(panic);
                }
            }
        };
        std::thread::Builder::new().name("streamlease-waker".into()).spawn(run).ok().map(|_| sender)
    });
    match helper {
        Some(helper) => drop(helper.send(waker)),
        None => waker.wake(),
    }
}
