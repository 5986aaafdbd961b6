//! What the judge knows at one point of a plan.
//!
//! Order is a clock row per stream: `rows[s][t]` is the position on `t` up to which stream `s` is ordered.
//! Positions count a stream's nodes from 1. An event keeps the row of its stream as it was when recorded; a wait
//! merges that row. A [`LeaseFacts`] holds the uses that a later one has to be ordered after.
//!
//! A use of a place is stored with the place **and with every place inside it**; whoever asks looks at its own
//! facts and at those of the places inside it. So each pair of overlapping uses meets exactly once, and what is
//! said about a part (lent away, written anew) never touches its siblings.
//!
//! Joins of control flow compare and meet values of [`Facts`]; nothing here depends on how a point was reached.

use crate::{LeaseIx, MAX_STREAMS, Plan};

/// Per stream: a position on it.
pub(crate) type Row = [u16; MAX_STREAMS];

/// Where a lease is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Not made yet.
    Unborn,
    /// All of it is there.
    Whole,
    /// A place inside it has ended.
    InPart,
    /// Gone.
    Ended,
}

/// What is known of a lease.
#[derive(Clone, Copy)]
pub(crate) struct LeaseFacts {
    pub(crate) life: Life,
    /// Stream of the last own write, and its position; position 0 is none.
    pub(crate) writer: u8,
    pub(crate) wrote: u16,
    /// The streams that read it since, as bits, and their last such positions.
    pub(crate) readers: u16,
    pub(crate) read: Row,
    /// Others may have written it, or read it, since this chunk last wrote it.
    pub(crate) others_wrote: bool,
    pub(crate) others_read: bool,
    /// It, or a place that it overlaps, was lent since this chunk last wrote it.
    pub(crate) lent: bool,
    /// The streams that asked its ledger since others last wrote it, and the first position at which they did.
    pub(crate) askers: u16,
    pub(crate) asked: Row,
}

impl LeaseFacts {
    const UNBORN: LeaseFacts = LeaseFacts {
        life: Life::Unborn,
        writer: 0,
        wrote: 0,
        readers: 0,
        read: [0; MAX_STREAMS],
        others_wrote: false,
        others_read: false,
        lent: false,
        askers: 0,
        asked: [0; MAX_STREAMS],
    };

    /// Alive, and used by others only so far.
    const FOREIGN: LeaseFacts =
        LeaseFacts { life: Life::Whole, others_wrote: true, others_read: true, ..LeaseFacts::UNBORN };

    /// Alive, and written by the node at this position only.
    pub(crate) const fn made(stream: u8, at: u16) -> LeaseFacts {
        LeaseFacts { life: Life::Whole, writer: stream, wrote: at, ..LeaseFacts::UNBORN }
    }
}

/// What is known at one point.
pub(crate) struct Facts<const NODES: usize, const LEASES: usize> {
    /// How many nodes each stream has run.
    pub(crate) at: Row,
    /// What each stream is ordered after.
    pub(crate) rows: [Row; MAX_STREAMS],
    /// For each node that records: its stream's row at that moment.
    pub(crate) events: [Row; NODES],
    /// What is known of each lease.
    pub(crate) leases: [LeaseFacts; LEASES],
}

impl<const NODES: usize, const LEASES: usize> Facts<NODES, LEASES> {
    /// At the start of a chunk: parameters are there, all else is still to be made.
    pub(crate) const fn start(plan: &Plan<'_>) -> Self {
        let mut facts = Facts {
            at: [0; MAX_STREAMS],
            rows: [[0; MAX_STREAMS]; MAX_STREAMS],
            events: [[0; MAX_STREAMS]; NODES],
            leases: [LeaseFacts::UNBORN; LEASES],
        };
        let mut l = 0;
        while l < plan.leases.len() {
            if plan.leases[l].source.is_parameter() {
                facts.leases[l] = LeaseFacts::FOREIGN;
            }
            l += 1;
        }
        facts
    }

    /// Whether stream `s` is ordered after the last own write of this lease.
    const fn after_write(&self, l: usize, s: usize) -> bool {
        let f = &self.leases[l];
        self.rows[s][f.writer as usize] >= f.wrote
    }

    /// Whether stream `s` is ordered after every own use of this lease.
    const fn after_all(&self, l: usize, s: usize) -> bool {
        if !self.after_write(l, s) {
            return false;
        }
        let mut left = self.leases[l].readers;
        while left != 0 {
            let t = left.trailing_zeros() as usize;
            if self.rows[s][t] < self.leases[l].read[t] {
                return false;
            }
            left &= left - 1;
        }
        true
    }

