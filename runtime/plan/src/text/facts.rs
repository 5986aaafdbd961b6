//! Questions of the printed form that take a look over several steps.

use alloc::vec::Vec;

use super::{HostMode, LeaseIx, Mode, Node, NodeIx, Plan, Source, Step, Use};
use crate::StreamIx;

fn overlap(plan: &Plan<'_>, a: LeaseIx, b: LeaseIx) -> bool {
    a == b || plan.leases[a as usize].overlaps.contains(&b)
}

/// Whether this use, of the node at `step`, asks the ledger for what its stream has not asked for before: for
/// the last write, or, when it writes, for all reads too.
pub(super) fn asks_first(plan: &Plan<'_>, step: usize, node: &Node<'_>, used: &Use) -> bool {
    if !used.by_ledger {
        return false;
    }
    for earlier in plan.steps[..step].iter().rev() {
        match earlier {
            Step::Node(n) => {
                let other = &plan.nodes[*n as usize];
                let asked = other.uses.iter().any(|u| {
                    u.lease == used.lease && u.by_ledger && (used.mode == Mode::Read || u.mode != Mode::Read)
                });
                if other.stream == node.stream && asked {
                    return false;
                }
            }
            Step::Host(host) => {
                let lent = |m| matches!(m, HostMode::Lend | HostMode::LendMut);
                if host.uses.iter().any(|u| lent(u.mode) && overlap(plan, u.lease, used.lease)) {
                    return true;
                }
            }
            // Where paths meet, the other path may not have asked.
            Step::Join | Step::Repeat | Step::Loop(_) | Step::Arm(_) => return true,
            Step::Release(_) | Step::EndOfBlock(_) | Step::Branch(_) | Step::MayEnd | Step::Exit(_) => {}
        }
    }
    true
}

/// The last node that made or wrote a lease.
pub(super) fn last_writer(plan: &Plan<'_>, lease: LeaseIx) -> Option<NodeIx> {
    let writes = |node: &Node<'_>| {
        node.makes.iter().any(|l| overlap(plan, *l, lease))
            || node.uses.iter().any(|u| u.mode != Mode::Read && overlap(plan, u.lease, lease))
    };
    (0..).zip(plan.nodes).filter(|(_, node)| writes(node)).last().map(|(n, _)| n)
}

/// Whether the plan orders node `later` after node `earlier`: backwards from `later`, per stream the last node
/// known to come before it.
fn ordered(plan: &Plan<'_>, earlier: usize, later: usize) -> bool {
    let mut before = [None; crate::MAX_STREAMS];
    before[plan.nodes[later].stream as usize] = Some(later);
    for n in (earlier..=later).rev() {
        if before[plan.nodes[n].stream as usize] >= Some(n) {
            if n == earlier {
                return true;
            }
            for wait in plan.nodes[n].waits {
                let known = &mut before[plan.nodes[wait.node as usize].stream as usize];
                *known = (*known).max(Some(wait.node as usize));
            }
        }
    }
    false
}

/// Leases that a node of one stream makes and that end on another, without the maker's stream being ordered
/// after that end at its next node: (made on, ends on, leases), in order of appearance.
pub(super) fn home_later(plan: &Plan<'_>) -> Vec<(StreamIx, StreamIx, Vec<LeaseIx>)> {
    let mut groups: Vec<(StreamIx, StreamIx, Vec<LeaseIx>)> = Vec::new();
    for (l, lease) in (0..).zip(plan.leases) {
        let Source::Node(maker) = lease.source else { continue };
        let Some(end) = end(plan, l) else { continue };
        let (made, ends) = (plan.nodes[maker as usize].stream, plan.nodes[end].stream);
        let next = (end + 1..plan.nodes.len()).find(|n| plan.nodes[*n].stream == made);
        if made == ends || next.is_some_and(|n| ordered(plan, end, n)) {
            continue;
        }
        match groups.iter_mut().find(|(m, e, _)| (*m, *e) == (made, ends)) {
            Some((_, _, leases)) => leases.push(l),
            None => groups.push((made, ends, Vec::from([l]))),
        }
    }
    groups
}

/// The node at which a lease ends that the plan frees or a node takes: its last use.
fn end(plan: &Plan<'_>, lease: LeaseIx) -> Option<usize> {
    let taken = |n: &Node<'_>| n.uses.iter().any(|u| u.lease == lease && u.mode == Mode::Consume);
    let released = plan.steps.iter().any(|s| matches!(s, Step::Release(l) if *l == lease));
    let uses =
        |n: &Node<'_>| n.makes.contains(&lease) || n.uses.iter().any(|u| overlap(plan, u.lease, lease));
    if released { plan.nodes.iter().rposition(uses) } else { plan.nodes.iter().rposition(taken) }
}
