//! The uses of each place that still matter.
//!
//! A write of a place (its birth, `&mut`, being taken) comes after every earlier use of it and of the places
//! within it, so whoever comes after the write comes after those: they are *superseded* and forgotten. A use of a
//! place is stored with it **and with every place inside it**; whoever asks looks at its own place and at those
//! inside. So a write of a part supersedes, for that part alone, what is said of the whole.
//!
//! Where paths meet, what is open on either stays open.

use std::rc::Rc;

use super::Reason;
use crate::body::{Chunk, Mode, NodeIx, PlaceIx, StreamIx};
use crate::nest::Nest;
use crate::uses::Planned;
use streamlease_plan::Need;

/// The open uses of one place.
#[derive(Debug, Clone, Default, PartialEq)]
struct Open {
    /// The last writes, one on each path that met; none if a called chunk came later.
    writers: Vec<NodeIx>,
    /// The last read on each stream since then, on each path.
    readers: Vec<NodeIx>,
}

/// The open uses of all places.
#[derive(Clone, PartialEq)]
pub(super) struct Accesses {
    open: Vec<Rc<Open>>,
}

impl Accesses {
    pub(super) fn new(chunk: &Chunk) -> Accesses {
        Accesses { open: vec![Rc::default(); chunk.places.len()] }
    }

    pub(super) fn join(&mut self, other: &Accesses) {
        for (mine, other) in self.open.iter_mut().zip(&other.open) {
            if Rc::ptr_eq(mine, other) || mine == other {
                continue;
            }
            let mine = Rc::make_mut(mine);
            join(&mut mine.writers, &other.writers);
            join(&mut mine.readers, &other.readers);
        }
    }

    /// The nodes that must come before a node with these uses, and why.
    pub(super) fn needs(&self, nest: &Nest, uses: &[Planned]) -> Vec<(NodeIx, Reason)> {
        let mut needs = Vec::new();
        for u in uses {
            let (after_write, after_read) = match u.mode {
                Mode::Read => (Need::Written, None),
                Mode::Write => (Need::WriteAfterWrite, Some(Need::WriteAfterRead)),
                Mode::Consume => (Need::Written, Some(Need::TakenWhileRead)),
            };
            let mut need = |node, need| {
                let new = (node, Reason { place: u.place, need });
                if !needs.contains(&new) {
                    needs.push(new);
                }
            };
            for open in self.of(nest, u.place) {
                open.writers.iter().for_each(|&n| need(n, after_write));
                if let Some(after_read) = after_read {
                    open.readers.iter().for_each(|&n| need(n, after_read));
                }
            }
        }
        needs
    }

    /// Whoever last wrote a place or a part of it.
    pub(super) fn last_writers(&self, nest: &Nest, place: PlaceIx) -> Vec<NodeIx> {
        self.of(nest, place).flat_map(|open| open.writers.iter().copied()).collect()
    }

    /// The open uses of a place and of those within it.
    fn of<'s>(&'s self, nest: &'s Nest, place: PlaceIx) -> impl Iterator<Item = &'s Open> {
        std::iter::once(place).chain(nest.within(place).iter().copied()).map(|p| &*self.open[p])
    }

    /// A node has read a place.
    pub(super) fn read(&mut self, nest: &Nest, stream_of: &[StreamIx], node: NodeIx, place: PlaceIx) {
        for p in std::iter::once(place).chain(nest.within(place).iter().copied()) {
            let readers = &mut Rc::make_mut(&mut self.open[p]).readers;
            readers.retain(|&r| stream_of[r] != stream_of[node]);
            readers.push(node);
        }
    }

    /// A node has written, made or taken a place.
    pub(super) fn wrote(&mut self, nest: &Nest, node: NodeIx, place: PlaceIx) {
        let open = Rc::new(Open { writers: vec![node], readers: Vec::new() });
        self.open[place] = open.clone();
        nest.within(place).iter().for_each(|&p| self.open[p] = open.clone());
    }

    /// A called chunk may have written a place; what it waited for is the storage's own affair.
    pub(super) fn supersede(&mut self, nest: &Nest, place: PlaceIx) {
        self.forget(place);
        nest.within(place).iter().for_each(|&p| self.forget(p));
    }

    /// A place has a new value, on which nobody has worked yet.
    pub(super) fn forget(&mut self, place: PlaceIx) {
        self.open[place] = Rc::default();
    }
}

/// Adds what is not there yet; sorted, so that states compare.
pub(super) fn join(mine: &mut Vec<NodeIx>, other: &[NodeIx]) {
    mine.extend(other);
    mine.sort_unstable();
    mine.dedup();
}
