//! A plan under construction, with names instead of positions, so that mutants are one line each.

use std::boxed::Box;
use std::vec::Vec;

use crate::{
    Fault, FaultKind, Host, HostMode, HostUse, Lease, LeaseIx, Mode, Need, Node, NodeIx, Plan, Reason,
    Record, Source, Step, StreamIx, Use, Wait, check,
};

#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) chunk: &'static str,
    pub(super) streams: Vec<&'static str>,
    pub(super) leases: Vec<Lease<'static>>,
    pub(super) nodes: Vec<DraftNode>,
    pub(super) steps: Vec<Step<'static>>,
}

#[derive(Debug, Clone)]
pub(super) struct DraftNode {
    pub(super) name: &'static str,
    pub(super) stream: StreamIx,
    pub(super) uses: Vec<(&'static str, Mode, bool)>,
    pub(super) makes: Vec<&'static str>,
    pub(super) waits: Vec<(&'static str, &'static str, Need)>,
    pub(super) record: Record,
}

pub(super) fn lease(name: &'static str, source: Source) -> Lease<'static> {
    Lease { name, source, overlaps: &[] }
}

pub(super) fn owned(name: &'static str) -> Lease<'static> {
    lease(name, Source::Owned)
}

pub(super) fn shared(name: &'static str) -> Lease<'static> {
    lease(name, Source::Shared)
}

pub(super) fn from(name: &'static str, node: NodeIx) -> Lease<'static> {
    lease(name, Source::Node(node))
}

pub(super) fn node(name: &'static str, stream: StreamIx) -> DraftNode {
    let record = Record { awaited: true, ..Record::NONE };
    DraftNode { name, stream, uses: Vec::new(), makes: Vec::new(), waits: Vec::new(), record }
}

impl DraftNode {
    fn uses(mut self, name: &'static str, mode: Mode) -> Self {
        self.uses.push((name, mode, false));
        self
    }

    pub(super) fn read(self, name: &'static str) -> Self {
        self.uses(name, Mode::Read)
    }

    pub(super) fn write(self, name: &'static str) -> Self {
        self.uses(name, Mode::Write)
    }

    pub(super) fn consume(self, name: &'static str) -> Self {
        self.uses(name, Mode::Consume)
    }

    /// Of the use before.
    pub(super) fn by_ledger(mut self) -> Self {
        self.uses.last_mut().expect("a use before").2 = true;
        self
    }

    pub(super) fn makes(mut self, name: &'static str) -> Self {
        self.makes.push(name);
        self
    }

    pub(super) fn wait(mut self, node: &'static str, lease: &'static str, need: Need) -> Self {
        self.waits.push((node, lease, need));
        self
    }
}

impl Draft {
    pub(super) fn new(chunk: &'static str, streams: &[&'static str]) -> Draft {
        let streams = streams.to_vec();
        Draft { chunk, streams, leases: Vec::new(), nodes: Vec::new(), steps: Vec::new() }
    }

    pub(super) fn lease(mut self, lease: Lease<'static>) -> Self {
        self.leases.push(lease);
        self
    }

    pub(super) fn node(mut self, node: DraftNode) -> Self {
        self.steps.push(Step::Node(self.nodes.len() as NodeIx));
        self.nodes.push(node);
        self
    }

    pub(super) fn release(mut self, name: &str) -> Self {
        self.steps.push(Step::Release(self.ix(name)));
        self
    }

    pub(super) fn end_of_block(mut self, name: &str) -> Self {
        self.steps.push(Step::EndOfBlock(self.ix(name)));
        self
    }

    pub(super) fn host(mut self, uses: &[(&str, HostMode)], makes: &[&str]) -> Self {
        let uses: Vec<HostUse> =
            uses.iter().map(|(name, mode)| HostUse { lease: self.ix(name), mode: *mode }).collect();
        let makes: Vec<LeaseIx> = makes.iter().map(|name| self.ix(name)).collect();
        self.steps.push(Step::Host(Host { uses: uses.leak(), makes: makes.leak() }));
        self
    }

    pub(super) fn hand_out(self, name: &str) -> Self {
        self.host(&[(name, HostMode::HandOut)], &[])
    }

    /// The same with one change.
    pub(super) fn but(mut self, change: impl FnOnce(&mut Draft)) -> Self {
        change(&mut self);
        self
    }

    pub(super) fn ix(&self, name: &str) -> LeaseIx {
        self.leases.iter().position(|l| l.name == name).expect(name) as LeaseIx
    }

    fn node_ix(&self, name: &str) -> NodeIx {
        self.nodes.iter().position(|n| n.name == name).expect(name) as NodeIx
    }

    pub(super) fn plan(&self) -> &'static Plan<'static> {
        let within = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'));
        let leases: Vec<Lease<'static>> = self
            .leases
            .iter()
            .map(|l| {
                if !l.overlaps.is_empty() {
                    return *l;
                }
                let hits = |o: &Lease<'_>| within(o.name, l.name) || within(l.name, o.name);
                let overlaps: Vec<LeaseIx> =
                    (0..).zip(&self.leases).filter(|(_, o)| hits(o)).map(|(i, _)| i).collect();
                Lease { overlaps: overlaps.leak(), ..*l }
            })
            .collect();
        let nodes: Vec<Node<'static>> = self.nodes.iter().map(|n| self.plan_node(n)).collect();
        Box::leak(Box::new(Plan {
            chunk: self.chunk,
            streams: self.streams.clone().leak(),
            leases: leases.leak(),
            nodes: nodes.leak(),
            steps: self.steps.clone().leak(),
        }))
    }

    fn plan_node(&self, n: &DraftNode) -> Node<'static> {
        let uses: Vec<Use> = n
            .uses
            .iter()
            .map(|(name, mode, by_ledger)| Use { lease: self.ix(name), mode: *mode, by_ledger: *by_ledger })
            .collect();
        let waits: Vec<Wait<'static>> = n
            .waits
            .iter()
            .map(|(node, lease, need)| {
                let reason = Reason { lease: self.ix(lease), need: *need };
                Wait { node: self.node_ix(node), reasons: Box::leak(Box::new([reason])), carries: &[] }
            })
            .collect();
        let makes: Vec<LeaseIx> = n.makes.iter().map(|name| self.ix(name)).collect();
        Node {
            name: n.name,
            stream: n.stream,
            uses: uses.leak(),
            makes: makes.leak(),
            renews: &[],
            waits: waits.leak(),
            record: n.record,
        }
    }

    pub(super) fn check(&self) -> Result<(), Fault> {
        check::<16, 16>(self.plan())
    }

    /// Asserts the fault that the judge finds, by names.
    #[track_caller]
    pub(super) fn rejected(&self, kind: FaultKind, node: Option<&str>, lease: Option<&str>) {
        let expected = Fault { kind, node: node.map(|n| self.node_ix(n)), lease: lease.map(|l| self.ix(l)) };
        assert_eq!(self.check(), Err(expected), "{}", self.plan());
    }
}
