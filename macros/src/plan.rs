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

use crate::body::{
    self, Block, Branch, Chunk, Exit, Head, Host, HostMode, HostUse, Loop, LoopIx, NameIx, Origin, PlaceIx,
    Step,
};
use crate::order::{Order, Ordered};
use crate::release::Release;
use crate::uses::Uses;
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
    /// What its value is assigned to.
    pub(crate) renews: Vec<out::LeaseIx>,
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
    /// A branch opens with its first arm.
    Branch(&'static str),
    /// The next arm.
    Arm(&'static str),
    /// The branch closes.
    Join,
    /// A loop opens.
    Loop(&'static str, LoopIx),
    /// The innermost loop may end here.
    MayEnd,
    /// The innermost loop closes.
    Repeat,
    /// Control leaves.
    Exit(out::Exit),
}

/// An index of a chunk as the plan's narrower one. `check` refuses chunks with more nodes than a plan may have.
pub(super) fn ix(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// Makes the plan.
pub(crate) fn plan(chunk: &Chunk, uses: &Uses, order: &Order, release: &Release) -> PlanData {
    let mut nodes = Vec::new();
    nodes.resize_with(chunk.counts.nodes, || None);
    let steps = Vec::new();
    let mut make = Make { leases: Leases::new(chunk), chunk, uses, order, release, nodes, steps };
    make.parameters();
    make.block(&chunk.body);
    let (leases, lease_of_name, lease_of_place) = make.leases.finish();
    PlanData {
        chunk: chunk.name.clone(),
        streams: chunk.streams.iter().map(ToString::to_string).collect(),
        leases,
        nodes: make.nodes.into_iter().flatten().collect(),
        steps: make.steps,
        lease_of_name,
        lease_of_place,
    }
}

/// A plan in the making.
struct Make<'a> {
    chunk: &'a Chunk,
    uses: &'a Uses,
    order: &'a Order,
    release: &'a Release,
    leases: Leases<'a>,
    nodes: Vec<Option<NodeData>>,
    steps: Vec<StepData>,
}

impl Make<'_> {
    /// The parameters that are used as a whole, in the order of the signature.
    fn parameters(&mut self) {
        let nodes = self.uses.nodes.iter().flatten().map(|u| u.place);
        let hosts = self.uses.hosts.iter().flatten().map(|u| u.place);
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

    fn block(&mut self, block: &Block) {
        self.released(&self.release.at_start[block.ix]);
        self.host(&[], &block.makes);
        for step in &block.steps {
            match step {
                Step::Node(node) => self.node(node),
                Step::Host(host) => self.host(&self.uses.hosts[host.step], &host.makes),
                Step::Branch(branch) => self.branch(branch),
                Step::Loop(l) => self.repeat(l),
            }
            self.released(&self.release.after[step.ix()]);
            match step {
                Step::Node(node) if node.is_tail() => self.returned(node),
                Step::Host(Host { step, exit: Some(exit), .. }) => {
                    self.ends(&self.release.at_exit[*step]);
                    self.steps.push(StepData::Exit(self.exit(*exit)));
                }
                _ => {}
            }
        }
        self.ends(&self.release.at_end[block.ix]);
    }

    /// A branch whose arms do nothing that concerns the plan is no part of it.
    fn branch(&mut self, branch: &Branch) {
        self.head(&branch.head);
        let start = self.steps.len();
        for (i, (arm, name)) in branch.arms.iter().zip(branch.syntax.arm_names()).enumerate() {
            self.steps.push(if i == 0 { StepData::Branch(name) } else { StepData::Arm(name) });
            self.block(arm);
        }
        self.steps.push(StepData::Join);
        let idle = |s: &StepData| matches!(s, StepData::Branch(_) | StepData::Arm(_) | StepData::Join);
        if self.steps[start..].iter().all(idle) {
            self.steps.truncate(start);
        } else if branch.arms.len() == 1 {
            // A block of its own says nothing about what runs.
            self.steps.remove(start);
            self.steps.pop();
        }
    }

    fn repeat(&mut self, l: &Loop) {
        self.head(&l.once);
        let start = self.steps.len();
        self.steps.push(StepData::Loop(l.syntax.name(), l.ix));
        self.head(&l.each);
        if l.ends {
            self.steps.push(StepData::MayEnd);
        }
        self.block(&l.body);
        let number = ix(l.ix);
        let idle = |s: &StepData| match s {
            StepData::Loop(..) | StepData::MayEnd => true,
            StepData::Exit(out::Exit::Break(to) | out::Exit::Continue(to)) => *to == number,
            _ => false,
        };
        // A `loop` that does nothing may also be one that nothing leaves.
        if l.ends && self.steps[start..].iter().all(idle) {
            self.steps.truncate(start);
        } else {
            self.steps.push(StepData::Repeat);
        }
    }

    fn head(&mut self, head: &Head) {
        self.host(&self.uses.hosts[head.step], &[]);
        self.released(&self.release.after[head.step]);
    }

    fn exit(&self, exit: Exit) -> out::Exit {
        match exit {
            Exit::Break(l) => out::Exit::Break(ix(l)),
            Exit::Continue(l) => out::Exit::Continue(ix(l)),
            Exit::Return => out::Exit::Return,
        }
    }

    fn node(&mut self, node: &body::Node) {
        let Ordered { waits, by_ledger, record, .. } = &self.order.nodes[node.ix];
        let planned = self.uses.nodes[node.ix].iter().zip(by_ledger);
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
        self.nodes[node.ix] = Some(NodeData {
            name: node.label.clone(),
            stream: u8::try_from(node.stream).unwrap_or(u8::MAX),
            uses,
            makes: node.makes.iter().map(|&n| self.leases.of_name(n)).collect(),
            renews: node.renews.iter().map(|&p| self.leases.of_place(p)).collect(),
            waits,
            record: *record,
        });
        self.steps.push(StepData::Node(ix(node.ix)));
    }

    /// A host statement that moves, lends or makes nothing is no step of the plan.
    fn host(&mut self, uses: &[HostUse], makes: &[NameIx]) {
        let uses = uses.iter().map(|u| out::HostUse {
            lease: self.leases.of_place(u.place),
            mode: match u.mode {
                HostMode::Lend => out::HostMode::Lend,
                HostMode::LendMut => out::HostMode::LendMut,
                HostMode::Move => out::HostMode::Move,
                HostMode::HandOut => out::HostMode::HandOut,
            },
        });
        let uses: Vec<_> = uses.collect();
        let makes: Vec<_> = makes.iter().map(|&n| self.leases.of_name(n)).collect();
        if !uses.is_empty() || !makes.is_empty() {
            self.steps.push(StepData::Host(uses, makes));
        }
    }

    fn released(&mut self, names: &[NameIx]) {
        for &name in names {
            let lease = self.leases.of_name(name);
            self.steps.push(StepData::Release(lease));
        }
    }

    fn ends(&mut self, names: &[NameIx]) {
        for &name in names {
            let lease = self.leases.of_name(name);
            self.steps.push(StepData::EndOfBlock(lease));
        }
    }

    /// What a tail node makes is the chunk's value.
    fn returned(&mut self, node: &body::Node) {
        let uses: Vec<_> = node
            .makes
            .iter()
            .map(|&name| out::HostUse { lease: self.leases.of_name(name), mode: out::HostMode::HandOut })
            .collect();
        self.steps.push(StepData::Host(uses, Vec::new()));
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
                renews: &n.renews,
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
    pub(crate) fn lend(&self) -> out::Step<'_> {
        match self {
            StepData::Node(n) => out::Step::Node(*n),
            StepData::Release(l) => out::Step::Release(*l),
            StepData::Host(uses, makes) => out::Step::Host(out::Host { uses, makes }),
            StepData::EndOfBlock(l) => out::Step::EndOfBlock(*l),
            StepData::Branch(name) => out::Step::Branch(name),
            StepData::Arm(name) => out::Step::Arm(name),
            StepData::Join => out::Step::Join,
            StepData::Loop(name, number) => out::Step::Loop(out::Loop { name, number: ix(*number) }),
            StepData::MayEnd => out::Step::MayEnd,
            StepData::Repeat => out::Step::Repeat,
            StepData::Exit(exit) => out::Step::Exit(*exit),
        }
    }
}
