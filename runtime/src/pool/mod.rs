//! The pool of marks: memory that may be given on while the device still uses it.
//!
//! Giving a block back enqueues nothing: it goes into the pool **with its ledger**. Any stream whose row covers all
//! its marks may be given it, and its first write there is ordered by that very row. So there is no stream to free
//! on, nothing to park, and no owner that waits; and which block a request gets follows from the order of the
//! host's calls alone.
//!
//! Memory comes home. A stream that consumes what another one made leaves blocks that the maker is not ordered
//! after. Instead of growing, an allocation may *wait for reuse*: its stream is made to wait for a block's marks.
//! It does so only for blocks that its own chunk on its own lane took, on this stream, whoever used them last, and that
//! came back before the asking node's `reuse_lag`-th last execution; and only if those make 1 MiB in sum. So a loop
//! overlaps as many trips as its lag says, and no run ever waits for what another chunk made for itself.

mod block;
mod free;

pub(crate) use block::Block;
use block::Blocks;

use crate::backend::{Origin, Span};
use crate::error::{Error, ErrorKind, Result};
use crate::mark::{HomeId, Mark, StreamId};
use crate::stats::{Memory, Stats, WaitKind};
use crate::timeline::{Device, Stream, order_after};
use free::{FreeList, Request};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks begin and end at multiples of this many bytes.
const GRAIN: usize = 256;
/// Requests up to here share slabs.
const SMALL: usize = 1 << 20;
/// Slabs of small requests.
const SMALL_SLAB: usize = 2 << 20;
/// Slabs of large requests are multiples of this.
const LARGE_GRAIN: usize = 64 << 10;
/// Blocks that make less than this together are not waited for: growing is cheaper.
const REUSE_FLOOR: usize = 1 << 20;

/// When a block may be given on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Release {
    /// At once, to every stream that is ordered after its last uses. Nothing depends on what the device has
    /// finished, so memory is the same in every run.
    #[default]
    Scheduled,
    /// To the stream that took it only, and if other streams used it, only after the host has seen them finish, as
    /// PyTorch's `record_stream` does. For comparison.
    Conservative,
}

/// Who asks for memory.
pub(crate) struct Taker<'a> {
    pub(crate) stream: &'a Stream,
    /// The chunk and lane that it runs for.
    pub(crate) home: HomeId,
    /// Blocks given back before this tick of the clock may be waited for.
    pub(crate) before: u64,
    pub(crate) mark: Mark,
    pub(crate) origin: Origin,
}

struct Slab {
    span: Span,
    /// Pieces that it is cut into, free or not.
    pieces: usize,
}

#[derive(Default)]
struct State {
    slabs: Vec<Option<Slab>>,
    free: FreeList,
    memory: Memory,
    allocations: u64,
    frees: u64,
    leases_released: u64,
}

/// See the module's documentation.
pub(crate) struct Pool {
    state: Mutex<State>,
    /// Blocks given back so far: the order in which memory became free.
    clock: AtomicU64,
    release: Release,
    limit: usize,
}

impl Pool {
    pub(crate) fn new(release: Release, limit: usize) -> Self {
        Pool { state: Mutex::default(), clock: AtomicU64::new(1), release, limit }
    }

