//! The judge of a plan.
//!
//! [`verify`] runs while the user's crate compiles, on the very constant that the run time executes. It shares
//! nothing with the analysis that made the plan: that one works on sets of facts per node, this one replays the
//! steps once with a clock row per stream (see [`Facts`]).
//!
//! It judges **safety and accounting**:
//! - every own conflict is ordered by the plan's waits, also where the ledger is asked besides. The exception is
//!   a lease that was lent for writing in between: there the ledger has later marks than ours.
//! - the ledger is asked where others may have been since this chunk's last write, and only there.
//! - a wait names an earlier, recording node of another stream, and has a reason.
//! - every lease is used between its birth and its end; every owned lease ends exactly once; what the caller
//!   owns never does. Ending a place ends the places within it; a place out of which a part was moved can only
//!   be left to the end of its block.
//!
//! It does not judge whether waits are few, releases early, or records due. Names used by value more than once
//! (numbers) are planned as reads but for the last such use, so there is no second consumption to allow for.

use crate::facts::{Facts, LeaseFacts, Life};
use crate::{
    Fault, FaultKind, Host, HostMode, LeaseIx, MAX_NODES, MAX_STREAMS, Mode, Node, Plan, Source, Step, Use,
};

/// `?` for const functions.
macro_rules! ok {
    ($e:expr) => {
        if let Err(fault) = $e {
            return Err(fault);
        }
    };
}

type Judged = Result<(), Fault>;

/// Judges a plan. `NODES` and `LEASES` are capacities: at least the plan's counts.
///
/// # Errors
/// The first [`Fault`] in the order of the steps.
pub const fn check<const NODES: usize, const LEASES: usize>(plan: &Plan<'_>) -> Judged {
    if plan.nodes.len() > NODES
        || plan.leases.len() > LEASES
        || plan.nodes.len() > MAX_NODES
        || plan.streams.len() > MAX_STREAMS
        || plan.leases.len() > LeaseIx::MAX as usize
    {
        return fault(FaultKind::Capacity, None, None);
    }
    ok!(overlaps::<LEASES>(plan));
    let mut judge = Judge { plan, facts: Facts::<NODES, LEASES>::start(plan), ran: 0 };
    let mut i = 0;
    while i < plan.steps.len() {
        ok!(judge.step(&plan.steps[i]));
        i += 1;
    }
    judge.finish()
}

/// Judges a plan in const evaluation.
///
/// # Panics
/// If the plan has a [`Fault`]; the message names the chunk, the node and the lease.
pub const fn verify<const NODES: usize, const LEASES: usize>(plan: &Plan<'_>) {
    if let Err(fault) = check::<NODES, LEASES>(plan) {
        let sentence = crate::fault::Sentence::new(plan, &fault);
        panic!("{}", sentence.as_str());
    }
}

const fn fault(kind: FaultKind, node: Option<u16>, lease: Option<LeaseIx>) -> Judged {
    Err(Fault { kind, node, lease })
}

/// Overlapping is mutual, between leases of one source, one name longer than the other.
///
/// One pass: with both lists ascending, the next lease that names `o` must be the next in the list of `o`.
const fn overlaps<const LEASES: usize>(plan: &Plan<'_>) -> Judged {
    let mut next = [0; LEASES];
    let mut l = 0;
    while l < plan.leases.len() {
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            if o >= plan.leases.len() {
                return fault(FaultKind::Index, None, Some(l as LeaseIx));
            }
            let other = &plan.leases[o];
            let mutual = next[o] < other.overlaps.len() && other.overlaps[next[o]] as usize == l;
            if !mutual || other.name.len() == lease.name.len() || !same(other.source, lease.source) {
                return fault(FaultKind::Overlaps, None, Some(l as LeaseIx));
            }
            next[o] += 1;
            i += 1;
        }
        l += 1;
    }
    let mut l = 0;
    while l < plan.leases.len() {
        if next[l] != plan.leases[l].overlaps.len() {
            return fault(FaultKind::Overlaps, None, Some(l as LeaseIx));
        }
        l += 1;
    }
    Ok(())
}

/// `==` for const functions.
const fn same(a: Source, b: Source) -> bool {
    match (a, b) {
        (Source::Owned, Source::Owned)
        | (Source::Shared, Source::Shared)
        | (Source::Exclusive, Source::Exclusive)
        | (Source::Call, Source::Call)
        | (Source::Host, Source::Host) => true,
        (Source::Node(a), Source::Node(b)) => a == b,
        _ => false,
    }
}

