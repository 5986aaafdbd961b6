//! After which nodes an event is recorded.
//!
//! A node records if a later one waits for it; if it is the last writer of something that leaves the chunk or
//! that a called chunk gets; and if a lease ends here whose memory has to find its way back: made on another
//! stream, or outside, it goes home by the events after its last uses. Only the *maximal* uses of a lease count,
//! those that no other use of the same storage is ordered after.

use std::rc::Rc;

use streamlease_plan::Record;

use super::access::join;
use super::facts::Facts;
use crate::body::{Chunk, NameIx, NodeIx, Origin, PlaceIx, StreamIx};
use crate::nest::Nest;

/// The last uses at one point.
#[derive(Clone, PartialEq)]
pub(super) struct Lasts {
    /// For each place the last use on each stream, on each path.
    last: Vec<Rc<Vec<NodeIx>>>,
    /// For each name the stream on which it was made, if it was made here and on one.
    maker: Vec<Option<StreamIx>>,
}

impl Lasts {
    pub(super) fn new(chunk: &Chunk) -> Lasts {
        Lasts { last: vec![Rc::default(); chunk.places.len()], maker: vec![None; chunk.names.len()] }
    }

    pub(super) fn join(&mut self, other: &Lasts) {
        for (mine, other) in self.last.iter_mut().zip(&other.last) {
            if !Rc::ptr_eq(mine, other) && mine != other {
                join(Rc::make_mut(mine), other);
            }
        }
        for (mine, other) in self.maker.iter_mut().zip(&other.maker) {
            *mine = mine.filter(|m| Some(*m) == *other);
        }
    }

    /// A node has used a place.
    pub(super) fn used(&mut self, stream_of: &[StreamIx], node: NodeIx, place: PlaceIx) {
        let last = Rc::make_mut(&mut self.last[place]);
        last.retain(|&n| stream_of[n] != stream_of[node]);
        last.push(node);
    }

    /// A name's value was made on a stream, or not by a node.
    pub(super) fn made(&mut self, name: NameIx, stream: Option<StreamIx>) {
        self.maker[name] = stream;
    }

    /// A place's storage has left; it does not end here.
    pub(super) fn left(&mut self, nest: &Nest, place: PlaceIx) {
        self.forget(place);
        nest.within(place).iter().for_each(|&p| self.forget(p));
    }

    /// A place's storage is no longer there.
    pub(super) fn forget(&mut self, place: PlaceIx) {
        self.last[place] = Rc::default();
    }
}

/// Reasons to record, as they are found.
pub(super) struct Records<'a> {
    chunk: &'a Chunk,
    nest: &'a Nest,
    stream_of: Vec<StreamIx>,
    nodes: Vec<Record>,
}

impl<'a> Records<'a> {
    pub(super) fn new(chunk: &'a Chunk, nest: &'a Nest, stream_of: Vec<StreamIx>) -> Records<'a> {
        Records { chunk, nest, nodes: vec![Record::NONE; stream_of.len()], stream_of }
    }

    /// Another node waits for this one.
    pub(super) fn awaited(&mut self, node: NodeIx) {
        self.nodes[node].awaited = true;
    }

    /// These nodes are the last writers of something that leaves.
    pub(super) fn leaves(&mut self, writers: &[NodeIx]) {
        for &n in writers {
            self.nodes[n].leaves = true;
        }
    }

    /// A place's storage ends here.
    pub(super) fn goes_home(&mut self, lasts: &Lasts, facts: &Facts, place: PlaceIx) {
        let name = self.chunk.places[place].name;
        let maker = match self.chunk.names[name].origin {
            Origin::Node(n) => Some(self.stream_of[n]),
            _ => lasts.maker[name],
        };
        for &n in lasts.last[place].iter() {
            let later = |&other: &NodeIx| other != n && facts.is_behind(other, n);
            let superseded = self.nest.around(place).iter().any(|&p| lasts.last[p].iter().any(later));
            if Some(self.stream_of[n]) != maker && !superseded {
                self.nodes[n].home = true;
            }
        }
    }

    /// All reasons by node.
    pub(super) fn finish(self) -> Vec<Record> {
        self.nodes
    }
}
