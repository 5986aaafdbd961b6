//! Stepped runs: a chunk driven node by node, so that one host thread can interleave several.
//!
//! The body of a chunk is an `async` body that pauses before nodes and nowhere else, so a step never ends with a
//! node open. A straight call polls it once: no pause pauses.

use crate::plan::Plan;
use std::cell::Cell;
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// How a body is driven. Made by the macro's code.
#[derive(Clone)]
pub struct Mode(Option<Rc<Progress>>);

/// Shared between a stepped run and its driver.
#[derive(Default)]
struct Progress {
    /// The node entered last, and whether it was entered in the current step.
    node: Cell<&'static str>,
    entered: Cell<bool>,
}

impl Mode {
    /// From the first node to the last without a pause.
    #[must_use]
    pub fn straight() -> Self {
        Mode(None)
    }

    pub(crate) fn step(&self, node: &'static str) -> StepPoint<'_> {
        StepPoint { progress: self.0.as_deref(), node, paused: false }
    }
}

/// The pause before a node.
pub struct StepPoint<'r> {
    progress: Option<&'r Progress>,
    node: &'static str,
    paused: bool,
}

impl Future for StepPoint<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let Some(progress) = self.progress else { return Poll::Ready(()) };
        if progress.entered.replace(false) && !self.paused {
            self.paused = true;
            return Poll::Pending;
        }
        progress.node.set(self.node);
        progress.entered.set(true);
        Poll::Ready(())
    }
}

/// Runs a body without pauses.
pub fn straight<F: Future>(body: F) -> F::Output {
    let mut body = pin!(body);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(out) = body.as_mut().poll(&mut context) {
            return out;
        }
    }
}

/// What a step did.
#[derive(Debug)]
pub enum Step<T> {
    /// It ran the node of this name; others follow.
    Ran(&'static str),
    /// It ran what was left; this is the chunk's result.
    Done(T),
}

/// A chunk that is run node by node; `start` of a chunk's companion makes one.
///
/// Dropping it ends the run early, as an error would. Forgetting it leaks what it holds; nothing else.
pub struct Stepped<F: Future> {
    body: Option<Pin<Box<F>>>,
    progress: Rc<Progress>,
    plan: &'static Plan<'static>,
    thread: PhantomData<*const ()>,
}

impl<F: Future> Stepped<F> {
    /// Made by the macro's code.
    #[doc(hidden)]
    pub fn new(plan: &'static Plan<'static>, body: impl FnOnce(Mode) -> F) -> Self {
        let progress = Rc::<Progress>::default();
        let body = Box::pin(body(Mode(Some(progress.clone()))));
        Stepped { body: Some(body), progress, plan, thread: PhantomData }
    }

    /// The chunk's plan.
    #[must_use]
    pub fn plan(&self) -> &'static Plan<'static> {
        self.plan
    }

    /// Runs the next node, and the host statements around it. `None` once the chunk is done.
    pub fn step(&mut self) -> Option<Step<F::Output>> {
        // Taken out, so that a body that unwinds is not entered again.
        let mut body = self.body.take()?;
        self.progress.entered.set(false);
        match body.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(out) => Some(Step::Done(out)),
            Poll::Pending => {
                self.body = Some(body);
                Some(Step::Ran(self.progress.node.get()))
            }
        }
    }

    /// Runs all that is left. `None` if the chunk was done already.
    pub fn finish(mut self) -> Option<F::Output> {
        loop {
            if let Step::Done(out) = self.step()? {
                return Some(out);
            }
        }
    }
}
