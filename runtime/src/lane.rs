//! Lanes: which physical streams a chunk's names mean, and what a chunk remembers there.

use crate::__private::Chunk;
use crate::backend::Origin;
use crate::buffer::{Buffer, HasBuffer};
use crate::context::Context;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::Lock;
use crate::mark::{HomeId, Mark, StreamId};
use crate::node::{Node, Opening};
use crate::plan::{NodeIx, Plan};
use crate::readback::Pending;
use crate::run::Slots;
use crate::shared::Shared;
use crate::timeline::Stream;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::iter::from_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Nodes outside chunks, on one stream, by which memory that they made lags behind before it is waited for. Nobody
/// says what a trip is there; this many nodes keep some overlap and bound the memory.
const OUTSIDE_LAG: u32 = 8;

/// Stream names bound to physical streams. Many lanes may run at once; several names, and several lanes, may share
/// a physical stream.
#[derive(Clone)]
pub struct Lane {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) shared: Arc<Shared>,
    names: Vec<(String, Arc<Stream>)>,
    /// For nodes outside chunks: one home for the lane, one history for each name.
    outside: HomeId,
    histories: Vec<History>,
    homes: Homes,
}

impl Lane {
    pub(crate) fn new(shared: Arc<Shared>, names: Vec<(String, Arc<Stream>)>) -> Self {
        let outside = shared.pool.add_home();
        let histories = names.iter().map(|_| History::new(OUTSIDE_LAG)).collect();
        Lane { inner: Arc::new(Inner { shared, names, outside, histories, homes: Homes::default() }) }
    }

    /// The capability that chunks take as their first argument.
    #[must_use]
    pub fn cx(&self) -> Cx<'_> {
        Cx { lane: &self.inner }
    }

    /// Waits until the device has finished all work of this lane's streams, then gives unused memory back to it.
    ///
    /// # Errors
    /// If the device failed.
    pub fn drain(&self) -> Result<()> {
        let device = &self.inner.shared.device;
        for (_, stream) in &self.inner.names {
            let event = stream.record(device, &mut stream.lock(), 0)?;
            device.backend.synchronize(&event.raw)?;
            device.learn_everywhere(&event);
        }
        self.inner.shared.check()?;
        match self.inner.names.first() {
            Some((_, stream)) => self.inner.shared.pool.trim(device, stream),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.inner.names.iter().map(|(n, s)| (n, &s.label))).finish()
    }
}

impl Inner {
    fn stream(&self, name: &str) -> Result<usize> {
        self.names.iter().position(|(n, _)| n == name).ok_or_else(|| {
            let names: Vec<&str> = self.names.iter().map(|(n, _)| n.as_str()).collect();
            let text = format!("the lane has no stream `{name}`; it has {}", names.join(", "));
            Error::new(ErrorKind::UnknownStream, text)
        })
    }

    /// What the chunk remembers here.
    pub(crate) fn home(&self, chunk: &'static Chunk) -> Result<&Home> {
        let mut place = self.homes.of(chunk);
        loop {
            match place.get() {
                Some(entry) if std::ptr::eq(entry.chunk, chunk) => return Ok(&entry.home),
                Some(entry) => place = &entry.next,
                None => {
                    let entry = Entry { chunk, home: Home::new(self, chunk)?, next: OnceLock::new() };
                    // Another thread may have been faster, with this chunk or another: the loop looks again.
                    if let Err(late) = place.set(Box::new(entry)) {
                        self.shared.pool.remove_homes(&[late.home.id]);
                    }
                }
            }
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let homes: Vec<HomeId> = self.homes.iter().map(|home| home.id).chain([self.outside]).collect();
        self.shared.pool.remove_homes(&homes);
    }
}

/// What each chunk remembers, by the address of its `static`: short lists that only grow, so that looking up takes
/// neither a lock nor a count.
#[derive(Default)]
struct Homes([OnceLock<Box<Entry>>; 32]);

struct Entry {
    chunk: &'static Chunk,
    home: Home,
    next: OnceLock<Box<Entry>>,
}

impl Homes {
    fn iter(&self) -> impl Iterator<Item = &Home> {
        self.0.iter().flat_map(|first| {
            let mut place = first;
            from_fn(move || {
                let entry = place.get()?;
                place = &entry.next;
                Some(&entry.home)
            })
        })
    }

    fn of(&self, chunk: &'static Chunk) -> &OnceLock<Box<Entry>> {
        &self.0[std::ptr::from_ref(chunk).addr() / size_of::<Chunk>() % self.0.len()]
    }
}

/// The capability to run chunks on a lane; the first parameter of every chunk.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    pub(crate) lane: &'a Inner,
}

impl Cx<'_> {
    /// Opens a node on the named stream, outside any chunk: for operators in code that is not annotated. Everything
    /// is ordered by the buffers' ledgers. The node ends when it is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownStream`] if the lane has no stream of that name.
    pub fn node(&self, stream: &str) -> Result<Node<'_>> {
        self.open(self.lane.stream(stream)?)
    }

    fn open(&self, at: usize) -> Result<Node<'_>> {
        let lane = self.lane;
        let (Some((_, stream)), Some(history)) = (lane.names.get(at), lane.histories.get(at)) else {
            return Err(Error::new(ErrorKind::UnknownStream, "the lane has no streams"));
        };
        let before = history.execute(lane.shared.pool.now());
        Node::open(Opening { shared: &lane.shared, stream, home: lane.outside, before, run: None, ix: 0 })
    }
}

impl fmt::Debug for Cx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.lane.names.iter().map(|(n, s)| (n, &s.label))).finish()
    }
}