    /// Whether a use on stream `s` is ordered after the own uses of lease `l` that it conflicts with.
    pub(crate) const fn ordered(&self, plan: &Plan<'_>, l: usize, s: usize, writes: bool) -> bool {
        if if writes { !self.after_all(l, s) } else { !self.after_write(l, s) } {
            return false;
        }
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            if within(plan, o, l) && if writes { !self.after_all(o, s) } else { !self.after_write(o, s) } {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether others' uses of this lease may conflict with a use on stream `s` that nothing has settled yet.
    ///
    /// A read asks for the last write only, and one ask serves every stream that is ordered after it. A write
    /// also asks for all reads, which no earlier read has asked for.
    const fn unsettled(&self, l: usize, s: usize, writes: bool) -> bool {
        let f = &self.leases[l];
        if writes {
            return f.others_wrote || f.others_read;
        }
        if !f.others_wrote {
            return false;
        }
        let mut left = f.askers;
        while left != 0 {
            let t = left.trailing_zeros() as usize;
            if self.rows[s][t] >= f.asked[t] {
                return false;
            }
            left &= left - 1;
        }
        true
    }

    /// Whether a use on stream `s` has to ask the ledger of lease `l`.
    pub(crate) const fn must_ask(&self, plan: &Plan<'_>, l: usize, s: usize, writes: bool) -> bool {
        if self.unsettled(l, s, writes) {
            return true;
        }
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            if within(plan, o, l) && self.unsettled(o, s, writes) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Stores a node's use of one lease; `asks` if it asked the ledger.
    const fn mark(&mut self, l: usize, s: usize, writes: bool, asks: bool) {
        let at = self.at[s];
        let f = &mut self.leases[l];
        let bit = 1 << s;
        if writes {
            *f = LeaseFacts { life: f.life, ..LeaseFacts::made(s as u8, at) };
            return;
        }
        f.readers |= bit;
        f.read[s] = at;
        if asks && f.askers & bit == 0 {
            f.askers |= bit;
            f.asked[s] = at;
        }
    }

    /// Stores a node's use of lease `l` and of all within.
    pub(crate) const fn used(&mut self, plan: &Plan<'_>, l: usize, s: usize, writes: bool, asks: bool) {
        self.mark(l, s, writes, asks);
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            if within(plan, o, l) {
                self.mark(o, s, writes, asks);
            }
            i += 1;
        }
    }

    /// Stores that lease `l` was lent to a called chunk. If that may write, it came after all that we know of:
    /// our own uses are behind its marks, and only the ledger can tell.
    pub(crate) const fn lend(&mut self, plan: &Plan<'_>, l: LeaseIx, writes: bool) {
        let lease = &plan.leases[l as usize];
        let mut i = 0;
        while i <= lease.overlaps.len() {
            let o = if i == lease.overlaps.len() { l as usize } else { lease.overlaps[i] as usize };
            let f = &mut self.leases[o];
            if o == l as usize || within(plan, o, l as usize) {
                if writes {
                    *f = LeaseFacts { life: f.life, ..LeaseFacts::FOREIGN };
                }
                f.others_read = true;
            }
            f.lent = true;
            i += 1;
        }
    }

    /// Brings lease `l` and all within to life.
    pub(crate) const fn born(&mut self, plan: &Plan<'_>, l: usize, as_: &LeaseFacts) {
        self.leases[l] = *as_;
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            if within(plan, o, l) {
                self.leases[o] = *as_;
            }
            i += 1;
        }
    }

    /// Brings lease `l` and all within to life as something that others made.
    pub(crate) const fn born_foreign(&mut self, plan: &Plan<'_>, l: usize) {
        self.born(plan, l, &LeaseFacts::FOREIGN);
    }

    /// Ends lease `l` and all within; what contains it is there in part from now on.
    pub(crate) const fn end(&mut self, plan: &Plan<'_>, l: usize) {
        self.leases[l].life = Life::Ended;
        let lease = &plan.leases[l];
        let mut i = 0;
        while i < lease.overlaps.len() {
            let o = lease.overlaps[i] as usize;
            self.leases[o].life = if within(plan, o, l) { Life::Ended } else { Life::InPart };
            i += 1;
        }
    }
}

/// Whether lease `inner`, which overlaps `outer`, lies within it: of two overlapping places one path is a prefix
/// of the other, so the longer name is the inner one.
pub(crate) const fn within(plan: &Plan<'_>, inner: usize, outer: usize) -> bool {
    plan.leases[inner].name.len() > plan.leases[outer].name.len()
}
