//! Plans that live as long as a `static` would.

use streamlease::__private as private;
use streamlease_plan as out;

use crate::plan::{PlanData, StepData};

fn slice<T>(values: impl Iterator<Item = T>) -> &'static [T] {
    Box::leak(values.collect())
}

/// The plan of the data.
pub(super) fn plan(data: PlanData) -> &'static out::Plan<'static> {
    let data: &'static PlanData = Box::leak(Box::new(data));
    let nodes = data.nodes.iter().map(|n| out::Node {
        name: &n.name,
        stream: n.stream,
        uses: &n.uses,
        makes: &n.makes,
        renews: &n.renews,
        waits: slice(n.waits.iter().map(|w| out::Wait {
            node: w.node,
            reasons: &w.reasons,
            carries: &w.carries,
        })),
        record: n.record,
    });
    let steps = data.steps.iter().map(StepData::lend);
    let leases =
        data.leases.iter().map(|l| out::Lease { name: &l.name, source: l.source, overlaps: &l.overlaps });
    Box::leak(Box::new(out::Plan {
        chunk: &data.chunk,
        streams: slice(data.streams.iter().map(String::as_str)),
        leases: slice(leases),
        nodes: slice(nodes),
        steps: slice(steps),
    }))
}

/// The plan without one wait of one node.
pub(super) fn without_wait(
    plan: &'static out::Plan<'static>,
    node: usize,
    wait: usize,
) -> &'static out::Plan<'static> {
    let nodes = plan.nodes.iter().enumerate().map(|(ix, n)| {
        let waits = n.waits.iter().enumerate().filter(|(at, _)| (ix, *at) != (node, wait));
        out::Node { waits: slice(waits.map(|(_, w)| *w)), ..*n }
    });
    Box::leak(Box::new(out::Plan { nodes: slice(nodes), ..*plan }))
}

/// The identity of a chunk.
pub(super) fn chunk(plan: &'static out::Plan<'static>) -> &'static private::Chunk {
    Box::leak(Box::new(private::Chunk::new(plan, 1)))
}