impl Cx<'_> {
    /// A buffer of `len` elements whose content is arbitrary, made on the lane's first stream.
    ///
    /// # Errors
    /// As for [`Node::empty`].
    pub fn empty<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.open(0)?.empty(len)
    }

    /// A buffer of `len` elements, all bits zero, made on the lane's first stream.
    ///
    /// # Errors
    /// As for [`Node::empty`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.open(0)?.zeros(len)
    }

    /// A buffer with a copy of `data`, made on the lane's first stream.
    ///
    /// # Errors
    /// As for [`Node::empty`].
    pub fn upload<T: Element>(&self, data: impl Into<Vec<T>>) -> Result<Buffer<T>> {
        self.open(0)?.upload(data)
    }

    /// Starts copying `x` to the host, on the stream that wrote it last.
    ///
    /// # Errors
    /// As for [`Node::view`].
    pub fn read<B: HasBuffer>(&self, x: &B) -> Result<Pending<B::Elem>> {
        let writer = x.buffer().block().map_or(StreamId(0), |b| b.ledger.last_write().0);
        let at = self.lane.names.iter().position(|(_, s)| s.id == writer).unwrap_or(0);
        self.open(at)?.read(x)
    }
}

impl Context for Cx<'_> {
    fn empty<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Cx::empty(self, len)
    }
    fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Cx::zeros(self, len)
    }
    fn upload<T: Element>(&self, data: impl Into<Vec<T>>) -> Result<Buffer<T>> {
        Cx::upload(self, data)
    }
    fn read<B: HasBuffer>(&self, x: &B) -> Result<Pending<B::Elem>> {
        Cx::read(self, x)
    }
}

/// What one chunk remembers on one lane.
pub(crate) struct Home {
    pub(crate) id: HomeId,
    pub(crate) plan: &'static Plan<'static>,
    /// The plan's streams, as the lane binds them.
    pub(crate) streams: Vec<Arc<Stream>>,
    /// One for each node.
    pub(crate) histories: Vec<History>,
    /// Spare slots of runs that have ended.
    pub(crate) slots: Lock<Vec<Slots>>,
}

impl Home {
    fn new(lane: &Inner, chunk: &'static Chunk) -> Result<Self> {
        #[allow(unused_mut)]
        let mut plan = chunk.plan;
        #[cfg(feature = "__testing")]
        if let Some(mutate) = &lane.shared.device.faults.mutate {
            plan = mutate(plan);
        }
        let streams = plan.streams.iter().map(|&name| {
            lane.stream(name).map(|at| lane.names[at].1.clone()).map_err(|e| e.at(plan.chunk, "", name))
        });
        Ok(Home {
            id: lane.shared.pool.add_home(),
            plan,
            streams: streams.collect::<Result<_>>()?,
            histories: plan.nodes.iter().map(|_| History::new(chunk.reuse_lag)).collect(),
            slots: Lock::default(),
        })
    }
}

/// When a node was last executed, by the pool's clock.
pub(crate) enum History {
    /// A lag of 0: whatever is free now may be waited for.
    Now,
    /// A lag of 1. Two threads in the same node at once may each see the other's tick; either is a past execution.
    Last(AtomicU64),
    /// A longer one.
    Several(usize, Mutex<VecDeque<u64>>),
}

impl History {
    fn new(lag: u32) -> Self {
        match lag {
            0 => History::Now,
            1 => History::Last(AtomicU64::new(0)),
            _ => History::Several(lag as usize, Mutex::default()),
        }
    }

    /// Notes an execution, and returns the tick of the `lag`-th last one before it: what came back earlier may be
    /// waited for. 0, which nothing is earlier than, while there were fewer executions.
    #[inline]
    pub(crate) fn execute(&self, now: u64) -> u64 {
        match self {
            History::Now => u64::MAX,
            History::Last(tick) => {
                let before = tick.load(Ordering::Relaxed);
                tick.store(now, Ordering::Relaxed);
                before
            }
            History::Several(lag, ticks) => {
                let mut ticks = ticks.lock();
                ticks.push_back(now);
                if ticks.len() > *lag { ticks.pop_front().unwrap_or(0) } else { 0 }
            }
        }
    }
}

/// Where a run began: tells its own marks from others'.
pub(crate) struct Begin {
    pub(crate) tag: u16,
    pub(crate) plan: &'static Plan<'static>,
    pub(crate) slots: RefCell<Slots>,
}

impl Begin {
    /// See [`Plan::uses_moved_in`].
    pub(crate) fn uses_moved_in(&self, node: NodeIx) -> bool {
        let slots = self.slots.borrow();
        self.plan.uses_moved_in(node, |lease| slots.is_plain(lease))
    }

    pub(crate) fn new(tag: u16, plan: &'static Plan<'static>, slots: Slots) -> Self {
        Begin { tag, plan, slots: RefCell::new(slots) }
    }

    pub(crate) fn origin(&self, node: usize) -> Origin {
        Origin { chunk: self.plan.chunk, node: self.plan.nodes[node].name }
    }

    /// Whether an event of this run comes after `position` but could not cover it, since another thread had a node
    /// open on the stream. Then the plan's wait was made, and the rows do not show it.
    pub(crate) fn contended(&self, stream: StreamId, position: u64) -> bool {
        self.slots.borrow().events().any(|e| e.stream == stream && e.covers < position && position <= e.at)
    }

    /// Whether this run made the mark. Tags come round, positions do not.
    pub(crate) fn made(&self, stream: StreamId, mark: Mark) -> bool {
        mark.tag() == self.tag && self.slots.borrow().began_before(stream, mark.position())
    }
}