    /// The pool's clock: one tick for each block that comes back.
    pub(crate) fn now(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Takes at least `bytes` for a node, and marks them as written there.
    pub(crate) fn take(&self, device: &Device, taker: &Taker<'_>, bytes: usize) -> Result<Box<Block>> {
        let bytes =
            bytes.max(1).checked_next_multiple_of(GRAIN).filter(|&b| b <= isize::MAX as usize).ok_or_else(
                || Error::new(ErrorKind::Invalid, "the buffer is larger than the address space"),
            )?;
        let ask = Request { bytes, small: bytes <= SMALL, stream: taker.stream.id };
        let mut block = self.find(device, taker, ask)?;
        block.maker = taker.stream.id;
        block.home = taker.home;
        block.pending.clear();
        device.backend.note_alloc(taker.stream.raw, taker.origin, block.span());
        if !device.faults.allocates_unmarked() {
            block.ledger.mark_write(taker.stream.id, taker.mark);
        }
        Ok(block)
    }

    /// A block that the taker's stream may write, from the cheapest source.
    fn find(&self, device: &Device, taker: &Taker<'_>, ask: Request) -> Result<Box<Block>> {
        let mut state = self.state.lock();
        if self.release == Release::Conservative {
            state.poll(device);
        }
        // Its own first, also where that takes a wait: whoever helps itself from others' blocks while its own wait
        // to come home makes them grow, trip after trip.
        if let Some(block) = self.find_ready(device, taker, ask, &mut state, true) {
            return Ok(block);
        }
        if let Some(block) = self.find_home(taker, ask, &mut state) {
            drop(state);
            return self.wait_for(device, taker.stream, block);
        }
        if let Some(block) = self.find_ready(device, taker, ask, &mut state, false) {
            return Ok(block);
        }
        let slab = ask.slab_bytes();
        if state.memory.reserved + slab <= self.limit {
            match state.grow(device, taker.stream, ask) {
                Err(e) if e.kind() == ErrorKind::OutOfMemory => {}
                grown => return grown,
            }
        }
        drop(state);
        self.under_pressure(device, taker, ask)
    }

    /// A block that needs no wait, of the taker's own or of anybody's.
    fn find_ready(
        &self,
        device: &Device,
        taker: &Taker<'_>,
        ask: Request,
        state: &mut State,
        own: bool,
    ) -> Option<Box<Block>> {
        let stream = taker.stream;
        let ready = |b: &Block| match self.release {
            _ if own && (b.maker != stream.id || b.home != taker.home) => false,
            _ if device.faults.pool_is_blind() => true,
            Release::Scheduled => b.ledger.may_write(stream),
            Release::Conservative => b.maker == stream.id && b.pending.is_empty(),
        };
        let found = state.free.best(ask, ready);
        let found = if own { found } else { found.or_else(|| state.free.assemble(ask, ready)) };
        Some(state.hand_out(found?, ask))
    }

    /// A block that may come home by a reuse wait.
    fn find_home(&self, taker: &Taker<'_>, ask: Request, state: &mut State) -> Option<Box<Block>> {
        if self.release == Release::Conservative {
            return None;
        }
        let stream = taker.stream;
        // Whoever used it last: a tensor that goes through three chunks comes home to the one that made it, and
        // nobody takes another's, so no chunk's supply can run dry.
        let home = |b: &Block| b.maker == stream.id && b.home == taker.home && b.released < taker.before;
        let waiting: usize =
            state.free.iter().filter(|b| home(b) && !b.ledger.may_write(stream)).map(|b| b.bytes).sum();
        if waiting < REUSE_FLOOR {
            return None;
        }
        let free = &mut state.free;
        let found = free
            .oldest(ask, home)
            .or_else(|| free.assemble(ask, |b| home(b) || b.ledger.may_write(stream)))?;
        Some(state.hand_out(found, ask))
    }

    /// The limit is reached or the device has no more: wait for whatever fits, oldest first; else give whole slabs
    /// back and grow; else report.
    fn under_pressure(&self, device: &Device, taker: &Taker<'_>, ask: Request) -> Result<Box<Block>> {
        let mut state = self.state.lock();
        let found = state.free.oldest(ask, |_| true).or_else(|| state.free.assemble(ask, |_| true));
        if let Some(found) = found {
            let block = state.hand_out(found, ask);
            drop(state);
            return self.wait_for(device, taker.stream, block);
        }
        let slab = ask.slab_bytes();
        let room = self.limit.saturating_sub(slab);
        let spare = state.take_free_slabs(|memory| memory.reserved > room);
        drop(state);
        self.give_slabs(device, taker.stream, spare)?;
        let mut state = self.state.lock();
        if state.memory.reserved + slab <= self.limit {
            return state.grow(device, taker.stream, ask);
        }
        let memory = state.memory;
        Err(Error::new(
            ErrorKind::OutOfMemory,
            format!(
                "{} bytes do not fit: {} of {} reserved bytes are live, {} kept back, and the limit is {}",
                ask.bytes, memory.live, memory.reserved, memory.kept_back, self.limit
            ),
        )
        .with_bytes(ask.bytes))
    }

    /// Makes `stream` wait for all marks of a block taken out of the free list. No lock of the pool is held.
    fn wait_for(&self, device: &Device, stream: &Stream, block: Box<Block>) -> Result<Box<Block>> {
        match wait_for_marks(device, stream, &block) {
            Ok(()) => Ok(block),
            Err(e) => {
                self.state.lock().keep_back(&block);
                Err(e)
            }
        }
    }

    /// Takes a block back, with its ledger.
    pub(crate) fn give(&self, device: &Device, mut block: Box<Block>) {
        device.backend.note_free(block.span());
        let proven = device.backend.failure().is_none() && self.prepare(device, &mut block).is_ok();
        let mut state = self.state.lock();
        state.frees += 1;
        if !proven {
            state.keep_back(&block);
            return;
        }
        // Only holders of the lock move the clock.
        block.released = self.clock.load(Ordering::Relaxed);
        self.clock.store(block.released + 1, Ordering::Relaxed);
        state.memory.live -= block.bytes;
        if !block.pending.is_empty() {
            state.memory.pending += block.bytes;
        }
        state.put_back(block);
    }

    /// Conservative release: one event for each other stream that used the block, at that stream's head.
    fn prepare(&self, device: &Device, block: &mut Block) -> Result<()> {
        if self.release == Release::Scheduled || block.ledger.is_only_of(block.maker) {
            return Ok(());
        }
        let mut users = Vec::new();
        block.ledger.each_mark(|stream, _| {
            if stream != block.maker && !users.contains(&stream) {
                users.push(stream);
            }
        });
        for user in users {
            let stream = device.stream(user);
            let mut line = stream.lock();
            block.pending.push(stream.record(device, &mut line, 0)?);
        }
        Ok(())
    }

    /// Gives whole free slabs back to the device, in the order of `stream`.
    pub(crate) fn trim(&self, device: &Device, stream: &Stream) -> Result<()> {
        let spare = self.state.lock().take_free_slabs(|_| true);
        self.give_slabs(device, stream, spare)
    }

    fn give_slabs(&self, device: &Device, stream: &Stream, slabs: Vec<(Span, Blocks)>) -> Result<()> {
        for (span, blocks) in slabs {
            for block in &blocks {
                if let Err(e) = wait_for_marks(device, stream, block) {
                    self.state.lock().memory.kept_back += span.len();
                    return Err(e);
                }
            }
            device.backend.give_slab(span, stream.raw)?;
        }
        Ok(())
    }

    /// Counts leases that steps of plans have ended.
    pub(crate) fn note_released(&self, leases: u64) {
        if leases > 0 {
            self.state.lock().leases_released += leases;
        }
    }

    /// The pool's part of the statistics.
    pub(crate) fn stats(&self) -> Stats {
        let state = self.state.lock();
        Stats {
            memory: state.memory,
            allocations: state.allocations,
            frees: state.frees,
            leases_released: state.leases_released,
            ..Stats::default()
        }
    }

    /// Starts the peaks anew from what is held now.
    pub(crate) fn reset_peaks(&self) {
        let mut state = self.state.lock();
        state.memory.peak_live = state.memory.live;
        state.memory.peak_reserved = state.memory.reserved;
    }
}

impl Request {
    fn slab_bytes(self) -> usize {
        if self.small { SMALL_SLAB } else { self.bytes.next_multiple_of(LARGE_GRAIN) }
    }
}

/// Makes `stream` wait for every mark, the latest first: its event may bring the others along.
fn wait_for_marks(device: &Device, stream: &Stream, block: &Block) -> Result<()> {
    let mut marks: Vec<(StreamId, Mark)> = Vec::new();
    block.ledger.each_mark(|stream, mark| marks.push((stream, mark)));
    marks.sort_by_key(|(_, mark)| std::cmp::Reverse(*mark));
    marks
        .iter()
        .try_for_each(|&(user, mark)| order_after(device, stream, user, mark.position(), WaitKind::Reuse))
}

impl State {
    /// Counts a block (merged from `pieces`) as held, less the tail that the request does not need.
    fn hand_out(&mut self, (mut block, pieces): (Box<Block>, usize), ask: Request) -> Box<Block> {
        let rest = block.bytes - ask.bytes;
        let cut = rest >= if ask.small { GRAIN } else { SMALL };
        let memory = &mut self.memory;
        self.allocations += 1;
        if !block.pending.is_empty() {
            memory.pending -= block.bytes;
        }
        if let Some(slab) = &mut self.slabs[block.slab] {
            slab.pieces = slab.pieces + 1 + usize::from(cut) - pieces;
        }
        if cut {
            let rest = block.split(ask.bytes);
            if !rest.pending.is_empty() {
                memory.pending += rest.bytes;
            }
            self.put_back(rest);
        }
        let memory = &mut self.memory;
        memory.live += block.bytes;
        memory.peak_live = memory.peak_live.max(memory.live);
        block
    }

