//! What the pool's lock protects: slabs, free blocks, and the counts.

use super::block::{Block, Blocks};
use super::free::{FreeList, Place, Request};
use super::homes::Homes;
use super::{ALIGN, SMALL, Taker};
use crate::backend::Span;
use crate::shared::Shared;
use crate::stats::Memory;
use std::sync::Arc;

struct Slab {
    span: Span,
    /// Pieces that it is cut into, free or not.
    pieces: usize,
}

/// A slab that is free as a whole, taken out of the pool.
pub(super) struct Spare {
    slab: Slab,
    pub(super) blocks: Blocks,
}

impl Spare {
    pub(super) fn span(&self) -> Span {
        self.slab.span.clone()
    }

    /// When the last of it came back, by the pool's clock.
    fn released(&self) -> u64 {
        self.blocks.iter().map(|b| b.released).max().unwrap_or(0)
    }
}

#[derive(Default)]
pub(super) struct State {
    slabs: Vec<Option<Slab>>,
    pub(super) free: FreeList,
    pub(super) homes: Homes,
    /// Bytes that the device is being asked for.
    pub(super) growing: usize,
    /// All but what is pending, which the free list knows.
    pub(super) memory: Memory,
    pub(super) allocations: u64,
    pub(super) frees: u64,
    pub(super) leases_released: u64,
    /// Blocks that are out, and the runtime for as long as there are any: buffers point to it without a count.
    out: usize,
    runtime: Option<Arc<Shared>>,
}

impl State {
    pub(super) fn memory(&self) -> Memory {
        Memory { pending: self.free.pending(), ..self.memory }
    }

    /// Hands out a block that a search has found.
    pub(super) fn take(&mut self, found: Place, ask: Request<'_>) -> Box<Block> {
        let block = self.free.remove(found);
        self.hand_out((block, 1), ask)
    }

    /// Counts a block (merged from `pieces`) as held, less the tail that the request does not need.
    pub(super) fn hand_out(
        &mut self,
        (mut block, pieces): (Box<Block>, usize),
        ask: Request<'_>,
    ) -> Box<Block> {
        let rest = block.bytes - ask.bytes;
        let cut = rest >= if ask.small { ALIGN } else { SMALL };
        if let Some(slab) = &mut self.slabs[block.slab] {
            slab.pieces = slab.pieces + 1 + usize::from(cut) - pieces;
        }
        if cut {
            let rest = block.split(ask.bytes);
            self.put_back(rest);
        }
        if self.out == 0 {
            self.runtime = Some(ask.runtime.clone());
        }
        self.out += 1;
        self.allocations += 1;
        let memory = &mut self.memory;
        memory.live += block.bytes;
        memory.peak_live = memory.peak_live.max(memory.live);
        block
    }

    /// A block is out no longer. If it was the last one, the caller gets what has kept the runtime, to be dropped when
    /// it has let go of the pool's lock and of the block's own pointer to the runtime.
    pub(super) fn came_in(&mut self) -> Option<Arc<Shared>> {
        self.out -= 1;
        if self.out == 0 { self.runtime.take() } else { None }
    }

    pub(super) fn put_back(&mut self, mut block: Box<Block>) {
        block.whole = self.slabs[block.slab].as_ref().is_some_and(|s| s.pieces == 1);
        self.free.push(block);
    }

    /// Live memory is never to be used again. It stays reserved, and so does its slab.
    pub(super) fn keep_back(&mut self, bytes: usize) {
        self.memory.live -= bytes;
        self.memory.kept_back += bytes;
    }

    /// Serves a request from a slab that has just come from the device.
    pub(super) fn grown(
        &mut self,
        span: Span,
        in_order: bool,
        taker: &Taker<'_>,
        ask: Request<'_>,
    ) -> Box<Block> {
        self.growing -= span.len();
        self.reserve(span.len());
        let slab = self.add(Slab { span: span.clone(), pieces: 1 });
        let block = Block::new(span, slab, ask.small, taker.stream.id);
        if in_order {
            // What is cut off keeps the mark: no other stream may have it before the slab is there.
            block.ledger.mark_write(taker.stream.id, taker.mark);
        }
        self.hand_out((block, 1), ask)
    }

    fn reserve(&mut self, bytes: usize) {
        self.memory.reserved += bytes;
        self.memory.peak_reserved = self.memory.peak_reserved.max(self.memory.reserved);
    }

    fn add(&mut self, slab: Slab) -> usize {
        let at = self.slabs.iter().position(Option::is_none).unwrap_or_else(|| {
            self.slabs.push(None);
            self.slabs.len() - 1
        });
        self.slabs[at] = Some(slab);
        at
    }

    /// Takes slabs that are free as a whole out of the pool, those that came back first before others, while `more`
    /// are wanted.
    pub(super) fn take_free_slabs(&mut self, more: impl Fn(&Memory) -> bool) -> Vec<Spare> {
        let mut free = vec![0; self.slabs.len()];
        self.free.iter().for_each(|b| free[b.slab] += 1);
        let whole =
            (0..free.len()).filter(|&at| self.slabs[at].as_ref().is_some_and(|s| s.pieces == free[at]));
        let whole: Vec<usize> = whole.collect();
        let mut spares: Vec<Spare> = Vec::new();
        for at in whole {
            let blocks = self.free.drain_slab(at);
            spares.extend(self.slabs[at].take().map(|slab| Spare { slab, blocks }));
        }
        spares.sort_by_key(Spare::released);
        let mut out = Vec::new();
        for spare in spares {
            if more(&self.memory) {
                self.memory.reserved -= spare.slab.span.len();
                out.push(spare);
            } else {
                self.restore(spare);
            }
        }
        out
    }

    /// Takes a slab in again that has not gone back after all.
    pub(super) fn give_up(&mut self, spare: Spare) {
        self.reserve(spare.slab.span.len());
        self.restore(spare);
    }

    /// A slab may be gone or not: it is never to be used again.
    pub(super) fn lose(&mut self, bytes: usize) {
        self.reserve(bytes);
        self.memory.kept_back += bytes;
    }

    fn restore(&mut self, Spare { slab, blocks }: Spare) {
        let at = self.add(slab);
        for mut block in blocks {
            block.slab = at;
            self.free.push(block);
        }
    }
}
