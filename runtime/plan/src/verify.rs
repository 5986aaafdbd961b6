//! The judge of a plan.
//!
//! [`verify`] runs while the user's crate compiles, on the very constant that the run time executes. It shares
//! nothing with the analysis that made the plan: that one works on sets of facts per node, this one replays the
//! steps once with a clock row per stream (see [`facts`]).
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

use crate::facts::{self, LeaseFacts, Life, NONE, ONE, Row, TOP, lane, later, ordered};
use crate::{
    Fault, FaultKind, Host, HostMode, LeaseIx, MAX_NODES, MAX_STREAMS, Mode, Plan, Source, Step, Use, Wait,
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
    let mut events = [NONE; NODES];
    let mut leases = [LeaseFacts::UNBORN; LEASES];
    let facts: &mut [LeaseFacts] = &mut leases;
    if facts::start(plan, facts) {
        ok!(overlaps(plan, &mut [0; LEASES]));
    }
    let (nodes, leases, streams) = (plan.nodes.len(), plan.leases.len(), plan.streams.len());
    let rows = [NONE; MAX_STREAMS];
    let mut judge = Judge { plan, nodes, leases, streams, rows, events: &mut events, ran: 0 };
    ok!(judge.walk(facts));
    judge.finish(facts)
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
    streams: usize,
    /// What each stream is ordered after; its own lane counts the nodes that it has run.
    rows: [Row; MAX_STREAMS],
    /// For each node that records: its stream's row at that moment.
    events: &'p mut [Row],
    /// How many nodes have run; the node that runs, while one does.
    ran: usize,
}