    fn put_back(&mut self, block: Box<Block>) {
        let whole = self.slabs[block.slab].as_ref().is_some_and(|s| s.pieces == 1);
        self.free.push(block, whole);
    }

    fn keep_back(&mut self, block: &Block) {
        self.memory.live -= block.bytes;
        self.memory.kept_back += block.bytes;
    }

    fn grow(&mut self, device: &Device, stream: &Stream, ask: Request) -> Result<Box<Block>> {
        let span = device.backend.take_slab(ask.slab_bytes(), stream.raw)?;
        let at = self.slabs.iter().position(Option::is_none).unwrap_or_else(|| {
            self.slabs.push(None);
            self.slabs.len() - 1
        });
        self.slabs[at] = Some(Slab { span: span.clone(), pieces: 1 });
        self.memory.reserved += span.len();
        self.memory.peak_reserved = self.memory.peak_reserved.max(self.memory.reserved);
        let block = Block::new(span, at, ask.small, stream.id);
        Ok(self.hand_out((block, 1), ask))
    }

    /// Takes slabs that are free as a whole out of the pool while `more` are wanted.
    fn take_free_slabs(&mut self, more: impl Fn(&Memory) -> bool) -> Vec<(Span, Blocks)> {
        let mut free = vec![0; self.slabs.len()];
        self.free.iter().for_each(|b| free[b.slab] += 1);
        let mut out = Vec::new();
        for (at, free) in free.into_iter().enumerate() {
            let Some(slab) = self.slabs[at].take_if(|slab| slab.pieces == free && more(&self.memory)) else {
                continue;
            };
            let blocks = self.free.drain_slab(at);
            self.memory.reserved -= slab.span.len();
            self.memory.pending -=
                blocks.iter().filter(|b| !b.pending.is_empty()).map(|b| b.bytes).sum::<usize>();
            out.push((slab.span, blocks));
        }
        out
    }

    /// Conservative release: asks the device about blocks that other streams used.
    fn poll(&mut self, device: &Device) {
        for block in self.free.iter_mut().filter(|b| !b.pending.is_empty()) {
            if block.pending.iter().all(|e| device.backend.query(&e.raw).unwrap_or(false)) {
                block.pending.clear();
                self.memory.pending -= block.bytes;
            }
        }
    }
}
