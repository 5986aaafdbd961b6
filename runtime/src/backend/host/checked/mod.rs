//! The checked executor: no threads, every order possible, every access judged.
//!
//! Tasks sit in their stream's queue. Each kernel enqueued may run a few of them, chosen by dice; `synchronize` and the end of
//! the backend run what is needed. The same calls with the same seed give the same order.
//!
//! Two judges work side by side. [`clock`] and [`shadow`] look at what is enqueued and report a race in every order.
//! The order itself, with memory poisoned whenever it is handed out, makes wrong values visible. They know nothing of the
//! runtime's ledgers and timelines.
//!
//! One thread at a time *drives* (runs tasks), and it holds no lock while a task runs: tasks may call wakers or drop
//! what calls back in. Such a call enqueues and judges, and leaves running to the driver.
//!
//! Slabs stay safe to touch even when the judged program is wrong: one that goes back after any violation is kept until
//! the backend ends, and a kernel that names memory of a slab that has gone back does not run.

mod clock;
mod report;
mod schedule;
mod shadow;

use super::failure::{Kind, Latch, drop_task, inside_task};
use super::slab::{Slab, Slabs};
use super::{blocked_inside, stranger};
use crate::backend::{Access, Backend, Origin, Priority, RawEvent, RawStream, Span, Task};
use crate::error::{Error, Result};
use clock::Clocks;
use parking_lot::{Condvar, Mutex, MutexGuard};
use schedule::{Goal, Item, Queue, Schedule};
use shadow::{Act, Finding, Shadow, Use};
use std::sync::Arc;

/// Fresh memory holds this word over and over, low byte first: not a number as `f32` and as `f64`.
pub(super) const POISON: u32 = 0xFFFD_A5A5;

/// Work that belongs to no node.
const NOWHERE: Origin = Origin { chunk: "", node: "" };

/// Checked mode of the host backend: a seeded order of execution, with every access to device memory judged.
///
/// ```ignore
/// let rt = Runtime::builder().checked(Checked::seed(7).slow("comm")).build()?;
/// ```
#[derive(Debug, Clone)]
pub struct Checked {
    seed: u64,
    slow: Vec<String>,
}

impl Checked {
    /// The order that belongs to `seed`.
    #[must_use]
    pub fn seed(seed: u64) -> Self {
        Checked { seed, slow: Vec::new() }
    }

    /// Streams labelled `label` lag as far behind as waits allow.
    #[must_use]
    pub fn slow(mut self, label: impl Into<String>) -> Self {
        self.slow.push(label.into());
        self
    }
}

/// The executor.
pub(super) struct Executor {
    slow: Vec<String>,
    latch: Latch,
    state: Mutex<State>,
    /// The driver has stopped.
    turn: Condvar,
}

struct State {
    schedule: Schedule,
    driving: bool,
    clocks: Clocks,
    shadow: Shadow,
    slabs: Slabs,
    /// Given back, but something may still touch them.
    kept: Vec<Slab>,
    violations: Vec<String>,
}

impl State {
    fn queue(&mut self, stream: RawStream) -> Result<&mut Queue> {
        self.schedule.queues.get_mut(stream.0 as usize).ok_or_else(|| stranger("a stream"))
    }

    /// Refuses what is not an event of this backend.
    fn admit(&mut self, event: &RawEvent) -> Result<()> {
        if event.word > 0 && event.word > self.queue(RawStream(event.stream))?.given {
            return Err(stranger("an event"));
        }
        Ok(())
    }

    /// The position that the next item of `stream` has; its clock is up to date for it.
    fn next_position(&mut self, stream: RawStream) -> Result<u64> {
        let position = self.queue(stream)?.given + 1;
        self.clocks.tick(stream.0, position);
        Ok(position)
    }

    fn enqueue(&mut self, stream: RawStream, item: Item) -> Result<()> {
        let queue = self.queue(stream)?;
        queue.given += 1;
        queue.items.push_back(item);
        Ok(())
    }

    fn report(&mut self, found: &[Finding]) {
        let queues = &self.schedule.queues;
        let label = |stream: u64| queues.get(stream as usize).map_or("?", |q| &*q.label);
        self.violations.extend(found.iter().map(|f| report::text(f, &self.shadow, label)));
    }

