//! What each stream is ordered after, and by which waits.
//!
//! `after[s]` holds the nodes that whatever stream s does next comes after; `snapshots[n]` is that set of n's
//! stream when n was done, n included. Both only grow along a straight line, and a snapshot is closed: with a
//! node it holds all that the node's own snapshot holds.
//!
//! Each fact about another stream's node came in by one wait, `via[s][node]`. The stream that this wait is for
//! has its own `via` for the node, unless the node is its own, and so on: the *chain* of a fact. A chain visits
//! a stream at most once. Whatever need is met by a fact is noted at every wait of the fact's chain, for the
//! run time may leave out a wait only if nothing with storage hangs on it.

use std::collections::HashSet;

use fixedbitset::FixedBitSet;

use super::{Reason, Wait};
use crate::body::{NodeIx, PlaceIx, StreamIx};

/// A wait: the node that waits, and its position among that node's waits.
type WaitIx = (NodeIx, usize);

/// Streams' sets, nodes' snapshots, and where each fact came from.
pub(super) struct Facts {
    stream_of: Vec<StreamIx>,
    after: Vec<FixedBitSet>,
    via: Vec<Vec<Option<WaitIx>>>,
    snapshots: Vec<FixedBitSet>,
    waits: Vec<Vec<Wait>>,
    /// Which places are noted at which waits, so that noting again costs nothing.
    noted: HashSet<(WaitIx, PlaceIx)>,
}

impl Facts {
    pub(super) fn new(streams: usize, stream_of: Vec<StreamIx>) -> Facts {
        let nodes = stream_of.len();
        Facts {
            stream_of,
            after: vec![FixedBitSet::with_capacity(nodes); streams],
            via: vec![vec![None; nodes]; streams],
            snapshots: Vec::with_capacity(nodes),
            waits: Vec::with_capacity(nodes),
            noted: HashSet::new(),
        }
    }

    /// Runs the next node: makes its waits from its needs and returns the nodes waited for.
    pub(super) fn enter(&mut self, node: NodeIx, needs: Vec<(NodeIx, Reason)>) -> Vec<NodeIx> {
        let stream = self.stream_of[node];
        let waited = self.missing(stream, &needs);
        self.waits.push(Vec::new());
        for (ix, &target) in waited.iter().enumerate() {
            let reasons: Vec<_> = needs.iter().filter(|(n, _)| *n == target).map(|(_, r)| *r).collect();
            self.noted.extend(reasons.iter().map(|r| ((node, ix), r.place)));
            self.waits[node].push(Wait { node: target, reasons, carries: Vec::new() });
            self.import(stream, target, (node, ix));
        }
        for (target, reason) in needs {
            self.note(stream, target, reason.place);
        }
        self.after[stream].insert(node);
        self.snapshots.push(self.after[stream].clone());
        waited
    }

    /// The needs that neither the stream nor another of the needs implies, by node number.
    fn missing(&self, stream: StreamIx, needs: &[(NodeIx, Reason)]) -> Vec<NodeIx> {
        let mut open: Vec<_> =
            needs.iter().map(|(n, _)| *n).filter(|n| !self.after[stream].contains(*n)).collect();
        open.sort_unstable();
        open.dedup();
        // Only a later node implies an earlier one, and snapshots are closed: those kept so far are enough.
        let mut kept: Vec<NodeIx> = Vec::new();
        for &n in open.iter().rev() {
            if !kept.iter().any(|&k| self.snapshots[k].contains(n)) {
                kept.push(n);
            }
        }
        kept.reverse();
        kept
    }

    /// The stream learns what the node waited for knew.
    fn import(&mut self, stream: StreamIx, target: NodeIx, wait: WaitIx) {
        for fact in self.snapshots[target].difference(&self.after[stream]) {
            self.via[stream][fact] = Some(wait);
        }
        self.after[stream].union_with(&self.snapshots[target]);
    }

    /// Notes at every wait on the chain of a fact that something hangs on it.
    fn note(&mut self, mut stream: StreamIx, fact: NodeIx, place: PlaceIx) {
        while self.stream_of[fact] != stream {
            let Some(wait @ (node, ix)) = self.via[stream][fact] else { return };
            if self.noted.insert((wait, place)) {
                self.waits[node][ix].carries.push(place);
            }
            stream = self.stream_of[self.waits[node][ix].node];
        }
    }

    /// Snapshots and waits by node.
    pub(super) fn into_parts(self) -> (Vec<FixedBitSet>, Vec<Vec<Wait>>) {
        (self.snapshots, self.waits)
    }
}
