//! Mutants of plans: what a wrong analysis would have written.

use streamlease::plan::{LeaseIx, Node, Plan, Record, Step, Wait};

fn leak<V: Clone>(values: Vec<V>) -> &'static [V] {
    Box::leak(values.into_boxed_slice())
}

fn with_nodes(plan: &Plan<'static>, nodes: Vec<Node<'static>>) -> &'static Plan<'static> {
    Box::leak(Box::new(Plan { nodes: leak(nodes), ..*plan }))
}

/// Every wait of the plan as (node, position in the node's waits).
pub fn waits(plan: &Plan<'static>) -> Vec<(usize, usize)> {
    let each =
        |(ix, node): (usize, &Node<'_>)| (0..node.waits.len()).map(move |w| (ix, w)).collect::<Vec<_>>();
    plan.nodes.iter().enumerate().flat_map(each).collect()
}

/// The plan without one wait.
pub fn without_wait(plan: &Plan<'static>, (ix, wait): (usize, usize)) -> &'static Plan<'static> {
    let mut nodes = plan.nodes.to_vec();
    let mut left: Vec<Wait<'static>> = nodes[ix].waits.to_vec();
    left.remove(wait);
    nodes[ix].waits = leak(left);
    with_nodes(plan, nodes)
}

/// The plan without the record after one node.
pub fn without_record(plan: &Plan<'static>, ix: usize) -> &'static Plan<'static> {
    let mut nodes = plan.nodes.to_vec();
    nodes[ix].record = Record::NONE;
    with_nodes(plan, nodes)
}

/// Leases that a step of the plan releases.
pub fn releases(plan: &Plan<'static>) -> Vec<LeaseIx> {
    plan.steps.iter().filter_map(|s| if let Step::Release(l) = s { Some(*l) } else { None }).collect()
}

/// The plan with one lease never released.
pub fn without_release(plan: &Plan<'static>, lease: LeaseIx) -> &'static Plan<'static> {
    let steps =
        plan.steps.iter().filter(|s| !matches!(s, Step::Release(l) if *l == lease)).copied().collect();
    Box::leak(Box::new(Plan { steps: leak(steps), ..*plan }))
}

/// The plan with one release in front of the node before it.
pub fn release_earlier(plan: &Plan<'static>, lease: LeaseIx) -> Option<&'static Plan<'static>> {
    let mut steps: Vec<Step<'static>> = plan.steps.to_vec();
    let at = steps.iter().position(|s| matches!(s, Step::Release(l) if *l == lease))?;
    let step = steps.remove(at);
    let before = steps[..at].iter().rposition(|s| matches!(s, Step::Node(_)))?;
    steps.insert(before, step);
    Some(Box::leak(Box::new(Plan { steps: leak(steps), ..*plan })))
}
