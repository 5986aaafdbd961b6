//! The plan of a chunk, from what `order` and `release` found: indices in place of names and places.
//!
//! [`PlanData`] owns what [`streamlease_plan::Plan`] borrows. [`PlanData::with_plan`] builds the borrowed form, for
//! the doc comment and for judging in tests; [`PlanData::to_tokens`] writes the constant that the user's crate
//! judges and the run time executes. Nothing is decided here.
//!
//! Leases are numbered by first appearance: parameters, uses and outputs as the steps name them, ends that nothing
//! else named. A place that is part of a name has a lease of its own that overlaps the name's; ending the name's
//! ends it too.

mod leases;
#[cfg(test)]
mod tests;
mod tokens;

use streamlease_plan as out;

use crate::body::{self, Chunk, HostMode, NameIx, Origin, PlaceIx, Step};
use crate::order::{Order, Ordered};
use crate::release::{End, Release};
use leases::Leases;

/// A plan that owns its tables.
#[derive(Debug)]
pub(crate) struct PlanData {
    /// The function's name.
    pub(crate) chunk: String,
    /// Streams in the attribute's order.
    pub(crate) streams: Vec<String>,
    /// Places that hold storage.
    pub(crate) leases: Vec<LeaseData>,
    /// Nodes in host order.
    pub(crate) nodes: Vec<NodeData>,
    /// What the host does.
    pub(crate) steps: Vec<StepData>,
    /// The lease of each name of the chunk as a whole.
    pub(crate) lease_of_name: Vec<Option<usize>>,
    /// The lease of each place of the chunk, if it has one.
    pub(crate) lease_of_place: Vec<Option<usize>>,
}

/// See [`out::Lease`].
#[derive(Debug)]
pub(crate) struct LeaseData {
    /// `s.a.b`
    pub(crate) name: String,
    /// Where it comes from.
    pub(crate) source: out::Source,
    /// Leases around it and within it, ascending.
    pub(crate) overlaps: Vec<out::LeaseIx>,
}

/// See [`out::Node`].
#[derive(Debug)]
pub(crate) struct NodeData {
    /// Its label.
    pub(crate) name: String,
    /// Its stream.
    pub(crate) stream: out::StreamIx,
    /// Its uses.
    pub(crate) uses: Vec<out::Use>,
    /// What it makes.
    pub(crate) makes: Vec<out::LeaseIx>,
    /// What its stream waits for.
    pub(crate) waits: Vec<WaitData>,
    /// Why an event is recorded after it.
    pub(crate) record: out::Record,
}

/// See [`out::Wait`].
#[derive(Debug)]
pub(crate) struct WaitData {
    /// The node waited for.
    pub(crate) node: out::NodeIx,
    /// Why.
    pub(crate) reasons: Vec<out::Reason>,
    /// What else hangs on it.
    pub(crate) carries: Vec<out::LeaseIx>,
}

/// See [`out::Step`].
#[derive(Debug)]
pub(crate) enum StepData {
    /// A node runs.
    Node(out::NodeIx),
    /// A lease is released.
    Release(out::LeaseIx),
    /// The host uses leases, and makes some.
    Host(Vec<out::HostUse>, Vec<out::LeaseIx>),
    /// A lease lived to the end of the block.
    EndOfBlock(out::LeaseIx),
}

/// An index of a chunk as the plan's narrower one. `check` refuses chunks with more nodes than a plan may have.
pub(super) fn ix(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// Makes the plan.
pub(crate) fn plan(chunk: &Chunk, order: &Order, release: &Release) -> PlanData {
    let mut make = Make { leases: Leases::new(chunk), chunk, order, nodes: Vec::new(), steps: Vec::new() };
    make.parameters();
    make.release(&release.at_start);
    for (step, what) in chunk.steps.iter().enumerate() {
        match what {
            Step::Node(node) => make.node(node),
            Step::Host(host) => make.host(step, host),
        }
        make.release(&release.after[step]);
        make.hand_out_tail(step, release);
    }
    for &name in &release.end_of_block {
        let lease = make.leases.of_name(name);
        make.steps.push(StepData::EndOfBlock(lease));
    }
    let (leases, lease_of_name, lease_of_place) = make.leases.finish();
    PlanData {
        chunk: chunk.name.clone(),
        streams: chunk.streams.iter().map(ToString::to_string).collect(),
        leases,
        nodes: make.nodes,
        steps: make.steps,
        lease_of_name,
        lease_of_place,
    }
}

/// A plan in the making.
struct Make<'a> {
    chunk: &'a Chunk,
    order: &'a Order,
    leases: Leases<'a>,
    nodes: Vec<NodeData>,
    steps: Vec<StepData>,
}

