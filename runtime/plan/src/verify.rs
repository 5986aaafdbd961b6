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
//!   be left to the end of its block. A whole one may be left there too.
//!
//! It does not judge whether waits are few, releases early, or records due. Names used by value more than once
//! (numbers) are planned as reads but for the last such use, so there is no second consumption to allow for.

use crate::facts::{Facts, LANES, LeaseFacts, Life, ONE, Row, TOP, covers, later};
use crate::{
    Fault, FaultKind, Host, HostMode, LeaseIx, MAX_NODES, MAX_STREAMS, Mode, Node, Plan, Source, Step, Wait,
};

/// `?` for const functions.
macro_rules! ok {
    ($e:expr) => {
        if let Err(fault) = $e {
            return Err(fault);
        }
    };
}

pub(crate) use ok;

pub(crate) type Judged = Result<(), Fault>;

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
    ok!(overlaps(plan, &mut [0; LEASES]));
    let mut events = [[0; 2]; NODES];
    let mut leases = [LeaseFacts::UNBORN; LEASES];
    let facts = Facts::start(plan, &mut events, &mut leases);
    let mut judge = Judge { plan, nodes: plan.nodes.len(), leases: plan.leases.len(), facts, ran: 0 };
    let mut steps = plan.steps;
    while let [step, rest @ ..] = steps {
        ok!(judge.step(step));
        steps = rest;
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

pub(crate) const fn fault(kind: FaultKind, node: Option<u16>, lease: Option<LeaseIx>) -> Judged {
    Err(Fault { kind, node, lease })
}

/// Overlapping is mutual, between leases of one source, one name longer than the other.
///
/// One pass: with both lists ascending, the next lease that names `o` must be the next in the list of `o`.
pub(crate) const fn overlaps(plan: &Plan<'_>, next: &mut [usize]) -> Judged {
    let count = plan.leases.len();
    let mut l = 0;
    while l < count {
        let lease = &plan.leases[l];
        let mut rest = lease.overlaps;
        while let [o, tail @ ..] = rest {
            let o = *o as usize;
            if o >= count {
                return fault(FaultKind::Index, None, Some(l as LeaseIx));
            }
            let other = &plan.leases[o];
            let mutual = next[o] < other.overlaps.len() && other.overlaps[next[o]] as usize == l;
            if !mutual || other.name.len() == lease.name.len() || !same(other.source, lease.source) {
                return fault(FaultKind::Overlaps, None, Some(l as LeaseIx));
            }
            next[o] += 1;
            rest = tail;
        }
        l += 1;
    }
    let mut l = 0;
    while l < count {
        if !matches!(plan.leases[l].overlaps, []) && next[l] != plan.leases[l].overlaps.len() {
            return fault(FaultKind::Overlaps, None, Some(l as LeaseIx));
        }
        l += 1;
    }
    Ok(())
}

/// `==` for const functions.
pub(crate) const fn same(a: Source, b: Source) -> bool {
    match (a, b) {
        (Source::Owned, Source::Owned)
        | (Source::Shared, Source::Shared)
        | (Source::Exclusive, Source::Exclusive)
        | (Source::Call, Source::Call)
        | (Source::Host, Source::Host)
        | (Source::Several, Source::Several)
        | (Source::Item, Source::Item) => true,
        (Source::Node(a), Source::Node(b)) => a == b,
        _ => false,
    }
}

/// A walk over the steps.
struct Judge<'p> {
    plan: &'p Plan<'p>,
    /// How many the plan has of each; a slice's `len` costs a call.
    nodes: usize,
    leases: usize,
    facts: Facts<'p>,
    /// How many nodes have run; the node that runs, while one does.
    ran: usize,
}

