//! The free blocks of a pool, and the search among them.
//!
//! Blocks of one size stand in one bin, newest last. Pieces are **not** merged when they come back: merging would
//! make the memory wait for the later of both marks. They are merged when a request finds no single block that
//! serves it but a run of neighbours does.

use super::block::{Block, Blocks};
use crate::mark::StreamId;
use crate::shared::Shared;
use crate::timeline::Device;
use std::sync::Arc;

/// Blocks of one size.
struct Bin {
    bytes: usize,
    blocks: Blocks,
}

/// Free blocks by size.
#[derive(Default)]
pub(super) struct FreeList {
    bins: Vec<Bin>,
    /// Free blocks that are not whole slabs: only they can have neighbours.
    pieces: usize,
    /// Bytes of blocks that wait for events to be seen complete.
    pending: usize,
}

/// A free piece: slab, address, bytes.
type Piece = (usize, usize, usize);

/// Which blocks may serve a request, and whose it is.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) bytes: usize,
    pub(super) small: bool,
    pub(super) stream: StreamId,
    pub(super) runtime: &'a Arc<Shared>,
}

/// Where a search has found a block; good until the list changes.
#[derive(Clone, Copy)]
pub(super) struct Place {
    bin: usize,
    at: usize,
    /// Whether it is the asker's own.
    pub(super) own: bool,
}

impl FreeList {
    pub(super) fn push(&mut self, block: Box<Block>) {
        self.pieces += usize::from(!block.whole);
        self.pending += block.pending_bytes();
        let at = match self.bins.binary_search_by_key(&block.bytes, |b| b.bytes) {
            Ok(at) => at,
            Err(_) => self.add_bin(block.bytes),
        };
        self.bins[at].blocks.push(block);
    }

    /// A bin for a size that has none yet. Those of sizes that have gone out of use are swept when they are many: a slab
    /// that is cut up has a rest of another size each time.
    #[cold]
    fn add_bin(&mut self, bytes: usize) -> usize {
        let empty = self.bins.iter().filter(|b| b.blocks.is_empty()).count();
        if empty >= 8 && empty > self.bins.len() / 2 {
            self.bins.retain(|b| !b.blocks.is_empty());
        }
        let at = self.bins.partition_point(|b| b.bytes < bytes);
        self.bins.insert(at, Bin { bytes, blocks: Vec::new() });
        at
    }