/// A walk over the steps.
struct Judge<'p, const NODES: usize, const LEASES: usize> {
    plan: &'p Plan<'p>,
    facts: Facts<NODES, LEASES>,
    /// How many nodes have run; the node that runs, while one does.
    ran: usize,
}

impl<const NODES: usize, const LEASES: usize> Judge<'_, NODES, LEASES> {
    const fn step(&mut self, step: &Step<'_>) -> Judged {
        match step {
            Step::Node(n) => {
                if *n as usize != self.ran || self.ran >= self.plan.nodes.len() {
                    return fault(FaultKind::NodeOrder, Some(*n), None);
                }
                ok!(self.node(&self.plan.nodes[self.ran]));
                self.ran += 1;
                Ok(())
            }
            Step::Release(l) => {
                ok!(self.in_table(*l));
                self.end(*l, Life::Whole)
            }
            Step::EndOfBlock(l) => {
                ok!(self.in_table(*l));
                self.end(*l, Life::InPart)
            }
            Step::Host(host) => self.host(host),
        }
    }

    /// A fault about a lease at the node that runs, or after the last one that did.
    const fn about(&self, kind: FaultKind, l: LeaseIx) -> Judged {
        fault(kind, Some(self.ran as u16), Some(l))
    }

    const fn in_table(&self, l: LeaseIx) -> Judged {
        if l as usize >= self.plan.leases.len() { self.about(FaultKind::Index, l) } else { Ok(()) }
    }

    const fn node(&mut self, node: &Node<'_>) -> Judged {
        let s = node.stream as usize;
        if s >= self.plan.streams.len() {
            return fault(FaultKind::Index, Some(self.ran as u16), None);
        }
        self.facts.at[s] += 1;
        self.facts.rows[s][s] = self.facts.at[s];
        ok!(self.waits(node, s));
        // All uses of a node happen together, so each is judged by the facts before it.
        let mut i = 0;
        while i < node.uses.len() {
            ok!(self.use_(&node.uses[i], s));
            i += 1;
        }
        let mut i = 0;
        while i < node.uses.len() {
            let used = &node.uses[i];
            match used.mode {
                Mode::Read => self.facts.used(self.plan, used.lease as usize, s, false, used.by_ledger),
                Mode::Write => self.facts.used(self.plan, used.lease as usize, s, true, used.by_ledger),
                Mode::Consume => ok!(self.end(used.lease, Life::Whole)),
            }
            i += 1;
        }
        let mut i = 0;
        while i < node.makes.len() {
            let l = node.makes[i];
            ok!(self.birth(l, Source::Node(self.ran as u16)));
            let made = LeaseFacts::made(node.stream, self.facts.at[s]);
            self.facts.born(self.plan, l as usize, &made);
            i += 1;
        }
        if node.record.any() {
            self.facts.events[self.ran] = self.facts.rows[s];
        }
        Ok(())
    }

    const fn waits(&mut self, node: &Node<'_>, s: usize) -> Judged {
        let here = Some(self.ran as u16);
        let mut i = 0;
        while i < node.waits.len() {
            let wait = &node.waits[i];
            let n = wait.node as usize;
            if n >= self.plan.nodes.len() {
                return fault(FaultKind::Index, here, None);
            }
            if n >= self.ran {
                return fault(FaultKind::WaitNotRun, here, None);
            }
            if self.plan.nodes[n].stream as usize == s {
                return fault(FaultKind::WaitSameStream, here, None);
            }
            if !self.plan.nodes[n].record.any() {
                return fault(FaultKind::WaitUnrecorded, here, None);
            }
            if wait.reasons.is_empty() && wait.carries.is_empty() {
                return fault(FaultKind::WaitNoReason, here, None);
            }
            let mut r = 0;
            while r < wait.reasons.len() {
                ok!(self.in_table(wait.reasons[r].lease));
                r += 1;
            }
            let mut c = 0;
            while c < wait.carries.len() {
                ok!(self.in_table(wait.carries[c]));
                c += 1;
            }
            let mut t = 0;
            while t < self.plan.streams.len() {
                let known = self.facts.events[n][t];
                if known > self.facts.rows[s][t] {
                    self.facts.rows[s][t] = known;
                }
                t += 1;
            }
            i += 1;
        }
        Ok(())
    }

    const fn use_(&self, used: &Use, s: usize) -> Judged {
        let l = used.lease as usize;
        ok!(self.in_table(used.lease));
        ok!(self.there(used.lease));
        let writes = !matches!(used.mode, Mode::Read);
        if !self.facts.ordered(self.plan, l, s, writes) {
            let kind = match used.mode {
                Mode::Read => FaultKind::ReadUnordered,
                Mode::Write => FaultKind::WriteUnordered,
                Mode::Consume => FaultKind::ConsumeUnordered,
            };
            return self.about(kind, used.lease);
        }
        if used.by_ledger {
            if !self.plan.leases[l].source.is_foreign() && !self.facts.leases[l].lent {
                return self.about(FaultKind::LedgerUndue, used.lease);
            }
        } else if self.facts.must_ask(self.plan, l, s, writes) {
            return self.about(FaultKind::LedgerUnasked, used.lease);
        }
        Ok(())
    }

    const fn host(&mut self, host: &Host<'_>) -> Judged {
        let mut i = 0;
        while i < host.uses.len() {
            ok!(self.in_table(host.uses[i].lease));
            ok!(self.there(host.uses[i].lease));
            i += 1;
        }
        let mut i = 0;
        while i < host.uses.len() {
            let l = host.uses[i].lease;
            match host.uses[i].mode {
                HostMode::Lend => self.facts.lend(self.plan, l, false),
                HostMode::LendMut => self.facts.lend(self.plan, l, true),
                HostMode::Move | HostMode::HandOut => ok!(self.end(l, Life::Whole)),
            }
            i += 1;
        }
        let mut i = 0;
        while i < host.makes.len() {
            let l = host.makes[i];
            ok!(self.in_table(l));
            let source = self.plan.leases[l as usize].source;
            // Either is right for a host statement.
            let expected = if matches!(source, Source::Call) { Source::Call } else { Source::Host };
            ok!(self.birth(l, expected));
            self.facts.born_foreign(self.plan, l as usize);
            i += 1;
        }
        Ok(())
    }

    /// A lease that is used is there as a whole.
    const fn there(&self, l: LeaseIx) -> Judged {
        match self.facts.leases[l as usize].life {
            Life::Whole => Ok(()),
            Life::Unborn => self.about(FaultKind::NotBorn, l),
            Life::InPart | Life::Ended => self.about(FaultKind::UsedAfterEnd, l),
        }
    }

    /// A lease is born where its source says, alone or with all within it.
    const fn birth(&self, l: LeaseIx, source: Source) -> Judged {
        ok!(self.in_table(l));
        if !same(self.plan.leases[l as usize].source, source) {
            return self.about(FaultKind::Source, l);
        }
        match self.facts.leases[l as usize].life {
            Life::Unborn => Ok(()),
            _ => self.about(FaultKind::BornTwice, l),
        }
    }

    /// Ends a lease that must be whole, or at least there in part.
    const fn end(&mut self, l: LeaseIx, as_: Life) -> Judged {
        if !self.plan.leases[l as usize].source.is_owned() {
            return self.about(FaultKind::EndsBorrowed, l);
        }
        match (self.facts.leases[l as usize].life, as_) {
            // What the tail expression still mentions is left to its block whole.
            (Life::Whole, _) | (Life::InPart, Life::InPart) => {
                self.facts.end(self.plan, l as usize);
                Ok(())
            }
            (Life::Unborn, _) => self.about(FaultKind::NotBorn, l),
            (Life::Ended, _) => self.about(FaultKind::EndedTwice, l),
            (Life::InPart, _) => self.about(FaultKind::EndsInPart, l),
        }
    }

    /// At the end every node has run and every owned lease has ended.
    const fn finish(&self) -> Judged {
        if self.ran != self.plan.nodes.len() {
            return fault(FaultKind::NodeOrder, Some(self.ran as u16), None);
        }
        let mut l = 0;
        while l < self.plan.leases.len() {
            let ix = Some(l as LeaseIx);
            match self.facts.leases[l].life {
                Life::Ended => {}
                Life::Unborn => return fault(FaultKind::NeverBorn, None, ix),
                _ if self.plan.leases[l].source.is_owned() => return fault(FaultKind::NotEnded, None, ix),
                _ => {}
            }
            l += 1;
        }
        Ok(())
    }
}
