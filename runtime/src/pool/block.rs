//! A piece of a slab.

use crate::backend::Span;
use crate::ledger::Ledger;
use crate::mark::{HomeId, StreamId};
use crate::timeline::Event;
use std::sync::Arc;

/// A piece of a slab: held by a buffer, or free with the marks of its last uses.
pub(crate) struct Block {
    pub(crate) addr: usize,
    pub(crate) bytes: usize,
    /// The slab it is a piece of.
    pub(crate) slab: usize,
    /// Whether it serves small requests.
    pub(crate) small: bool,
    /// Whether it was a whole slab when it was given back.
    pub(crate) whole: bool,
    /// The stream that took it last: where its memory is at home.
    pub(crate) maker: StreamId,
    /// The chunk and lane that took it last.
    pub(crate) home: HomeId,
    /// The pool's clock when it was given back.
    pub(crate) released: u64,
    /// Conservative release: events of other streams that must be seen complete first.
    pub(crate) pending: Vec<Arc<Event>>,
    pub(crate) ledger: Ledger,
}

/// Blocks stay boxed: a buffer holds the very box that the free list gives it.
#[allow(clippy::vec_box)]
pub(crate) type Blocks = Vec<Box<Block>>;

impl Block {
    pub(crate) fn new(span: Span, slab: usize, small: bool, maker: StreamId) -> Box<Self> {
        Box::new(Block {
            addr: span.start,
            bytes: span.len(),
            slab,
            small,
            whole: true,
            maker,
            home: HomeId::default(),
            released: 0,
            pending: Vec::new(),
            ledger: Ledger::default(),
        })
    }

    /// Its bytes, if it waits for events to be seen complete.
    pub(crate) fn pending_bytes(&self) -> usize {
        if self.pending.is_empty() { 0 } else { self.bytes }
    }

    pub(crate) fn span(&self) -> Span {
        self.addr..self.addr + self.bytes
    }

    /// Cuts off everything behind the first `bytes`; both pieces keep the marks.
    pub(crate) fn split(&mut self, bytes: usize) -> Box<Self> {
        let rest = Box::new(Block {
            addr: self.addr + bytes,
            bytes: self.bytes - bytes,
            slab: self.slab,
            small: self.small,
            whole: false,
            maker: self.maker,
            home: self.home,
            released: self.released,
            pending: self.pending.clone(),
            ledger: self.ledger.copy(),
        });
        self.bytes = bytes;
        rest
    }

    /// Takes in the piece right behind; what is left must be waited for as both were.
    pub(crate) fn merge(&mut self, next: &Block) {
        debug_assert!(self.slab == next.slab && self.addr + self.bytes == next.addr);
        self.bytes += next.bytes;
        self.released = self.released.max(next.released);
        self.pending.extend(next.pending.iter().cloned());
        self.ledger.absorb(&next.ledger);
    }
}
