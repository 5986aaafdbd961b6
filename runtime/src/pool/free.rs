//! The free blocks of a pool, and the search among them.
//!
//! Blocks of one size stand in one bin, newest last. Pieces are **not** merged when they come back: merging would
//! make the memory wait for the later of both marks. They are merged when a request finds no single block that
//! serves it but a run of neighbours does.

use super::block::{Block, Blocks};
use crate::mark::StreamId;

/// Blocks of one size.
struct Bin {
    bytes: usize,
    /// Each with whether it is a whole slab.
    blocks: Vec<(Box<Block>, bool)>,
}

/// Free blocks by size.
#[derive(Default)]
pub(super) struct FreeList {
    bins: Vec<Bin>,
    /// Free blocks that are not whole slabs: only they can have neighbours.
    pieces: usize,
}

/// A free piece: slab, address, bytes.
type Piece = (usize, usize, usize);

/// Which blocks may serve a request.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) bytes: usize,
    pub(super) small: bool,
    pub(super) stream: StreamId,
}

impl FreeList {
    pub(super) fn push(&mut self, block: Box<Block>, whole: bool) {
        self.pieces += usize::from(!whole);
        let at = match self.bins.binary_search_by_key(&block.bytes, |b| b.bytes) {
            Ok(at) => at,
            Err(at) => {
                self.bins.insert(at, Bin { bytes: block.bytes, blocks: Vec::new() });
                at
            }
        };
        self.bins[at].blocks.push((block, whole));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Block> {
        self.bins.iter().flat_map(|b| b.blocks.iter().map(|(b, _)| &**b))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        self.bins.iter_mut().flat_map(|b| b.blocks.iter_mut().map(|(b, _)| &mut **b))
    }

    /// Takes out the smallest block for which `usable` holds: one at home on the asking stream before others, the
    /// newest first (its memory is warm).
    pub(super) fn best(
        &mut self,
        ask: Request,
        usable: impl Fn(&Block) -> bool,
    ) -> Option<(Box<Block>, usize)> {
        let from = self.bins.partition_point(|b| b.bytes < ask.bytes);
        for bin in &mut self.bins[from..] {
            let mut found = None;
            for (at, (block, _)) in bin.blocks.iter().enumerate().rev() {
                if block.small == ask.small && usable(block) {
                    if block.maker == ask.stream {
                        found = Some(at);
                        break;
                    }
                    found = found.or(Some(at));
                }
            }
            if let Some(at) = found {
                let (block, whole) = bin.blocks.remove(at);
                self.pieces -= usize::from(!whole);
                return Some((block, 1));
            }
        }
        None
    }

    /// Takes out the block that `usable` holds for and that was given back first, among the smallest that fit.
    pub(super) fn oldest(
        &mut self,
        ask: Request,
        usable: impl Fn(&Block) -> bool,
    ) -> Option<(Box<Block>, usize)> {
        let from = self.bins.partition_point(|b| b.bytes < ask.bytes);
        for bin in &mut self.bins[from..] {
            let fits = bin.blocks.iter().enumerate().filter(|(_, (b, _))| b.small == ask.small && usable(b));
            if let Some((at, _)) = fits.min_by_key(|(_, (b, _))| b.released) {
                let (block, whole) = bin.blocks.remove(at);
                self.pieces -= usize::from(!whole);
                return Some((block, 1));
            }
        }
        None
    }

    /// Takes out a run of neighbours that together serve the request, merged into one: the smallest such run.
    pub(super) fn assemble(
        &mut self,
        ask: Request,
        usable: impl Fn(&Block) -> bool,
    ) -> Option<(Box<Block>, usize)> {
        if self.pieces < 2 {
            return None;
        }
        let mut pieces: Vec<Piece> = self
            .iter()
            .filter(|b| b.small == ask.small && usable(b))
            .map(|b| (b.slab, b.addr, b.bytes))
            .collect();
        pieces.sort_unstable();
        let run = smallest_run(&pieces, ask.bytes)?;
        let mut blocks = run.iter().filter_map(|&(_, addr, bytes)| self.remove(addr, bytes));
        let mut merged = blocks.next()?;
        let rest: Vec<Box<Block>> = blocks.collect();
        self.pieces -= run.len();
        for next in &rest {
            merged.merge(next);
        }
        Some((merged, run.len()))
    }

    /// Takes out every block of a slab.
    pub(super) fn drain_slab(&mut self, slab: usize) -> Blocks {
        let mut out = Vec::new();
        for bin in &mut self.bins {
            for (block, whole) in bin.blocks.extract_if(.., |(b, _)| b.slab == slab) {
                self.pieces -= usize::from(!whole);
                out.push(block);
            }
        }
        out
    }

    fn remove(&mut self, addr: usize, bytes: usize) -> Option<Box<Block>> {
        let bin = self.bins.binary_search_by_key(&bytes, |b| b.bytes).ok()?;
        let at = self.bins[bin].blocks.iter().position(|(b, _)| b.addr == addr)?;
        Some(self.bins[bin].blocks.remove(at).0)
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