impl Judge<'_> {
    const fn step(&mut self, step: &Step<'_>) -> Judged {
        match step {
            Step::Node(n) => {
                if *n as usize != self.ran || self.ran >= self.nodes {
                    return fault(FaultKind::NodeOrder, Some(*n), None);
                }
                let node = &self.plan.nodes[self.ran];
                ok!(self.node(node));
                self.ran += 1;
                Ok(())
            }
            Step::Release(l) => self.end(*l, Life::Whole),
            Step::EndOfBlock(l) => self.end(*l, Life::InPart),
            Step::Host(host) => self.host(host),
            _ => fault(FaultKind::Structure, None, None),
        }
    }

    /// A fault about a lease at the node that runs, or after the last one that did.
    const fn about(&self, kind: FaultKind, l: LeaseIx) -> Judged {
        fault(kind, Some(self.ran as u16), Some(l))
    }

    const fn node(&mut self, node: &Node<'_>) -> Judged {
        if !matches!(node.renews, []) {
            return fault(FaultKind::Structure, Some(self.ran as u16), None);
        }
        let s = node.stream as usize;
        if s >= self.plan.streams.len() {
            return fault(FaultKind::Index, Some(self.ran as u16), None);
        }
        let lane = LANES[s];
        let mut row = self.facts.rows[s];
        row = [row[0] + (ONE & lane[0]), row[1] + (ONE & lane[1])];
        let mut waits = node.waits;
        while let [wait, rest @ ..] = waits {
            ok!(self.wait(wait, node.stream));
            let event = self.facts.events[wait.node as usize];
            row = [later!(row[0], event[0]), later!(row[1], event[1])];
            waits = rest;
        }
        self.facts.rows[s] = row;
        ok!(self.uses(node, &row));
        let mark = [row[0] & lane[0], row[1] & lane[1]];
        ok!(self.marks(node, &lane, &mark));
        if node.record.awaited || node.record.leaves || node.record.home {
            self.facts.events[self.ran] = row;
        }
        Ok(())
    }

    /// A wait names an earlier, recording node of another stream, and has a reason.
    const fn wait(&self, wait: &Wait<'_>, stream: u8) -> Judged {
        let here = Some(self.ran as u16);
        let n = wait.node as usize;
        if n >= self.nodes {
            return fault(FaultKind::Index, here, None);
        }
        if n >= self.ran {
            return fault(FaultKind::WaitNotRun, here, None);
        }
        let awaited = &self.plan.nodes[n];
        if awaited.stream == stream {
            return fault(FaultKind::WaitSameStream, here, None);
        }
        if !awaited.record.awaited && !awaited.record.leaves && !awaited.record.home {
            return fault(FaultKind::WaitUnrecorded, here, None);
        }
        if matches!((wait.reasons, wait.carries), ([], [])) {
            return fault(FaultKind::WaitNoReason, here, None);
        }
        let mut reasons = wait.reasons;
        while let [reason, rest @ ..] = reasons {
            if reason.lease as usize >= self.leases {
                return self.about(FaultKind::Index, reason.lease);
            }
            reasons = rest;
        }
        let mut carries = wait.carries;
        while let [lease, rest @ ..] = carries {
            if *lease as usize >= self.leases {
                return self.about(FaultKind::Index, *lease);
            }
            carries = rest;
        }
        Ok(())
    }

    /// All uses of a node happen together, so each is judged by the facts before the node, and its stream's row.
    const fn uses(&self, node: &Node<'_>, row: &Row) -> Judged {
        let mut uses = node.uses;
        while let [used, rest @ ..] = uses {
            let l = used.lease as usize;
            if l >= self.leases {
                return self.about(FaultKind::Index, used.lease);
            }
            let f = &self.facts.leases[l];
            if !matches!(f.life, Life::Whole) {
                return self.there(used.lease);
            }
            let writes = !matches!(used.mode, Mode::Read);
            let due = if writes { &f.used } else { &f.wrote };
            if !covers!(row, due) || f.nested && !self.facts.ordered_within(self.plan, l, row, writes) {
                let kind = match used.mode {
                    Mode::Read => FaultKind::ReadUnordered,
                    Mode::Write => FaultKind::WriteUnordered,
                    Mode::Consume => FaultKind::ConsumeUnordered,
                };
                return self.about(kind, used.lease);
            }
            if used.by_ledger {
                if !f.foreign && !f.lent {
                    return self.about(FaultKind::LedgerUndue, used.lease);
                }
            } else if (f.others_read || f.others_wrote || f.nested)
                && self.facts.must_ask(self.plan, l, row, writes)
            {
                return self.about(FaultKind::LedgerUnasked, used.lease);
            }
            uses = rest;
        }
        Ok(())
    }

    /// What a node leaves behind.
    const fn marks(&mut self, node: &Node<'_>, lane: &Row, mark: &Row) -> Judged {
        let mut uses = node.uses;
        while let [used, rest @ ..] = uses {
            let l = used.lease as usize;
            match used.mode {
                Mode::Read => {
                    let f = &mut self.facts.leases[l];
                    if f.nested || used.by_ledger {
                        self.facts.read(self.plan, l, lane, mark, used.by_ledger);
                    } else {
                        f.used = [f.used[0] & !lane[0] | mark[0], f.used[1] & !lane[1] | mark[1]];
                    }
                }
                Mode::Write => self.facts.written(self.plan, l, mark),
                Mode::Consume => ok!(self.end(used.lease, Life::Whole)),
            }
            uses = rest;
        }
        let mut makes = node.makes;
        while let [l, rest @ ..] = makes {
            ok!(self.birth(*l, Source::Node(self.ran as u16)));
            self.facts.born(self.plan, *l as usize, Some(mark));
            makes = rest;
        }
        Ok(())
    }

    const fn host(&mut self, host: &Host<'_>) -> Judged {
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            ok!(self.there(used.lease));
            uses = rest;
        }
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            match used.mode {
                HostMode::Lend => self.facts.lend(self.plan, used.lease, false),
                HostMode::LendMut => self.facts.lend(self.plan, used.lease, true),
                HostMode::Move | HostMode::HandOut => ok!(self.end(used.lease, Life::Whole)),
            }
            uses = rest;
        }
        let mut makes = host.makes;
        while let [l, rest @ ..] = makes {
            // A host statement makes results of calls or values of its own.
            let call =
                (*l as usize) < self.leases && matches!(self.plan.leases[*l as usize].source, Source::Call);
            ok!(self.birth(*l, if call { Source::Call } else { Source::Host }));
            self.facts.born(self.plan, *l as usize, None);
            makes = rest;
        }
        Ok(())
    }

    /// A lease that is used is there as a whole.
    const fn there(&self, l: LeaseIx) -> Judged {
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
        match self.facts.leases[l as usize].life {
            Life::Whole => Ok(()),
            Life::Unborn => self.about(FaultKind::NotBorn, l),
            Life::InPart | Life::Ended => self.about(FaultKind::UsedAfterEnd, l),
        }
    }

    /// A lease is born where its source says.
    const fn birth(&self, l: LeaseIx, source: Source) -> Judged {
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
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
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
        if matches!(self.plan.leases[l as usize].source, Source::Shared | Source::Exclusive) {
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
        if self.ran != self.nodes {
            return fault(FaultKind::NodeOrder, Some(self.ran as u16), None);
        }
        let mut l = 0;
        while l < self.leases {
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
