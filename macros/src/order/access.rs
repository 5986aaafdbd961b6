//! The uses of each place that still matter.
//!
//! A write of a place (its birth, `&mut`, being taken) comes after every earlier use of it and of the places
//! within it, so whoever comes after the write comes after those: they are *superseded* and forgotten. Uses of a
//! place around it are not: they also speak of its other parts. For the written place alone they are superseded
//! too, which is what `cut` says: nodes before it no longer matter there.

use super::Reason;
use crate::body::{Chunk, Mode, NodeIx, Origin, PlaceIx, StreamIx};
use crate::nest::Nest;
use crate::uses::Planned;
use streamlease_plan::Need;

/// The open uses of one place.
#[derive(Debug, Clone, Default)]
struct Open {
    /// The last write, unless superseded by one of a place around it or by a called chunk.
    writer: Option<NodeIx>,
    /// The last read on each stream since then.
    readers: Vec<NodeIx>,
    /// Uses of places around this one by nodes before this one do not matter here.
    cut: NodeIx,
}

/// The open uses of all places.
pub(super) struct Accesses<'a> {
    chunk: &'a Chunk,
    nest: &'a Nest,
    stream_of: Vec<StreamIx>,
    open: Vec<Open>,
}

impl<'a> Accesses<'a> {
    pub(super) fn new(chunk: &'a Chunk, nest: &'a Nest, stream_of: Vec<StreamIx>) -> Accesses<'a> {
        Accesses { chunk, nest, stream_of, open: vec![Open::default(); chunk.places.len()] }
    }

    /// The nodes that must come before a node with these uses, and why.
    pub(super) fn needs(&self, uses: &[Planned]) -> Vec<(NodeIx, Reason)> {
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
            self.for_each_open(u.place, |open, cut| {
                open.writer.filter(|&n| n >= cut).into_iter().for_each(|n| need(n, after_write));
                if let Some(after_read) = after_read {
                    open.readers.iter().filter(|&&n| n >= cut).for_each(|&n| need(n, after_read));
                }
            });
        }
        needs
    }

    /// Whoever last wrote a place or a part of it.
    pub(super) fn last_writers(&self, place: PlaceIx) -> Vec<NodeIx> {
        let mut writers = Vec::new();
        self.for_each_open(place, |open, cut| writers.extend(open.writer.filter(|&n| n >= cut)));
        writers
    }

    /// Visits the open uses of every overlapping place, with the first node that matters there.
    fn for_each_open(&self, place: PlaceIx, mut visit: impl FnMut(&Open, NodeIx)) {
        let around = self.nest.around(place);
        let cut = around.iter().map(|&p| self.open[p].cut).max().unwrap_or(0);
        around.iter().for_each(|&p| visit(&self.open[p], cut));
        self.nest.within(place).iter().for_each(|&p| visit(&self.open[p], 0));
    }

    /// A node has used a place.
    pub(super) fn uses(&mut self, node: NodeIx, u: Planned) {
        if u.mode != Mode::Read {
            return self.wrote(node, u.place);
        }
        // Nobody can write what is borrowed by `&` from outside, so nobody needs to know its readers.
        if self.chunk.names[self.chunk.places[u.place].name].origin != Origin::Shared {
            let (stream, stream_of) = (self.stream_of[node], &self.stream_of);
            let readers = &mut self.open[u.place].readers;
            readers.retain(|&r| stream_of[r] != stream);
            readers.push(node);
        }
    }

    /// A node has written, made or taken a place.
    pub(super) fn wrote(&mut self, node: NodeIx, place: PlaceIx) {
        self.supersede(node, place);
        self.open[place].writer = Some(node);
    }

    /// A called chunk may have written a place; what it waited for is the storage's own affair. `nodes` is the
    /// number of nodes before the call.
    pub(super) fn lent_mut(&mut self, nodes: usize, place: PlaceIx) {
        self.supersede(nodes, place);
    }

    fn supersede(&mut self, cut: NodeIx, place: PlaceIx) {
        for &p in self.nest.within(place) {
            self.open[p] = Open { cut, ..Open::default() };
        }
        self.open[place] = Open { cut, ..Open::default() };
    }
}
