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
    for ((l, lease), end) in (0..).zip(plan.leases).zip(ends(plan)) {
        let (Source::Node(maker), Some(end)) = (lease.source, end) else { continue };
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

/// By lease, the node at which it ends if the plan frees it or a node takes it: its last use.
fn ends(plan: &Plan<'_>) -> Vec<Option<usize>> {
    let mut used = alloc::vec![None; plan.leases.len()];
    let mut taken = used.clone();
    for (n, node) in plan.nodes.iter().enumerate() {
        node.makes.iter().for_each(|l| used[*l as usize] = Some(n));
        for u in node.uses {
            let l = u.lease as usize;
            used[l] = Some(n);
            plan.leases[l].overlaps.iter().for_each(|o| used[*o as usize] = Some(n));
            if u.mode == Mode::Consume {
                taken[l] = Some(n);
            }
        }
    }
    for step in plan.steps {
        if let Step::Release(l) = step {
            taken[*l as usize] = used[*l as usize];
        }
    }
    taken
}

/// By node, whether another has the same name.
pub(super) fn repeated(plan: &Plan<'_>) -> Vec<bool> {
    let mut by_name: Vec<usize> = (0..plan.nodes.len()).collect();
    by_name.sort_by_key(|&n| plan.nodes[n].name);
    let mut repeated = alloc::vec![false; plan.nodes.len()];
    for pair in by_name.windows(2) {
        if plan.nodes[pair[0]].name == plan.nodes[pair[1]].name {
            pair.iter().for_each(|&n| repeated[n] = true);
        }
    }
    repeated
}