    /// Takes a block out.
    pub(super) fn remove(&mut self, place: Place) -> Box<Block> {
        let block = self.bins[place.bin].blocks.remove(place.at);
        self.pieces -= usize::from(!block.whole);
        self.pending -= block.pending_bytes();
        block
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Block> {
        self.bins.iter().flat_map(|b| b.blocks.iter().map(|b| &**b))
    }

    pub(super) fn pending(&self) -> usize {
        self.pending
    }

    /// The smallest block that is `ready`: the asker's `own` before others, then one that its stream took last, then the
    /// newest (its memory is warm).
    pub(super) fn search(
        &self,
        ask: Request<'_>,
        own: impl Fn(&Block) -> bool,
        ready: impl Fn(&Block) -> bool,
    ) -> Option<Place> {
        let from = self.bins.partition_point(|b| b.bytes < ask.bytes);
        (from..).zip(&self.bins[from..]).find_map(|(bin, blocks)| {
            let mut best: Option<(u8, Place)> = None;
            for (at, block) in blocks.blocks.iter().enumerate().rev() {
                let own = own(block);
                let rank = u8::from(own) * 2 + u8::from(block.maker == ask.stream);
                // The rank first: it is cheaper to find than whether the block is ready.
                if best.is_none_or(|(found, _)| rank > found) && block.small == ask.small && ready(block) {
                    best = Some((rank, Place { bin, at, own }));
                    if own {
                        break;
                    }
                }
            }
            best.map(|(_, place)| place)
        })
    }

    /// Whether `usable` holds for any block larger than the one found.
    pub(super) fn any_above(&self, found: Place, ask: Request<'_>, usable: impl Fn(&Block) -> bool) -> bool {
        self.bins[found.bin + 1..].iter().flat_map(|b| &b.blocks).any(|b| b.small == ask.small && usable(b))
    }

    /// The block that `usable` holds for and that was given back first, among the smallest that fit.
    pub(super) fn oldest(&self, ask: Request<'_>, usable: impl Fn(&Block) -> bool) -> Option<Place> {
        let from = self.bins.partition_point(|b| b.bytes < ask.bytes);
        (from..).zip(&self.bins[from..]).find_map(|(bin, blocks)| {
            let fits = blocks.blocks.iter().enumerate().filter(|(_, b)| b.small == ask.small && usable(b));
            fits.min_by_key(|(_, b)| b.released).map(|(at, _)| Place { bin, at, own: false })
        })
    }

    /// Takes out a run of neighbours that together serve the request, merged into one: the smallest such run.
    pub(super) fn assemble(
        &mut self,
        ask: Request<'_>,
        usable: impl Fn(&Block) -> bool,
    ) -> Option<(Box<Block>, usize)> {
        if self.pieces < 2 {
            return None;
        }
        let usable = self.iter().filter(|b| b.small == ask.small && usable(b));
        let mut pieces: Vec<Piece> = usable.map(|b| (b.slab, b.addr, b.bytes)).collect();
        pieces.sort_unstable();
        let run = smallest_run(&pieces, ask.bytes)?;
        let mut blocks = run.iter().filter_map(|&piece| Some(self.remove(self.place(piece)?)));
        let mut merged = blocks.next()?;
        blocks.for_each(|next| merged.merge(&next));
        Some((merged, run.len()))
    }

    /// Takes out every block of a slab.
    pub(super) fn drain_slab(&mut self, slab: usize) -> Blocks {
        let mut out = Vec::new();
        for bin in &mut self.bins {
            out.extend(bin.blocks.extract_if(.., |b| b.slab == slab));
        }
        for block in &out {
            self.pieces -= usize::from(!block.whole);
            self.pending -= block.pending_bytes();
        }
        out
    }

    /// Conservative release: asks the device about blocks that other streams used, and forgets the uses that it has
    /// finished.
    pub(super) fn poll(&mut self, device: &Device) {
        if self.pending == 0 {
            return;
        }
        for block in self.bins.iter_mut().flat_map(|b| &mut b.blocks).filter(|b| !b.pending.is_empty()) {
            let bytes = block.bytes;
            block.pending.retain(|event| {
                let done = device.backend.query(&event.raw).unwrap_or(false);
                if done {
                    block.ledger.forget(event.stream, event.covers);
                }
                !done
            });
            if block.pending.is_empty() {
                self.pending -= bytes;
            }
        }
    }

    fn place(&self, (_, addr, bytes): Piece) -> Option<Place> {
        let bin = self.bins.binary_search_by_key(&bytes, |b| b.bytes).ok()?;
        let at = self.bins[bin].blocks.iter().position(|b| b.addr == addr)?;
        Some(Place { bin, at, own: false })
    }
}

/// The run of neighbours with the least bytes that still has `bytes`; `pieces` are sorted by slab and address.
fn smallest_run(pieces: &[Piece], bytes: usize) -> Option<&[Piece]> {
    let mut best: Option<(usize, &[Piece])> = None;
    let (mut from, mut sum) = (0, 0);
    for at in 0..pieces.len() {
        let (slab, addr, size) = pieces[at];
        if at > 0 {
            let (before, start, len) = pieces[at - 1];
            if before != slab || start + len != addr {
                (from, sum) = (at, 0);
            }
        }
        sum += size;
        while sum - pieces[from].2 >= bytes {
            sum -= pieces[from].2;
            from += 1;
        }
        if sum >= bytes && best.is_none_or(|(least, _)| sum < least) {
            best = Some((sum, &pieces[from..=at]));
        }
    }
    best.map(|(_, run)| run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_run_is_within_one_slab_and_without_gaps() {
        let pieces = [(0, 0, 4), (0, 4, 4), (0, 12, 8), (1, 20, 4), (1, 24, 2), (1, 26, 3)];
        assert_eq!(smallest_run(&pieces, 8), Some(&pieces[..2]).filter(|r| r.len() == 2));
        assert_eq!(smallest_run(&pieces, 5), Some(&pieces[4..]));
        assert_eq!(smallest_run(&pieces, 9), Some(&pieces[3..]));
        assert_eq!(smallest_run(&pieces, 10), None);
    }
}
