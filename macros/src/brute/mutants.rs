//! Plans that are one change away from a right one, each with a danger or a leak in it.

use streamlease_plan::{Lease, LeaseIx, Mode, Node, Plan, Record, Step};

/// What was changed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    WaitRemoved,
    RecordRemoved,
    ReleasedEarlier,
    ReleaseRemoved,
    ReleasedTwice,
    ConsumedAsRead,
    LedgerUnasked,
    LedgerAsked,
}

pub(super) const KINDS: usize = 8;

/// Visits every mutant of a plan.
pub(super) fn for_each(plan: &Plan<'_>, mut visit: impl FnMut(Kind, &Plan<'_>)) {
    of_nodes(plan, &mut visit);
    of_steps(plan, &mut visit);
}

fn of_nodes(plan: &Plan<'_>, visit: &mut impl FnMut(Kind, &Plan<'_>)) {
    for (n, node) in plan.nodes.iter().enumerate() {
        let mut with = |kind, node: Node<'_>| {
            let mut nodes = plan.nodes.to_vec();
            nodes[n] = node;
            visit(kind, &Plan { nodes: &nodes, ..*plan });
        };
        for w in 0..node.waits.len() {
            let mut waits = node.waits.to_vec();
            waits.remove(w);
            with(Kind::WaitRemoved, Node { waits: &waits, ..*node });
        }
        if node.record.awaited {
            with(Kind::RecordRemoved, Node { record: Record::NONE, ..*node });
        }
        for u in 0..node.uses.len() {
            let mut uses = node.uses.to_vec();
            if uses[u].mode == Mode::Consume && is_whole(plan, uses[u].lease) {
                uses[u].mode = Mode::Read;
                with(Kind::ConsumedAsRead, Node { uses: &uses, ..*node });
                uses[u].mode = Mode::Consume;
            }
            if uses[u].by_ledger {
                // One ask serves later reads of streams that are ordered after it.
                let first = !plan.nodes[..n].iter().any(|other| asks(plan, other, uses[u].lease));
                uses[u].by_ledger = false;
                if first {
                    with(Kind::LedgerUnasked, Node { uses: &uses, ..*node });
                }
            } else if !plan.leases[uses[u].lease as usize].source.is_foreign()
                && !was_lent(plan, uses[u].lease)
            {
                uses[u].by_ledger = true;
                with(Kind::LedgerAsked, Node { uses: &uses, ..*node });
            }
        }
    }
}

fn of_steps(plan: &Plan<'_>, visit: &mut impl FnMut(Kind, &Plan<'_>)) {
    for (at, step) in plan.steps.iter().enumerate() {
        let (lease, released) = match step {
            Step::Release(lease) => (*lease, true),
            Step::EndOfBlock(lease) => (*lease, false),
            _ => continue,
        };
        let mut with = |kind, steps: &[Step<'_>]| visit(kind, &Plan { steps, ..*plan });
        let mut steps = plan.steps.to_vec();
        steps.remove(at);
        with(Kind::ReleaseRemoved, &steps);
        if let Some(last) =
            plan.steps[..at].iter().rposition(|s| touches(plan, s, lease)).filter(|_| released)
        {
            steps.insert(last, *step);
            with(Kind::ReleasedEarlier, &steps);
        }
        let mut steps = plan.steps.to_vec();
        steps.push(*step);
        with(Kind::ReleasedTwice, &steps);
    }
}

/// Whether a step uses or makes a lease or part of it.
fn touches(plan: &Plan<'_>, step: &Step<'_>, lease: LeaseIx) -> bool {
    let Lease { overlaps, .. } = plan.leases[lease as usize];
    let is = |l: LeaseIx| l == lease || overlaps.contains(&l);
    match step {
        Step::Node(n) => {
            let node = &plan.nodes[*n as usize];
            node.uses.iter().any(|u| is(u.lease)) || node.makes.iter().any(|l| is(*l))
        }
        Step::Host(host) => host.uses.iter().any(|u| is(u.lease)) || host.makes.iter().any(|l| is(*l)),
        _ => false,
    }
}

/// Whether a host statement lends a lease or part of it.
fn was_lent(plan: &Plan<'_>, lease: LeaseIx) -> bool {
    plan.steps.iter().any(|s| matches!(s, Step::Host(_)) && touches(plan, s, lease))
}

/// Whether a lease is a name's own. A part that is not taken after all may live to the end of its name's block.
fn is_whole(plan: &Plan<'_>, lease: LeaseIx) -> bool {
    !plan.leases[lease as usize].name.contains('.')
}

/// Whether a node asks the ledger of a lease or part of it.
fn asks(plan: &Plan<'_>, node: &Node<'_>, lease: LeaseIx) -> bool {
    let is = |l: LeaseIx| l == lease || plan.leases[lease as usize].overlaps.contains(&l);
    node.uses.iter().any(|u| u.by_ledger && is(u.lease))
}
