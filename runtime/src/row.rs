//! A stream's row: up to which position of every other stream it is ordered.
//!
//! Rows only grow, and only after the call that makes the order true has succeeded. Whoever reads a raised entry
//! (acquire) therefore enqueues behind that call. Everybody may read; only who holds the stream's lock raises, so a
//! look and a store do what an atomic maximum would, at a tenth of the cost.

use crate::mark::StreamId;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const PAGE: usize = 64;
/// Streams that one runtime can make during its life.
pub(crate) const MAX_STREAMS: usize = PAGE * PAGES;
const PAGES: usize = 256;

type Page = [AtomicU64; PAGE];

/// See the module's documentation.
pub(crate) struct Row {
    /// Entries of the first streams, without a detour.
    first: Page,
    /// The others, made when they are first raised.
    more: Box<[OnceLock<Box<Page>>]>,
}

fn page() -> Page {
    [const { AtomicU64::new(0) }; PAGE]
}

impl Row {
    pub(crate) fn new() -> Self {
        Row { first: page(), more: (1..PAGES).map(|_| OnceLock::new()).collect() }
    }

    /// The position of `stream` up to which this row's stream is ordered; 0 if it is not ordered after any.
    #[inline]
    pub(crate) fn get(&self, stream: StreamId) -> u64 {
        let ix = stream.ix();
        match self.first.get(ix) {
            Some(entry) => entry.load(Ordering::Acquire),
            None => self.more[ix / PAGE - 1].get().map_or(0, |p| p[ix % PAGE].load(Ordering::Acquire)),
        }
    }

    /// Raises one entry. The caller holds the lock of the row's stream.
    #[inline]
    pub(crate) fn raise(&self, stream: StreamId, position: u64) {
        let ix = stream.ix();
        let entry = match self.first.get(ix) {
            Some(entry) => entry,
            None if position == 0 => return,
            None => &self.more[ix / PAGE - 1].get_or_init(|| Box::new(page()))[ix % PAGE],
        };
        if entry.load(Ordering::Relaxed) < position {
            entry.store(position, Ordering::Release);
        }
    }

    /// Writes the entries of the first `streams` streams into `out`.
    pub(crate) fn snapshot(&self, streams: usize, out: &mut Vec<u64>) {
        out.clear();
        let inline = streams.min(PAGE);
        out.extend(self.first[..inline].iter().map(|entry| entry.load(Ordering::Acquire)));
        out.extend((inline..streams).map(|ix| self.get(StreamId(ix as u16))));
    }
}
