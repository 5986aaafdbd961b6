//! Who runs after whom: the waits, the by-ledger uses and the records of a chunk.
//!
//! One walk in host order. For each stream it keeps the set of nodes that the stream is ordered after, and for
//! each node a snapshot of that set as it was when the node was done; waiting for a node imports its snapshot
//! ([`facts`]). For each place it keeps the uses that no write has superseded ([`access`]) and what others may
//! have done to it ([`ledger`]). A node's needs minus what its stream is already ordered after, minus what one of
//! the others implies, are its waits. In straight-line code these are exactly the cross-stream edges of the
//! transitive reduction of needs and stream order.
//!
//! Bodies are straight lines so far. Facts are plain bit sets of nodes, a set a stream and a snapshot a node, so
//! that control flow adds two operations and no new shape: *kill* (executing node n anew clears bit n in every
//! other stream's set and in every snapshot) and *meet* (intersection of sets and snapshots, union of open uses,
//! at joins and loop heads). What rests on node numbers being times (`access` cuts, `ledger` times) then becomes
//! a set of reaching uses.

mod access;
mod facts;
mod ledger;
mod record;
#[cfg(test)]
mod tests;

use streamlease_plan::{Need, Record};

use crate::body::{Chunk, HostMode, Mode, Node, NodeIx, PlaceIx, Step};
use crate::nest::Nest;
use crate::uses::{Uses, uses};
use access::Accesses;
use facts::Facts;
use ledger::Ledgers;
use record::Records;

/// What this phase found out.
#[derive(Debug)]
pub(crate) struct Order {
    /// The uses that it went by.
    pub(crate) uses: Uses,
    /// By node.
    pub(crate) nodes: Vec<Ordered>,
}

/// One node's place among the others.
#[derive(Debug)]
pub(crate) struct Ordered {
    /// What its stream waits for before it starts, by node number.
    pub(crate) waits: Vec<Wait>,
    /// For each of its uses whether the storage's ledger is asked.
    pub(crate) by_ledger: Vec<bool>,
    /// Why an event is recorded after it.
    pub(crate) record: Record,
}

/// A wait for a node of another stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The node waited for.
    pub(crate) node: NodeIx,
    /// The needs that it is for. Never empty.
    pub(crate) reasons: Vec<Reason>,
    /// Places of needs that hold only because of this wait, in order of appearance; none of the reasons' places.
    pub(crate) carries: Vec<PlaceIx>,
}

/// A need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reason {
    /// The place as the later node uses it.
    pub(crate) place: PlaceIx,
    /// How the two nodes conflict.
    pub(crate) need: Need,
}

/// Orders a chunk.
pub(crate) fn order(chunk: &Chunk) -> Order {
    let nest = Nest::new(chunk);
    let uses = uses(chunk, &nest);
    let streams: Vec<_> = chunk.nodes().map(|n| n.stream).collect();
    let mut walk = Walk {
        chunk,
        uses: &uses,
        facts: Facts::new(chunk.streams.len(), streams.clone()),
        accesses: Accesses::new(chunk, &nest, streams),
        ledgers: Ledgers::new(chunk, &nest),
        records: Records::new(chunk, &nest),
        nodes: Vec::new(),
    };
    for (ix, step) in chunk.steps.iter().enumerate() {
        match step {
            Step::Node(node) => walk.node(ix, node),
            Step::Host(_) => walk.host(ix),
        }
    }
    let nodes = walk.finish();
    Order { uses, nodes }
}

/// The state of the walk.
struct Walk<'a> {
    chunk: &'a Chunk,
    uses: &'a Uses,
    facts: Facts,
    accesses: Accesses<'a>,
    ledgers: Ledgers<'a>,
    records: Records<'a>,
    /// By-ledger bits of the nodes so far.
    nodes: Vec<Vec<bool>>,
}

impl Walk<'_> {
    fn node(&mut self, step: usize, node: &Node) {
        let uses = &self.uses.nodes[node.ix];
        let needs = self.accesses.needs(uses);
        for waited in self.facts.enter(node.ix, needs) {
            self.records.awaited(waited);
        }
        self.nodes.push(uses.iter().map(|&u| self.ledgers.uses(step, node.stream, u)).collect());
        for &u in uses {
            self.accesses.uses(node.ix, u);
            if u.mode != Mode::Read {
                self.ledgers.wrote(step, u.place);
            }
            self.records.uses(node, u);
        }
        for &name in &node.makes {
            if let Some(place) = self.records.root(name) {
                self.accesses.wrote(node.ix, place);
                self.ledgers.wrote(step, place);
                self.records.makes(node, place);
            }
        }
        if node.syntax.tail {
            self.records.leaves(&[node.ix]);
        }
    }

    fn host(&mut self, step: usize) {
        for u in &self.uses.hosts[step] {
            self.records.leaves(&self.accesses.last_writers(u.place));
            match u.mode {
                HostMode::Lend => self.ledgers.lent(step, u.place, false),
                HostMode::LendMut => {
                    self.ledgers.lent(step, u.place, true);
                    self.accesses.lent_mut(self.nodes.len(), u.place);
                }
                HostMode::Move | HostMode::HandOut => self.records.left(u.place),
            }
        }
    }

    fn finish(mut self) -> Vec<Ordered> {
        for place in self.records.kept_outside() {
            self.records.leaves(&self.accesses.last_writers(place));
        }
        let (snapshots, waits) = self.facts.into_parts();
        let records = self.records.finish(&snapshots);
        debug_assert_eq!(records.len(), self.chunk.nodes().count());
        let nodes = waits.into_iter().zip(self.nodes).zip(records);
        nodes.map(|((waits, by_ledger), record)| Ordered { waits, by_ledger, record }).collect()
    }
}
