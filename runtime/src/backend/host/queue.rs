//! One stream of the threads executor: a queue, its worker's loop, and the count that others wait for.
//!
//! ```text
//! host:    lock inbox, push, given += 1, unlock, wake the worker if it sleeps
//! worker:  take the whole inbox at once; run each job, done += 1 after each
//! waiter:  sleep until done >= ticket
//! ```
//!
//! `done` is bumped without a lock. No wake-up is lost because of the order on both sides, all of it `SeqCst`: a waiter
//! first lowers `wanted` to its ticket and then looks at `done`; the worker first bumps `done` and then looks at
//! `wanted`. Whichever comes second sees the other. The worker wakes under `gate`, which a waiter holds from
//! lowering `wanted` until it sleeps. `wanted` keeps a worker from waking a waiter for every task of a long queue.

use super::super::{Origin, Task};
use super::failure::{Kind, Latch};
use super::slab::Slab;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nobody sleeps.
const NOBODY: u64 = u64::MAX;

/// What a worker does.
pub(super) enum Job {
    Kernel(Origin, Task),
    HostFn(Task),
    /// Blocks until the other stream has finished that many jobs.
    Wait(Arc<Queue>, u64),
    Free(Slab),
}

#[derive(Default)]
struct Inbox {
    jobs: Vec<Job>,
    asleep: bool,
    closed: bool,
}

/// A stream.
pub(super) struct Queue {
    pub(super) label: Box<str>,
    inbox: Mutex<Inbox>,
    arrived: Condvar,
    /// Jobs ever pushed; written under `inbox`.
    given: AtomicU64,
    /// Jobs finished; written by the worker alone.
    done: AtomicU64,
    /// The lowest ticket that somebody sleeps for; written under `gate`.
    wanted: AtomicU64,
    gate: Mutex<()>,
    passed: Condvar,
}

impl Queue {
    pub(super) fn new(label: &str) -> Self {
        Queue {
            label: label.into(),
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            given: AtomicU64::new(0),
            done: AtomicU64::new(0),
            wanted: AtomicU64::new(NOBODY),
            gate: Mutex::new(()),
            passed: Condvar::new(),
        }
    }

    pub(super) fn push(&self, job: Job) {
        let mut inbox = self.inbox.lock();
        inbox.jobs.push(job);
        self.given.store(self.given.load(Ordering::Relaxed) + 1, Ordering::Release);
        let wake = std::mem::take(&mut inbox.asleep);
        drop(inbox);
        if wake {
            self.arrived.notify_one();
        }
    }

    /// The ticket of all that has been pushed so far.
    pub(super) fn ticket(&self) -> u64 {
        self.given.load(Ordering::Acquire)
    }

    pub(super) fn has_passed(&self, ticket: u64) -> bool {
        self.done.load(Ordering::Acquire) >= ticket
    }

    /// Blocks until `ticket` jobs are finished.
    pub(super) fn wait_for(&self, ticket: u64) {
        if self.has_passed(ticket) {
            return;
        }
        let mut gate = self.gate.lock();
        loop {
            self.wanted.fetch_min(ticket, Ordering::SeqCst);
            if self.done.load(Ordering::SeqCst) >= ticket {
                // `wanted` may now be lower than needed: one wake-up in vain, no more.
                return;
            }
            self.passed.wait(&mut gate);
        }
    }

    /// No more jobs will come: the worker ends once it has run what is there.
    pub(super) fn close(&self) {
        self.inbox.lock().closed = true;
        self.arrived.notify_one();
    }

    /// The worker: until closed and empty.
    pub(super) fn work(&self, latch: &Latch) {
        let mut batch = Vec::new();
        while self.next_batch(&mut batch) {
            for job in batch.drain(..) {
                self.run(job, latch);
                self.finish_one();
            }
        }
    }

    /// Sleeps for jobs and takes them all; `false` at the end.
    fn next_batch(&self, batch: &mut Vec<Job>) -> bool {
        let mut inbox = self.inbox.lock();
        while inbox.jobs.is_empty() {
            if inbox.closed {
                return false;
            }
            inbox.asleep = true;
            self.arrived.wait(&mut inbox);
        }
        inbox.asleep = false;
        std::mem::swap(&mut inbox.jobs, batch);
        true
    }

    fn run(&self, job: Job, latch: &Latch) {
        match job {
            Job::Kernel(origin, task) => latch.run(Kind::Kernel(origin), &self.label, task),
            Job::HostFn(task) => latch.run(Kind::HostFn, &self.label, task),
            Job::Wait(other, ticket) => other.wait_for(ticket),
            Job::Free(slab) => drop(slab),
        }
    }

    fn finish_one(&self) {
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        if done >= self.wanted.load(Ordering::SeqCst) {
            let gate = self.gate.lock();
            self.wanted.store(NOBODY, Ordering::SeqCst);
            drop(gate);
            self.passed.notify_all();
        }
    }
}
