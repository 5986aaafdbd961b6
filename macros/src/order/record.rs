//! After which nodes an event is recorded.
//!
//! A node records if a later one waits for it; if it is the last writer of something that leaves the chunk or
//! that a called chunk gets; and if a lease ends here whose memory has to find its way back: made on another
//! stream, or outside, it goes home by the events after its last uses. Only the *maximal* uses of a lease count,
//! those that no other use of the same storage is ordered after.

use fixedbitset::FixedBitSet;
use streamlease_plan::Record;

use crate::body::{Chunk, NameIx, Node, NodeIx, Origin, PlaceIx, StreamIx};
use crate::nest::Nest;
use crate::uses::Planned;

/// Reasons to record, as they are found.
pub(super) struct Records<'a> {
    chunk: &'a Chunk,
    nest: &'a Nest,
    roots: Vec<Option<PlaceIx>>,
    stream_of: Vec<StreamIx>,
    nodes: Vec<Record>,
    /// For each place the last use on each stream that used it.
    last: Vec<Vec<NodeIx>>,
    /// Places whose storage has left the chunk or gone into another value.
    left: FixedBitSet,
}

impl<'a> Records<'a> {
    pub(super) fn new(chunk: &'a Chunk, nest: &'a Nest) -> Records<'a> {
        let stream_of: Vec<_> = chunk.nodes().map(|n| n.stream).collect();
        Records {
            chunk,
            nest,
            roots: roots(chunk),
            nodes: vec![Record::NONE; stream_of.len()],
            stream_of,
            last: vec![Vec::new(); chunk.places.len()],
            left: FixedBitSet::with_capacity(chunk.places.len()),
        }
    }

    /// The place that is the whole of a name.
    pub(super) fn root(&self, name: NameIx) -> Option<PlaceIx> {
        self.roots[name]
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

    /// A place's storage has left; it does not end here.
    pub(super) fn left(&mut self, place: PlaceIx) {
        self.left.insert(place);
    }

    /// A node uses a place.
    pub(super) fn uses(&mut self, node: &Node, u: Planned) {
        self.used(node.ix, u.place);
    }

    /// A node makes a place.
    pub(super) fn makes(&mut self, node: &Node, place: PlaceIx) {
        self.used(node.ix, place);
        if node.syntax.tail {
            self.left(place);
        }
    }

    fn used(&mut self, node: NodeIx, place: PlaceIx) {
        let stream_of = &self.stream_of;
        let last = &mut self.last[place];
        last.retain(|&n| stream_of[n] != stream_of[node]);
        last.push(node);
    }

    /// The used places of `&mut` parameters: whatever was written there stays outside.
    pub(super) fn kept_outside(&self) -> Vec<PlaceIx> {
        let exclusive =
            |p: &PlaceIx| self.chunk.names[self.chunk.places[*p].name].origin == Origin::Exclusive;
        (0..self.last.len()).filter(exclusive).collect()
    }

    /// All reasons by node, with those for memory that goes home.
    pub(super) fn finish(mut self, snapshots: &[FixedBitSet]) -> Vec<Record> {
        for place in 0..self.last.len() {
            let maker = match self.chunk.names[self.chunk.places[place].name].origin {
                Origin::Shared | Origin::Exclusive => continue,
                Origin::Node(n) => Some(self.stream_of[n]),
                Origin::Owned | Origin::Call(_) | Origin::Host(_) => None,
            };
            if self.nest.around(place).iter().any(|&p| self.left.contains(p)) {
                continue;
            }
            for &n in &self.last[place] {
                if Some(self.stream_of[n]) != maker && self.is_maximal(place, n, snapshots) {
                    self.nodes[n].home = true;
                }
            }
        }
        self.nodes
    }

    /// Whether no other use of all of the place is ordered after this one.
    fn is_maximal(&self, place: PlaceIx, node: NodeIx, snapshots: &[FixedBitSet]) -> bool {
        let later = |&other: &NodeIx| other != node && snapshots[other].contains(node);
        !self.nest.around(place).iter().any(|&p| self.last[p].iter().any(later))
    }
}

/// For each name the place that is the whole of it.
fn roots(chunk: &Chunk) -> Vec<Option<PlaceIx>> {
    let mut roots = vec![None; chunk.names.len()];
    for (ix, place) in chunk.places.iter().enumerate() {
        if place.path.is_empty() {
            roots[place.name] = Some(ix);
        }
    }
    roots
}