    fn has_passed(&self, event: &RawEvent) -> bool {
        event.word == 0 || self.schedule.has_passed(event.stream, event.word)
    }
}

impl Executor {
    pub(super) fn new(how: Checked) -> Self {
        Executor {
            slow: how.slow,
            latch: Latch::default(),
            state: Mutex::new(State {
                schedule: Schedule::new(how.seed),
                driving: false,
                clocks: Clocks::default(),
                shadow: Shadow::default(),
                slabs: Slabs::default(),
                kept: Vec::new(),
                violations: Vec::new(),
            }),
            turn: Condvar::new(),
        }
    }

    /// Enqueues, then runs as much as the dice say. Only for calls that are made under no lock of the runtime: tasks
    /// drop buffers, and those take the pool's.
    fn enqueue_and_drive(
        &self,
        mut state: MutexGuard<'_, State>,
        stream: RawStream,
        item: Item,
    ) -> Result<()> {
        state.enqueue(stream, item)?;
        if !state.driving {
            let appetite = state.schedule.appetite();
            self.drive(&mut state, Goal::Some(appetite));
        }
        Ok(())
    }

    /// Runs tasks until `goal` is met. The caller has seen that nobody else drives.
    fn drive(&self, state: &mut MutexGuard<'_, State>, mut goal: Goal) {
        state.driving = true;
        while let Some(stream) = state.schedule.pick(goal) {
            let Some(item) = state.schedule.queues[stream as usize].items.pop_front() else { break };
            match item {
                Item::Kernel(origin, task) => self.run(state, stream, Kind::Kernel(origin), task),
                Item::HostFn(task) => self.run(state, stream, Kind::HostFn, task),
                Item::Wait(..) | Item::Nothing => {}
                Item::Poison(span) => poison(&span),
                Item::Free(slab) => drop(slab),
            }
            state.schedule.queues[stream as usize].done += 1;
            match &mut goal {
                Goal::Some(left) => *left -= 1,
                Goal::Passed(..) | Goal::All => {}
            }
        }
        state.driving = false;
        self.turn.notify_all();
    }

    /// Runs one task, unlocked.
    fn run(&self, state: &mut MutexGuard<'_, State>, stream: u64, kind: Kind, task: Task) {
        let label = Arc::clone(&state.schedule.queues[stream as usize].label);
        MutexGuard::unlocked(state, || self.latch.run(kind, &label, task));
    }
}

