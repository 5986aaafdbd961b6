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
//! came back before the asking node's `reuse_lag`-th last execution (or whose lane is gone); and only if those make 1 MiB in sum. So a loop
//! overlaps as many trips as its lag says, and no run ever waits for what another chunk made for itself.
//!
//! Where several blocks are ready, the smallest that fits is taken, whoever made it, and the asker's own among equals.
//! But who has nothing ready of its own brings its own home before it takes others': else its own would stay away, and
//! the others' would be missed, trip after trip.

mod block;
mod free;
mod homes;
mod pressure;
mod state;

pub(crate) use block::Block;

use crate::backend::Origin;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::Lock;
use crate::mark::{HomeId, Mark};
use crate::shared::Shared;
use crate::stats::Stats;
use crate::timeline::{Device, Stream};
use free::Request;
use state::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks begin and end at multiples of this many bytes, as slabs do: no element may need more.
pub(crate) const ALIGN: usize = 256;
/// Requests up to here share slabs.
const SMALL: usize = 1 << 20;
/// Slabs of small requests.
const SMALL_SLAB: usize = 2 << 20;
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

/// See the module's documentation.
pub(crate) struct Pool {
    state: Lock<State>,
    /// Blocks given back so far: the order in which memory became free.
    clock: AtomicU64,
    release: Release,
    limit: usize,
}

impl Pool {
    pub(crate) fn new(release: Release, limit: usize) -> Self {
        Pool { state: Lock::default(), clock: AtomicU64::new(1), release, limit }
    }

    /// The pool's clock: one tick for each block that comes back.
    pub(crate) fn now(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Takes at least `bytes` for a node, and marks them as written there.
    ///
    /// From here until all blocks have come back the pool holds `runtime`, its own, for [`Held`](crate::shared::Held).
    pub(crate) fn take(&self, runtime: &Arc<Shared>, taker: &Taker<'_>, bytes: usize) -> Result<Box<Block>> {
        let device = &runtime.device;
        let bytes =
            bytes.max(1).checked_next_multiple_of(ALIGN).filter(|&b| b <= isize::MAX as usize).ok_or_else(
                || Error::new(ErrorKind::Invalid, "the buffer is larger than the address space"),
            )?;
        let ask = Request { bytes, small: bytes <= SMALL, stream: taker.stream.id, runtime };
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
    fn find(&self, device: &Device, taker: &Taker<'_>, ask: Request<'_>) -> Result<Box<Block>> {
        let mut state = self.state.lock();
        if self.release == Release::Conservative {
            state.free.poll(device);
        }
        let own = |b: &Block| b.maker == ask.stream && b.home == taker.home;
        let ready = |b: &Block| device.faults.pool_is_blind() || self.is_ready(b, taker.stream);
        let found = state.free.search(ask, own, ready);
        if let Some(found) = found
            && (found.own || state.free.any_above(found, ask, |b| own(b) && ready(b)))
        {
            return Ok(state.take(found, ask));
        }
        if let Some(block) = self.find_home(taker, ask, &mut state) {
            drop(state);
            return self.wait_for(device, taker.stream, block);
        }
        if let Some(found) = found {
            return Ok(state.take(found, ask));
        }
        if let Some(run) = state.free.assemble(ask, ready) {
            return Ok(state.hand_out(run, ask));
        }
        drop(state);
        let refused = match self.grow(device, taker, ask) {
            Some(Err(e)) if e.kind() == ErrorKind::OutOfMemory => Some(e),
            Some(grown) => return grown,
            None => None,
        };
        self.under_pressure(device, taker, ask, refused)
    }

    /// Serves a request from a new slab, if the limit leaves room for one. The device is asked under no lock: a driver
    /// may take its time.
    fn grow(&self, device: &Device, taker: &Taker<'_>, ask: Request<'_>) -> Option<Result<Box<Block>>> {
        let bytes = ask.slab_bytes();
        {
            let mut state = self.state.lock();
            if !self.has_room(&state, ask) {
                return None;
            }
            state.growing += bytes;
        }
        let span = device.backend.take_slab(bytes, taker.stream.raw);
        let mut state = self.state.lock();
        Some(match span {
            Ok(span) => Ok(state.grown(span, device.backend.takes_in_order(), taker, ask)),
            Err(e) => {
                state.growing -= bytes;
                Err(e)
            }
        })
    }

    /// Whether `stream` may write the block as things are.
    fn is_ready(&self, block: &Block, stream: &Stream) -> bool {
        let allowed = match self.release {
            Release::Scheduled => true,
            Release::Conservative => block.maker == stream.id && block.pending.is_empty(),
        };
        allowed && block.ledger.may_write(stream)
    }

    /// Whether a slab for the request stays within the limit.
    fn has_room(&self, state: &State, ask: Request<'_>) -> bool {
        state.memory.reserved.saturating_add(state.growing).saturating_add(ask.slab_bytes()) <= self.limit
    }

    /// A block that may come home by a reuse wait.
    fn find_home(&self, taker: &Taker<'_>, ask: Request<'_>, state: &mut State) -> Option<Box<Block>> {
        if self.release == Release::Conservative {
            return None;
        }
        let stream = taker.stream;
        let State { free, homes, .. } = &mut *state;
        // Whoever used it last: a tensor that goes through three chunks comes home to the one that made it, and
        // nobody takes another's, so no chunk's supply can run dry.
        let home = |b: &Block| {
            let own = b.home == taker.home && b.released < taker.before;
            b.maker == stream.id && (own || homes.is_orphan(b))
        };
        let away = |b: &&Block| home(b) && !b.ledger.may_write(stream);
        if free.iter().filter(away).map(|b| b.bytes).sum::<usize>() < REUSE_FLOOR {
            return None;
        }
        if let Some(found) = free.oldest(ask, home) {
            return Some(state.take(found, ask));
        }
        let run = free.assemble(ask, |b| home(b) || b.ledger.may_write(stream))?;
        Some(state.hand_out(run, ask))
    }

    /// Takes a block back, with its ledger. What it returns must be dropped after the last use of the block's `Held`.
    #[must_use]
    pub(crate) fn give(&self, device: &Device, mut block: Box<Block>) -> Option<Arc<Shared>> {
        device.backend.note_free(block.span());
        let proven = !device.backend.has_failed() && self.prepare(device, &mut block).is_ok();
        let mut state = self.state.lock();
        state.frees += 1;
        if !proven {
            state.keep_back(block.bytes);
            return state.came_in();
        }
        // Only holders of the lock move the clock.
        block.released = self.clock.load(Ordering::Relaxed);
        self.clock.store(block.released + 1, Ordering::Relaxed);
        state.memory.live -= block.bytes;
        state.put_back(block);
        state.came_in()
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
            block.ledger.place(user, line.place_head());
            block.pending.push(stream.record(device, &mut line, 0)?);
        }
        Ok(())
    }

    /// A new home for memory.
    pub(crate) fn add_home(&self) -> HomeId {
        self.state.lock().homes.add()
    }

    /// A lane is gone, and these homes with it.
    pub(crate) fn remove_homes(&self, homes: &[HomeId]) {
        self.state.lock().homes.remove(homes, self.now());
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
            memory: state.memory(),
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

impl Request<'_> {
    fn slab_bytes(self) -> usize {
        if self.small {
            SMALL_SLAB
        } else {
            self.bytes.next_multiple_of(self.runtime.device.backend.slab_grain())
        }
    }
}
