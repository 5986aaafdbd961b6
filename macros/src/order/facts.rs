//! What each stream is ordered after, and by which waits.
//!
//! A fact "s is after n" speaks of the *latest execution* of n on this path, if there is one: of a node that has not
//! run it holds, idly. So at the start every fact holds. Executing n kills the fact "after n" in every other stream's
//! set and in every stored snapshot; where paths meet, facts that hold on both stay.
//!
//! A snapshot holds only if its node has run. So waiting for a node that may not have run imports, besides the node
//! itself, only facts about nodes that cannot have run without it ([`Facts::implied`]).
//!
//! Each fact about another stream's node came in by waits. The stream that a wait is for has its own waits for the
//! fact, unless it is about that stream, and so on: the *chain* of a fact. Whatever need is met by a fact is noted at
//! every wait of the fact's chain, for the run time may leave out a wait only if nothing with storage hangs on it.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use fixedbitset::FixedBitSet;

use super::{Reason, Wait};
use crate::body::{NodeIx, PlaceIx, StreamIx};

/// A set that states share until one changes it.
type Set = Rc<FixedBitSet>;

/// The facts at one point.
#[derive(Clone, PartialEq)]
pub(super) struct Facts {
    /// By stream.
    after: Vec<Set>,
    /// By node: its stream's set when it was last done.
    snapshots: Vec<Set>,
    /// Nodes that have run on every path here.
    ran: FixedBitSet,
    /// Nodes that have run on some path here.
    may_have_run: FixedBitSet,
    /// By node, what has run if it has. Empty for straight lines, where it goes without saying.
    implied: Vec<Set>,
}

/// How a node enters: what its stream waits for, and where its facts came from.
pub(super) struct Entered {
    pub(super) targets: Vec<NodeIx>,
    needs: Vec<(NodeIx, Reason)>,
    /// For each target the facts that it brought.
    imported: Vec<Vec<NodeIx>>,
}

fn insert(set: &mut Set, bit: usize) {
    if !set.contains(bit) {
        Rc::make_mut(set).insert(bit);
    }
}

fn remove(set: &mut Set, bit: usize) {
    if set.contains(bit) {
        Rc::make_mut(set).remove(bit);
    }
}

fn intersect(set: &mut Set, other: &Set) {
    if !Rc::ptr_eq(set, other) && !set.is_subset(other) {
        Rc::make_mut(set).intersect_with(other);
    }
}

impl Facts {
    pub(super) fn new(streams: usize, nodes: usize, branches: bool) -> Facts {
        let mut all = FixedBitSet::with_capacity(nodes);
        all.insert_range(..);
        let (all, none) = (Rc::new(all), FixedBitSet::with_capacity(nodes));
        Facts {
            after: vec![all.clone(); streams],
            snapshots: vec![all.clone(); nodes],
            ran: none.clone(),
            may_have_run: none,
            implied: if branches { vec![all; nodes] } else { Vec::new() },
        }
    }

    pub(super) fn meet(&mut self, other: &Facts) {
        let zip = |a: &mut Vec<Set>, b: &Vec<Set>| a.iter_mut().zip(b).for_each(|(a, b)| intersect(a, b));
        zip(&mut self.after, &other.after);
        zip(&mut self.snapshots, &other.snapshots);
        zip(&mut self.implied, &other.implied);
        self.ran.intersect_with(&other.ran);
        self.may_have_run.union_with(&other.may_have_run);
    }

    /// Runs a node: makes its waits from its needs.
    pub(super) fn enter(
        &mut self,
        stream_of: &[StreamIx],
        node: NodeIx,
        needs: Vec<(NodeIx, Reason)>,
    ) -> Entered {
        let stream = stream_of[node];
        let mut open: Vec<NodeIx> = needs.iter().map(|(n, _)| *n).collect();
        open.retain(|&n| !self.after[stream].contains(n));
        open.sort_unstable();
        open.dedup();
        let mut targets = self.not_implied(&open);
        let mut imported: Vec<_> = targets.iter().map(|&t| self.import(stream, t)).collect();
        // What was left out on the word of one that was itself left out.
        for n in open {
            if !self.after[stream].contains(n) {
                targets.push(n);
                imported.push(self.import(stream, n));
            }
        }
        self.execute(stream, node);
        Entered { targets, needs, imported }
    }