impl Backend for Executor {
    fn name(&self) -> &'static str {
        "checked"
    }

    fn stream(&self, label: &str, _: Priority) -> Result<RawStream> {
        let mut state = self.state.lock();
        let number = state.schedule.queues.len() as u64;
        state.schedule.queues.push(Queue {
            label: label.into(),
            slow: self.slow.iter().any(|slow| slow == label),
            items: Default::default(),
            given: 0,
            done: 0,
        });
        state.clocks.add_stream();
        Ok(RawStream(number))
    }

    fn record(&self, stream: RawStream, event: &mut RawEvent) -> Result<()> {
        event.word = self.state.lock().queue(stream)?.given;
        event.stream = stream.0;
        Ok(())
    }

    fn wait(&self, stream: RawStream, event: &RawEvent) -> Result<()> {
        let mut state = self.state.lock();
        state.queue(stream)?;
        state.admit(event)?;
        if event.word == 0 || event.stream == stream.0 {
            return Ok(());
        }
        let position = state.next_position(stream)?;
        state.clocks.wait(stream.0, position, event.stream, event.word);
        state.enqueue(stream, Item::Wait(event.stream, event.word))
    }

    /// Runs nothing, so a program that only polls gets nowhere: see [`Backend::is_lazy`].
    fn query(&self, event: &RawEvent) -> Result<bool> {
        let mut state = self.state.lock();
        state.admit(event)?;
        let passed = state.has_passed(event);
        if passed && event.word > 0 {
            state.clocks.host_waited(event.stream, event.word);
        }
        Ok(passed)
    }

    fn synchronize(&self, event: &RawEvent) -> Result<()> {
        let mut state = self.state.lock();
        state.admit(event)?;
        if !state.has_passed(event) && inside_task() {
            return Err(blocked_inside());
        }
        while !state.has_passed(event) {
            if state.driving {
                self.turn.wait(&mut state);
            } else {
                self.drive(&mut state, Goal::Passed(event.stream, event.word));
            }
        }
        if event.word > 0 {
            state.clocks.host_waited(event.stream, event.word);
        }
        drop(state);
        self.latch.check()
    }

    fn take_slab(&self, bytes: usize, stream: RawStream) -> Result<Span> {
        let mut state = self.state.lock();
        state.queue(stream)?;
        let slab = state.slabs.take(bytes)?;
        state.shadow.take(&slab);
        Ok(slab)
    }

    fn give_slab(&self, slab: Span, stream: RawStream) -> Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let position = state.next_position(stream)?;
        let owned = state.slabs.give(&slab)?;
        let by = Use { act: Act::GiveBack, origin: NOWHERE, stream: stream.0, position };
        let mut found = Vec::new();
        state.shadow.give(by, &slab, &state.clocks, &mut found);
        state.report(&found);
        if !state.violations.is_empty() {
            state.kept.push(owned);
            return state.enqueue(stream, Item::Nothing);
        }
        state.enqueue(stream, Item::Free(owned))
    }

    fn host_fn(&self, stream: RawStream, f: Task) -> Result<()> {
        let mut state = self.state.lock();
        state.next_position(stream)?;
        self.enqueue_and_drive(state, stream, Item::HostFn(f))
    }

    fn kernel(&self, stream: RawStream, origin: Origin, accesses: &[Access], task: Task) -> Result<()> {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let position = state.next_position(stream)?;
        let mut found = Vec::new();
        let mut there = true;
        for Access { span, write } in accesses.iter().filter(|a| !a.span.is_empty()) {
            let act = if *write { Act::Write } else { Act::Read };
            let by = Use { act, origin, stream: stream.0, position };
            there &= state.shadow.access(by, span, &state.clocks, &mut found);
        }
        state.report(&found);
        if there {
            return self.enqueue_and_drive(guard, stream, Item::Kernel(origin, task));
        }
        let done = state.enqueue(stream, Item::Nothing);
        drop(guard);
        drop_task(task);
        done
    }

    fn failure(&self) -> Option<Error> {
        self.latch.error()
    }

    fn has_failed(&self) -> bool {
        self.latch.is_set()
    }

    fn note_alloc(&self, stream: RawStream, origin: Origin, span: Span) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let Ok(position) = state.next_position(stream) else { return };
        if span.is_empty() {
            return;
        }
        let by = Use { act: Act::HandOut, origin, stream: stream.0, position };
        let mut found = Vec::new();
        let there = state.shadow.hand_out(by, &span, &state.clocks, &mut found);
        state.report(&found);
        // The stream exists, so this cannot fail.
        let _ = state.enqueue(stream, if there { Item::Poison(span) } else { Item::Nothing });
    }

    fn note_free(&self, span: Span) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let mut found = Vec::new();
        state.shadow.free(&span, &mut found);
        state.report(&found);
    }

    fn is_lazy(&self) -> bool {
        true
    }

    fn violations(&self) -> Vec<String> {
        self.state.lock().violations.clone()
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        self.drive(&mut state, Goal::All);
    }
}

/// Fills `span` with [`POISON`], in phase with the address.
fn poison(span: &Span) {
    let start = std::ptr::with_exposed_provenance_mut::<u8>(span.start);
    // SAFETY: `hand_out` saw that all of `span` lies in slabs that had not gone back, and their provenance is exposed.
    // Such a slab is still allocated: it goes back later, and then either ordered after this task or with a
    // violation, for which it is kept. Slabs start out zeroed, so the bytes are initialised. No other code holds a
    // reference: tasks run one at a time, and a host that reads memory it has not waited for is not safe code.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, span.len()) };
    for (address, byte) in (span.start..).zip(bytes.iter_mut().take(4)) {
        *byte = POISON.to_le_bytes()[address % 4];
    }
    let mut filled = bytes.len().min(4);
    while filled < bytes.len() {
        let more = filled.min(bytes.len() - filled);
        bytes.copy_within(..more, filled);
        filled += more;
    }
}
