//! Runs: one execution of a chunk, from its plan.
//!
//! Each body begins a fresh run as its first local. The run executes waits and records **by index** from the plan:
//! the emitted code says only which node is entered and left. It owns the events of its nodes (the slots); marks
//! are made by the nodes' accesses, so nothing is left to do at the end, and a run that is dropped, forgotten or
//! unwound leaves every ledger as true as before.

use crate::__private::Chunk;
use crate::error::{Error, Result};
use crate::lane::{Begin, Cx, Home, Inner};
use crate::mark::StreamId;
use crate::node::{Node, Opening};
use crate::plan::{LeaseIx, Wait};
use crate::stats::WaitKind;
use crate::stepped::{Mode, StepPoint};
use crate::timeline::Event;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// What a run keeps, by node and by lease.
#[derive(Default)]
pub(crate) struct Slots {
    /// The event recorded after each node, if one was.
    events: Vec<Option<Arc<Event>>>,
    /// Leases that turned out to hold no storage, a bit each.
    plain: Vec<u64>,
    /// The streams of the run, with the position opened last before it.
    began: Vec<(StreamId, u64)>,
}

impl Slots {
    /// Makes used slots ready for a run of `home`'s chunk.
    fn begin(&mut self, home: &Home) {
        self.events.clear();
        self.events.resize(home.plan.nodes.len(), None);
        self.plain.clear();
        self.plain.resize(home.plan.leases.len().div_ceil(64), 0);
        self.began.clear();
        self.began.extend(home.streams.iter().map(|s| (s.id, s.last_opened())));
    }

    /// Whether `position` of `stream` was opened after the run began.
    pub(crate) fn began_before(&self, stream: StreamId, position: u64) -> bool {
        self.began.iter().any(|&(s, begin)| s == stream && position > begin)
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().flatten().map(|event| &**event)
    }

    pub(crate) fn is_plain(&self, lease: LeaseIx) -> bool {
        let lease = usize::from(lease);
        self.plain[lease / 64] >> (lease % 64) & 1 == 1
    }

    /// Whether a wait is for numbers only.
    fn is_idle(&self, wait: &Wait<'_>) -> bool {
        wait.reasons.iter().all(|r| self.is_plain(r.lease)) && wait.carries.iter().all(|&l| self.is_plain(l))
    }
}

/// One execution of a chunk. Made by the macro's code.
pub struct Run<'c> {
    lane: &'c Inner,
    home: &'c Home,
    begin: Begin,
    releases: Cell<u64>,
    mode: Mode,
    thread: PhantomData<*const ()>,
}

impl<'c> Run<'c> {
    /// Begins a run.
    ///
    /// # Errors
    /// If the lane lacks a stream of the chunk, or the device has failed.
    pub fn begin(cx: &Cx<'c>, chunk: &'static Chunk, mode: Mode) -> Result<Self> {
        let lane = cx.lane;
        lane.shared.check()?;
        let home = lane.home(chunk)?;
        let mut slots = home.slots.lock().pop().unwrap_or_default();
        slots.begin(home);
        let begin = Begin::new(lane.shared.next_tag(), home.plan, slots);
        Ok(Run { lane, home, begin, releases: Cell::new(0), mode, thread: PhantomData })
    }

    /// Before each node: a stepped run pauses here.
    pub fn step(&self, node: usize) -> StepPoint<'_> {
        self.mode.step(self.home.plan.nodes[node].name)
    }

    /// Enters a node: its stream is given the plan's waits, and its position opens.
    ///
    /// # Errors
    /// If the device fails or has failed.
    pub fn enter(&self, node: usize) -> Result<Node<'_>> {
        let Home { plan, streams, histories, .. } = self.home;
        let planned = &plan.nodes[node];
        let stream = &*streams[usize::from(planned.stream)];
        let shared = &self.lane.shared;
        let here = |e: Error| e.at(plan.chunk, planned.name, &stream.label);
        shared.check().map_err(here)?;
        let before = histories[node].execute(shared.pool.now());
        let slots = self.begin.slots.borrow();
        let mut line = stream.lock();
        for wait in planned.waits {
            // An empty slot: that node did not run, so there is nothing to wait for.
            if let Some(event) = &slots.events[usize::from(wait.node)]
                && !slots.is_idle(wait)
            {
                stream.wait(&shared.device, &mut line, event, WaitKind::Planned, false).map_err(here)?;
            }
        }
        let position = stream.open(&mut line, self.begin.tag);
        drop(line);
        let opening =
            Opening { shared, stream, home: self.home.id, before, run: Some(&self.begin), ix: node };
        Ok(Node::new(opening, position))
    }

    /// Leaves a node: its position closes, and an event is recorded if the plan says so. After a failed node
    /// nothing is recorded; its marks stay.
    ///
    /// # Errors
    /// The node's own, or one of the device.
    pub fn exit<T, E: From<Error>>(&self, node: Node<'_>, out: Result<T, E>) -> Result<T, E> {
        let out = out?;
        let ix = node.ix;
        if self.home.plan.nodes[ix].record.any() {
            let event = node.close_and_record()?;
            self.begin.slots.borrow_mut().events[ix] = Some(event);
        }
        Ok(out)
    }

    /// Notes whether a lease that a node made holds storage at all: numbers do not, and nobody waits for them.
    pub fn made<T: ?Sized>(&self, lease: usize, _value: &T) {
        self.found(lease, !std::mem::needs_drop::<T>());
    }

    /// Notes whether a lease that comes from elsewhere is plain. A `&mut` is not: it stands for somebody's storage.
    pub fn found(&self, lease: usize, plain: bool) {
        if plain {
            self.begin.slots.borrow_mut().plain[lease / 64] |= 1 << (lease % 64);
        }
    }

    /// Ends a lease: its memory goes back to the pool, with the marks of its last uses.
    pub fn release<T>(&self, _lease: usize, value: T) {
        if std::mem::needs_drop::<T>() {
            self.releases.set(self.releases.get() + 1);
        }
        drop(value);
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        let mut slots = self.begin.slots.take();
        // Nobody waits by them any more: their streams may record them anew.
        slots.events.clear();
        self.home.slots.lock().push(slots);
        self.lane.shared.pool.note_released(self.releases.get());
    }
}
