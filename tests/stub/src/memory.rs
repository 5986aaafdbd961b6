//! Device memory: blocks of the host's, reused as a driver's pool reuses them.

use crate::queue::{Point, Queues};
use std::alloc::{Layout, alloc};
use std::collections::BTreeMap;

/// Larger blocks are refused: the device has so many bytes.
const DEVICE: usize = 1 << 38;
const ALIGN: usize = 256;
/// What new memory holds.
const FRESH: u8 = 0xAB;

/// Blocks by address. None is ever given back to the system, so that a stray access of a program under test is that
/// program's fault and not a crash.
#[derive(Default)]
pub(crate) struct Memory {
    /// Out, with their sizes.
    taken: BTreeMap<u64, usize>,
    /// Back, with their sizes and the points after which they are free.
    free: Vec<(u64, usize, Point)>,
}

impl Memory {
    /// A block for the use of a stream: one that was given back in that stream's order, or that is done with; else a new
    /// one.
    pub(crate) fn take(&mut self, bytes: usize, stream: u64, queues: &Queues) -> Option<u64> {
        let usable = |&(_, size, point): &(u64, usize, Point)| {
            size == bytes && (point.stream == stream || queues.is_done(point))
        };
        let address = match self.free.iter().position(usable) {
            Some(at) => self.free.swap_remove(at).0,
            None => fresh(bytes)?,
        };
        self.taken.insert(address, bytes);
        Some(address)
    }

    /// The size of a block that comes back; none if it is not out.
    pub(crate) fn give(&mut self, address: u64) -> Option<usize> {
        self.taken.remove(&address)
    }

    /// The block is free after this point.
    pub(crate) fn is_free(&mut self, address: u64, bytes: usize, point: Point) {
        self.free.push((address, bytes, point));
    }
}

/// New memory of the system's.
pub(crate) fn fresh(bytes: usize) -> Option<u64> {
    let layout = Layout::from_size_align(bytes.max(1), ALIGN).ok().filter(|layout| layout.size() < DEVICE)?;
    // SAFETY: the size is not 0.
    let at = unsafe { alloc(layout) };
    if at.is_null() {
        return None;
    }
    // SAFETY: the block has that size.
    unsafe { at.write_bytes(FRESH, bytes) };
    Some(at.expose_provenance() as u64)
}