impl Judge<'_> {
    const fn host_step(&self, facts: &mut [LeaseFacts], step: &Step<'_>) -> Judged {
        match step {
            Step::Node(_) => Ok(()), // not here
            Step::Release(l) => self.end(facts, *l, Life::Whole),
            Step::EndOfBlock(l) => self.end(facts, *l, Life::InPart),
            Step::Host(host) => self.host(facts, host),
            _ => fault(FaultKind::Structure, None, None),
        }
    }

    /// A fault about a lease at the node that runs, or after the last one that did.
    const fn about(&self, kind: FaultKind, l: LeaseIx) -> Judged {
        fault(kind, Some(self.ran as u16), Some(l))
    }

    /// All steps: of each node its waits, uses, what it makes, its record.
    ///
    /// One function, with the usual case of everything written out, because each call sets up a frame and works out the
    /// types of its locals anew. Uses are judged one after the other, each with what the ones before it left behind.
    /// They are of one stream, so among themselves they are ordered; only ends matter. A lease that is `own` or
    /// `outside` is looked at here: one word, one comparison. Whatever is not right then, and all other leases,
    /// [`used`](Judge::used) judges by every fact.
    #[allow(clippy::too_many_lines)]
    const fn walk(&mut self, facts: &mut [LeaseFacts]) -> Judged {
        let (top, leases, whole, ended) = (TOP, self.leases, Life::Whole, Life::Ended);
        let nodes = self.plan.nodes;
        let mut steps = self.plan.steps;
        while let [step, later_steps @ ..] = steps {
            steps = later_steps;
            let Step::Node(n) = step else {
                ok!(self.host_step(facts, step));
                continue;
            };
            let here = *n as usize;
            if here != self.ran || here >= self.nodes {
                return fault(FaultKind::NodeOrder, Some(*n), None);
            }
            let node = &nodes[here];
            if let [_, ..] = node.renews {
                return fault(FaultKind::Structure, Some(here as u16), None);
            }
            let s = node.stream as usize;
            if s >= self.streams {
                return fault(FaultKind::Index, Some(here as u16), None);
            }
            let (lane, mut row) = (lane(s), self.rows[s]);
            row = Row { low: row.low + (ONE & lane.low), high: row.high + (ONE & lane.high) };
            let mut waits = node.waits;
            while let [wait, rest @ ..] = waits {
                let n = wait.node as usize;
                if n >= here {
                    return self.wait_fault(wait);
                }
                let awaited = &nodes[n];
                if awaited.stream == node.stream {
                    return self.wait_fault(wait);
                }
                let record = &awaited.record;
                if !(record.awaited || record.leaves || record.home) {
                    return self.wait_fault(wait);
                }
                let (mut reasons, mut carries) = (wait.reasons, wait.carries);
                if matches!(reasons, []) && matches!(carries, []) {
                    return self.wait_fault(wait);
                }
                while let [reason, rest @ ..] = reasons {
                    if reason.lease as usize >= leases {
                        return self.about(FaultKind::Index, reason.lease);
                    }
                    reasons = rest;
                }
                while let [lease, rest @ ..] = carries {
                    if *lease as usize >= leases {
                        return self.about(FaultKind::Index, *lease);
                    }
                    carries = rest;
                }
                let event = &self.events[n];
                row.low = later!(top, row.low, event.low);
                if self.streams > 8 {
                    row.high = later!(top, row.high, event.high);
                }
                waits = rest;
            }
            self.rows[s] = row;
            let mark = Row { low: row.low & lane.low, high: row.high & lane.high };
            let (now, others, at) = (row.low | top, !lane.low, mark.low);
            let never = lane.low & !top;
            let mut uses = node.uses;
            while let [used, rest @ ..] = uses {
                let l = used.lease as usize;
                if l >= leases {
                    return self.about(FaultKind::Index, used.lease);
                }
                let f = &mut facts[l];
                let mut judged = false;
                if f.own {
                    if let Mode::Read = used.mode {
                        if (now - f.wrote.low) & top == top {
                            f.used.low = f.used.low & others | at;
                            judged = !used.by_ledger;
                        }
                    } else if !used.by_ledger && (now - f.used.low) & top == top {
                        if let Mode::Write = used.mode {
                            f.wrote = mark;
                            f.used = mark;
                        } else {
                            f.life = ended;
                            f.own = false;
                        }
                        judged = true;
                    }
                } else if f.outside {
                    // Others wrote it last, so there is nothing of ours to be ordered after.
                    if let Mode::Read = used.mode {
                        if used.by_ledger && f.asked.low & lane.low == never {
                            f.asked.low = f.asked.low & others | at;
                        }
                        judged = used.by_ledger || (now - f.asked.low) & top != 0;
                        f.used.low = f.used.low & others | at;
                    }
                }
                if !judged {
                    ok!(self.used(facts, used, &row, &lane, &mark));
                }
                uses = rest;
            }
            let mut makes = node.makes;
            while let [l, rest @ ..] = makes {
                let l = *l as usize;
                if l >= leases {
                    return self.about(FaultKind::Index, l as LeaseIx);
                }
                let f = &mut facts[l];
                if f.maker != here as u16 {
                    return self.about(FaultKind::Source, l as LeaseIx);
                }
                match f.life {
                    Life::Unborn if !f.nested => {
                        f.life = whole;
                        f.own = true;
                        f.wrote = mark;
                        f.used = mark;
                    }
                    Life::Unborn => facts::born(facts, self.plan, l, Some(&mark)),
                    _ => return self.about(FaultKind::BornTwice, l as LeaseIx),
                }
                makes = rest;
            }
            if node.record.awaited || node.record.leaves || node.record.home {
                self.events[here] = row;
            }
            self.ran = here + 1;
        }
        Ok(())
    }

    const fn unordered(&self, used: &Use) -> Judged {
        let kind = match used.mode {
            Mode::Read => FaultKind::ReadUnordered,
            Mode::Write => FaultKind::WriteUnordered,
            Mode::Consume => FaultKind::ConsumeUnordered,
        };
        self.about(kind, used.lease)
    }

    /// Any use of a place.
    const fn used(&self, facts: &mut [LeaseFacts], used: &Use, row: &Row, lane: &Row, mark: &Row) -> Judged {
        ok!(self.there(facts, used.lease));
        let l = used.lease as usize;
        let (f, writes) = (&facts[l], !matches!(used.mode, Mode::Read));
        let due = if writes { &f.used } else { &f.wrote };
        if !ordered(row, due) || !facts::ordered_within(facts, self.plan, l, row, writes) {
            return self.unordered(used);
        }
        if used.by_ledger {
            if !f.foreign && !f.lent {
                return self.about(FaultKind::LedgerUndue, used.lease);
            }
        } else if facts::must_ask(facts, self.plan, l, row, writes) {
            return self.about(FaultKind::LedgerUnasked, used.lease);
        }
        match used.mode {
            Mode::Read => facts::read(facts, self.plan, l, lane, mark, used.by_ledger),
            Mode::Write => facts::written(facts, self.plan, l, mark),
            Mode::Consume => return self.end(facts, used.lease, Life::Whole),
        }
        Ok(())
    }

    /// What is wrong with a wait that does not name an earlier, recording node of another stream, or has no reason.
    const fn wait_fault(&self, wait: &Wait<'_>) -> Judged {
        let n = wait.node as usize;
        let kind = if n >= self.nodes {
            FaultKind::Index
        } else if n >= self.ran {
            FaultKind::WaitNotRun
        } else if self.plan.nodes[n].stream == self.plan.nodes[self.ran].stream {
            FaultKind::WaitSameStream
        } else if !self.plan.nodes[n].record.any() {
            FaultKind::WaitUnrecorded
        } else {
            FaultKind::WaitNoReason
        };
        fault(kind, Some(self.ran as u16), None)
    }

    const fn host(&self, facts: &mut [LeaseFacts], host: &Host<'_>) -> Judged {
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            ok!(self.there(facts, used.lease));
            uses = rest;
        }
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            match used.mode {
                HostMode::Lend => facts::lend(facts, self.plan, used.lease, false),
                HostMode::LendMut => facts::lend(facts, self.plan, used.lease, true),
                HostMode::Move | HostMode::HandOut => ok!(self.end(facts, used.lease, Life::Whole)),
            }
            uses = rest;
        }
        let mut makes = host.makes;
        while let [l, rest @ ..] = makes {
            // A host statement makes results of calls or values of its own.
            let call =
                (*l as usize) < self.leases && matches!(self.plan.leases[*l as usize].source, Source::Call);
            ok!(self.birth(facts, *l, if call { Source::Call } else { Source::Host }));
            facts::born(facts, self.plan, *l as usize, None);
            makes = rest;
        }
        Ok(())
    }

    /// A lease that is used is there as a whole.
    const fn there(&self, facts: &[LeaseFacts], l: LeaseIx) -> Judged {
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
        match facts[l as usize].life {
            Life::Whole => Ok(()),
            Life::Unborn => self.about(FaultKind::NotBorn, l),
            Life::InPart | Life::Ended => self.about(FaultKind::UsedAfterEnd, l),
        }
    }

    /// A lease is born where its source says.
    const fn birth(&self, facts: &[LeaseFacts], l: LeaseIx, source: Source) -> Judged {
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
        if !same(self.plan.leases[l as usize].source, source) {
            return self.about(FaultKind::Source, l);
        }
        match facts[l as usize].life {
            Life::Unborn => Ok(()),
            _ => self.about(FaultKind::BornTwice, l),
        }
    }

    /// Ends a lease that must be whole, or at least there in part.
    const fn end(&self, facts: &mut [LeaseFacts], l: LeaseIx, as_: Life) -> Judged {
        if l as usize >= self.leases {
            return self.about(FaultKind::Index, l);
        }
        if matches!(self.plan.leases[l as usize].source, Source::Shared | Source::Exclusive) {
            return self.about(FaultKind::EndsBorrowed, l);
        }
        match (facts[l as usize].life, as_) {
            // What the tail expression still mentions is left to its block whole.
            (Life::Whole, _) | (Life::InPart, Life::InPart) => {
                facts::end(facts, self.plan, l as usize);
                Ok(())
            }
            (Life::Unborn, _) => self.about(FaultKind::NotBorn, l),
            (Life::Ended, _) => self.about(FaultKind::EndedTwice, l),
            (Life::InPart, _) => self.about(FaultKind::EndsInPart, l),
        }
    }

    /// At the end every node has run and every owned lease has ended.
    const fn finish(&self, facts: &[LeaseFacts]) -> Judged {
        if self.ran != self.nodes {
            return fault(FaultKind::NodeOrder, Some(self.ran as u16), None);
        }
        let mut l = 0;
        while l < self.leases {
            let f = &facts[l];
            if !matches!(f.life, Life::Ended) {
                let ix = Some(l as LeaseIx);
                if matches!(f.life, Life::Unborn) {
                    return fault(FaultKind::NeverBorn, None, ix);
                }
                if !f.borrowed {
                    return fault(FaultKind::NotEnded, None, ix);
                }
            }
            l += 1;
        }
        Ok(())
    }
}