impl Make<'_> {
    /// The parameters that are used as a whole, in the order of the signature.
    fn parameters(&mut self) {
        let nodes = self.order.uses.nodes.iter().flatten().map(|u| u.place);
        let hosts = self.order.uses.hosts.iter().flatten().map(|u| u.place);
        let mut used = vec![false; self.chunk.names.len()];
        for place in nodes.chain(hosts).map(|p: PlaceIx| &self.chunk.places[p]).filter(|p| p.path.is_empty())
        {
            used[place.name] = true;
        }
        for (name, binding) in self.chunk.names.iter().enumerate() {
            if used[name] && matches!(binding.origin, Origin::Owned | Origin::Shared | Origin::Exclusive) {
                self.leases.of_name(name);
            }
        }
    }

    fn node(&mut self, node: &body::Node) {
        let Ordered { waits, by_ledger, record, .. } = &self.order.nodes[node.ix];
        let planned = self.order.uses.nodes[node.ix].iter().zip(by_ledger);
        let uses = planned.map(|(u, &by_ledger)| out::Use {
            lease: self.leases.of_place(u.place),
            mode: match u.mode {
                body::Mode::Read => out::Mode::Read,
                body::Mode::Write => out::Mode::Write,
                body::Mode::Consume => out::Mode::Consume,
            },
            by_ledger,
        });
        let uses = uses.collect();
        let waits = waits.iter().map(|w| WaitData {
            node: ix(w.node),
            reasons: w
                .reasons
                .iter()
                .map(|r| out::Reason { lease: self.leases.of_place(r.place), need: r.need })
                .collect(),
            carries: w.carries.iter().map(|&p| self.leases.of_place(p)).collect(),
        });
        let waits = waits.collect();
        self.nodes.push(NodeData {
            name: node.label.clone(),
            stream: u8::try_from(node.stream).unwrap_or(u8::MAX),
            uses,
            makes: node.makes.iter().map(|&n| self.leases.of_name(n)).collect(),
            waits,
            record: *record,
        });
        self.steps.push(StepData::Node(ix(node.ix)));
    }

    /// A host statement that moves, lends or makes nothing is no step of the plan.
    fn host(&mut self, step: usize, host: &body::Host) {
        let uses = self.order.uses.hosts[step].iter().map(|u| out::HostUse {
            lease: self.leases.of_place(u.place),
            mode: match u.mode {
                HostMode::Lend => out::HostMode::Lend,
                HostMode::LendMut => out::HostMode::LendMut,
                HostMode::Move => out::HostMode::Move,
                HostMode::HandOut => out::HostMode::HandOut,
            },
        });
        let uses: Vec<_> = uses.collect();
        let makes: Vec<_> = host.makes.iter().map(|&n| self.leases.of_name(n)).collect();
        if !uses.is_empty() || !makes.is_empty() {
            self.steps.push(StepData::Host(uses, makes));
        }
    }

    fn release(&mut self, names: &[NameIx]) {
        for &name in names {
            let lease = self.leases.of_name(name);
            self.steps.push(StepData::Release(lease));
        }
    }

    /// What a tail node makes is the chunk's value.
    fn hand_out_tail(&mut self, step: usize, release: &Release) {
        let returned = release.ends.iter().enumerate().filter(|(_, end)| **end == End::Returned(step));
        let uses: Vec<_> = returned
            .map(|(name, _)| out::HostUse { lease: self.leases.of_name(name), mode: out::HostMode::HandOut })
            .collect();
        if !uses.is_empty() {
            self.steps.push(StepData::Host(uses, Vec::new()));
        }
    }
}

impl PlanData {
    /// Builds the borrowed plan and lends it.
    pub(crate) fn with_plan<R>(&self, look: impl FnOnce(&out::Plan<'_>) -> R) -> R {
        let streams: Vec<&str> = self.streams.iter().map(String::as_str).collect();
        let leases: Vec<out::Lease<'_>> = self
            .leases
            .iter()
            .map(|l| out::Lease { name: &l.name, source: l.source, overlaps: &l.overlaps })
            .collect();
        let waits: Vec<Vec<out::Wait<'_>>> = self
            .nodes
            .iter()
            .map(|n| {
                n.waits.iter().map(|w| out::Wait { node: w.node, reasons: &w.reasons, carries: &w.carries })
            })
            .map(Iterator::collect)
            .collect();
        let nodes: Vec<out::Node<'_>> = self
            .nodes
            .iter()
            .zip(&waits)
            .map(|(n, waits)| out::Node {
                name: &n.name,
                stream: n.stream,
                uses: &n.uses,
                makes: &n.makes,
                waits,
                record: n.record,
            })
            .collect();
        let steps: Vec<out::Step<'_>> = self.steps.iter().map(StepData::lend).collect();
        look(&out::Plan {
            chunk: &self.chunk,
            streams: &streams,
            leases: &leases,
            nodes: &nodes,
            steps: &steps,
        })
    }

    /// The table of the doc comment.
    pub(crate) fn text(&self) -> String {
        self.with_plan(|plan| plan.to_string())
    }
}

impl StepData {
    fn lend(&self) -> out::Step<'_> {
        match self {
            StepData::Node(n) => out::Step::Node(*n),
            StepData::Release(l) => out::Step::Release(*l),
            StepData::Host(uses, makes) => out::Step::Host(out::Host { uses, makes }),
            StepData::EndOfBlock(l) => out::Step::EndOfBlock(*l),
        }
    }
}