    /// Those that none of the others brings along.
    fn not_implied(&self, open: &[NodeIx]) -> Vec<NodeIx> {
        let brings =
            |&by: &NodeIx, n: NodeIx| by != n && self.snapshots[by].contains(n) && self.implies(n, by);
        let mutual = |by: &NodeIx, n: NodeIx| brings(&n, *by) && *by > n;
        open.iter().copied().filter(|&n| !open.iter().any(|by| brings(by, n) && !mutual(by, n))).collect()
    }

    /// Whether node `by` has run if `n` has.
    fn implies(&self, n: NodeIx, by: NodeIx) -> bool {
        self.ran.contains(by) || self.implied.get(n).is_some_and(|i| i.contains(by))
    }

    /// The stream learns what the node waited for knew. Returns what it learns.
    fn import(&mut self, stream: StreamIx, target: NodeIx) -> Vec<NodeIx> {
        let new = |&n: &NodeIx| n == target || self.implies(n, target);
        let learned: Vec<_> = self.snapshots[target].difference(&self.after[stream]).filter(new).collect();
        let after = Rc::make_mut(&mut self.after[stream]);
        after.insert(target);
        after.extend(learned.iter().copied());
        learned
    }

    fn execute(&mut self, stream: StreamIx, node: NodeIx) {
        self.after.iter_mut().for_each(|set| remove(set, node));
        for n in self.may_have_run.ones() {
            remove(&mut self.snapshots[n], node);
        }
        insert(&mut self.after[stream], node);
        self.snapshots[node] = self.after[stream].clone();
        self.ran.insert(node);
        self.may_have_run.insert(node);
        if !self.implied.is_empty() {
            self.implied.iter_mut().for_each(|set| insert(set, node));
            self.implied[node] = Rc::new(self.ran.clone());
        }
    }

    /// Whether node `later` has run after the latest execution of `n`, if that has run.
    pub(super) fn is_behind(&self, later: NodeIx, n: NodeIx) -> bool {
        self.snapshots[later].contains(n) && self.implies(n, later)
    }
}

/// A wait: the node that waits, and its position among that node's waits.
type WaitIx = (NodeIx, usize);

/// The waits as they are written down.
pub(super) struct Waits {
    pub(super) stream_of: Vec<StreamIx>,
    waits: Vec<Vec<Wait>>,
    /// For each stream and node the waits that brought the fact.
    via: Vec<Vec<BTreeSet<WaitIx>>>,
    /// Needs that facts met, in order of appearance.
    met: Vec<(StreamIx, NodeIx, PlaceIx)>,
}

impl Waits {
    pub(super) fn new(stream_of: Vec<StreamIx>, streams: usize) -> Waits {
        let nodes = stream_of.len();
        Waits {
            waits: vec![Vec::new(); nodes],
            via: vec![vec![BTreeSet::new(); nodes]; streams],
            met: Vec::new(),
            stream_of,
        }
    }

    /// Writes down how a node entered.
    pub(super) fn note(&mut self, node: NodeIx, entered: Entered) {
        let stream = self.stream_of[node];
        let Entered { targets, needs, imported } = entered;
        for (ix, (&target, facts)) in targets.iter().zip(&imported).enumerate() {
            for &fact in facts.iter().chain([&target]) {
                self.via[stream][fact].insert((node, ix));
            }
            let reasons = needs.iter().filter(|(n, _)| *n == target).map(|(_, r)| *r).collect();
            self.waits[node].push(Wait { node: target, reasons, carries: Vec::new() });
        }
        self.met.extend(needs.iter().map(|(n, reason)| (stream, *n, reason.place)));
    }

    /// The waits by node, with what hangs on each.
    pub(super) fn finish(mut self) -> Vec<Vec<Wait>> {
        let mut noted: HashSet<(WaitIx, PlaceIx)> = HashSet::new();
        for (node, waits) in self.waits.iter().enumerate() {
            for (ix, wait) in waits.iter().enumerate() {
                noted.extend(wait.reasons.iter().map(|r| ((node, ix), r.place)));
            }
        }
        for (stream, fact, place) in std::mem::take(&mut self.met) {
            let (mut open, mut seen) = (vec![stream], vec![stream]);
            while let Some(stream) = open.pop() {
                if self.stream_of[fact] == stream {
                    continue;
                }
                for &wait @ (node, ix) in &self.via[stream][fact] {
                    if noted.insert((wait, place)) {
                        self.waits[node][ix].carries.push(place);
                    }
                    let from = self.stream_of[self.waits[node][ix].node];
                    if !seen.contains(&from) {
                        seen.push(from);
                        open.push(from);
                    }
                }
            }
        }
        self.waits
    }
}
