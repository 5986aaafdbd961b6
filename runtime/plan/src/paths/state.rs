//! What the judge of paths knows at one point, and what is known where paths meet.
//!
//! A fact "s is after n" speaks of the latest execution of node n on this path; of a node that has not run it holds,
//! idly. A snapshot is a stream's facts when a node was done, about nodes that may have run by then. Where paths meet,
//! facts that hold on both stay, and uses that are due on either stay due.
//!
//! Only what lies within the outermost construct around the point can differ between paths that meet, so only that
//! range of nodes is looked at ([`Range`]), and only the leases that the construct's steps touch.

use crate::{LeaseIx, MAX_STREAMS, Plan, Source, Step};

/// A set of nodes.
pub(super) type Set<const W: usize> = [u128; W];

pub(super) const fn has<const W: usize>(set: &Set<W>, bit: usize) -> bool {
    set[bit / 128] >> (bit % 128) & 1 == 1
}

pub(super) const fn put<const W: usize>(set: &mut Set<W>, bit: usize) {
    set[bit / 128] |= 1 << (bit % 128);
}

pub(super) const fn cut<const W: usize>(set: &mut Set<W>, bit: usize) {
    set[bit / 128] &= !(1 << (bit % 128));
}

/// Whether all of one set is in another.
pub(super) const fn within_set<const W: usize>(set: &Set<W>, of: &Set<W>) -> bool {
    let mut w = 0;
    while w < W {
        if set[w] & !of[w] != 0 {
            return false;
        }
        w += 1;
    }
    true
}

/// Keeps what both have; whether that changed the first.
const fn both<const W: usize>(set: &mut Set<W>, other: &Set<W>) -> bool {
    let mut changed = false;
    let mut w = 0;
    while w < W {
        changed |= set[w] & !other[w] != 0;
        set[w] &= other[w];
        w += 1;
    }
    changed
}

/// Keeps what either has; whether that changed the first.
const fn either<const W: usize>(set: &mut Set<W>, other: &Set<W>) -> bool {
    let mut changed = false;
    let mut w = 0;
    while w < W {
        changed |= other[w] & !set[w] != 0;
        set[w] |= other[w];
        w += 1;
    }
    changed
}

/// Where a lease is in its life.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// Not made yet.
    Unborn,
    /// All of it is there.
    Whole,
    /// A place inside it has ended.
    InPart,
    /// Gone.
    Ended,
    /// Made on some paths; a name that stands for several places may mean it.
    MayBeBorn,
    /// Gone on some paths.
    Maybe,
}

impl Life {
    const fn meet(self, other: Life) -> Life {
        match (self, other) {
            (Life::Unborn, Life::Unborn) => Life::Unborn,
            (Life::Whole, Life::Whole) => Life::Whole,
            (Life::InPart | Life::Whole, Life::InPart) | (Life::InPart, Life::Whole) => Life::InPart,
            (Life::Unborn | Life::Whole | Life::MayBeBorn, Life::MayBeBorn)
            | (Life::MayBeBorn, Life::Unborn | Life::Whole)
            | (Life::Unborn, Life::Whole)
            | (Life::Whole, Life::Unborn) => Life::MayBeBorn,
            (Life::Ended | Life::Unborn, Life::Ended) | (Life::Ended, Life::Unborn) => Life::Ended,
            _ => Life::Maybe,
        }
    }
}

/// What is known of a lease.
#[derive(Clone, Copy)]
pub(super) struct LeaseFacts<const W: usize> {
    pub(super) life: Life,
    /// It, or a place that it overlaps, was lent since this chunk last wrote it.
    pub(super) lent: bool,
    /// Others may have written it, or read it, since this chunk last wrote it.
    pub(super) others_wrote: bool,
    pub(super) others_read: bool,
    /// The streams that have asked its ledger since others may have written it.
    pub(super) asked: u16,
    /// The last own writes, one on each path.
    pub(super) wrote: Set<W>,
    /// Those, and all own reads since.
    pub(super) used: Set<W>,
}

impl<const W: usize> LeaseFacts<W> {
    const UNBORN: LeaseFacts<W> = LeaseFacts {
        life: Life::Unborn,
        lent: false,
        others_wrote: false,
        others_read: false,
        asked: 0,
        wrote: [0; W],
        used: [0; W],
    };

    /// Only others have used it.
    pub(super) const fn others(&mut self) {
        self.others_wrote = true;
        self.others_read = true;
        self.asked = 0;
        self.wrote = [0; W];
        self.used = [0; W];
    }

    /// Only this node has used it.
    pub(super) const fn written(&mut self, node: usize) {
        self.lent = false;
        self.others_wrote = false;
        self.others_read = false;
        self.asked = 0;
        self.wrote = [0; W];
        put(&mut self.wrote, node);
        self.used = self.wrote;
    }

    const fn meet(&mut self, other: &Self) -> bool {
        let life = self.life.meet(other.life);
        let mut changed = life as u8 != self.life as u8
            || other.lent && !self.lent
            || other.others_wrote && !self.others_wrote
            || other.others_read && !self.others_read;
        self.life = life;
        self.lent |= other.lent;
        // A path on which nobody else has written it needs no asking.
        let mine = if self.others_wrote { self.asked } else { u16::MAX };
        let theirs = if other.others_wrote { other.asked } else { u16::MAX };
        self.others_wrote |= other.others_wrote;
        self.others_read |= other.others_read;
        let asked = if self.others_wrote { mine & theirs } else { 0 };
        changed |= asked != self.asked;
        self.asked = asked;
        changed |= either(&mut self.wrote, &other.wrote);
        changed |= either(&mut self.used, &other.used);
        changed
    }
}

/// Nodes and steps of an outermost construct.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) nodes: (usize, usize),
}

/// What is known at one point.
#[derive(Clone, Copy)]
pub(super) struct State<const N: usize, const L: usize, const W: usize> {
    /// Whether control comes here.
    pub(super) comes: bool,
    /// What each stream is after.
    pub(super) after: [Set<W>; MAX_STREAMS],
    /// For each node its stream's facts when it was last done.
    pub(super) snapshots: [Set<W>; N],
    /// Nodes that have run on every path here, and on some.
    pub(super) ran: Set<W>,
    pub(super) may_have_run: Set<W>,
    /// For each node those that have run if it has, within the outermost construct.
    pub(super) implied: [Set<W>; N],
    pub(super) leases: [LeaseFacts<W>; L],
}

impl<const N: usize, const L: usize, const W: usize> State<N, L, W> {
    /// Where control does not come.
    pub(super) const NOWHERE: Self = State {
        comes: false,
        after: [[u128::MAX; W]; MAX_STREAMS],
        snapshots: [[0; W]; N],
        ran: [0; W],
        may_have_run: [0; W],
        implied: [[u128::MAX; W]; N],
        leases: [LeaseFacts::UNBORN; L],
    };

    /// At the start of a chunk: parameters are there, all else is still to be made.
    pub(super) const fn start(plan: &Plan<'_>) -> Self {
        let mut state = State { comes: true, ..Self::NOWHERE };
        let mut l = 0;
        while l < plan.leases.len() {
            if matches!(plan.leases[l].source, Source::Owned | Source::Shared | Source::Exclusive) {
                state.leases[l].life = Life::Whole;
                state.leases[l].others();
            }
            l += 1;
        }
        state
    }

    /// Adds a path to those that meet here. `steps` are all steps between the point where the paths parted and this
    /// one. Returns whether that changed anything.
    pub(super) const fn meet(
        &mut self,
        other: &Self,
        plan: &Plan<'_>,
        range: Range,
        steps: (usize, usize),
    ) -> bool {
        if !other.comes {
            return false;
        }
        if !self.comes {
            *self = *other;
            return true;
        }
        let mut changed = both(&mut self.ran, &other.ran);
        let mut s = 0;
        while s < plan.streams.len() {
            changed |= both(&mut self.after[s], &other.after[s]);
            s += 1;
        }
        let mut n = range.nodes.0;
        while n < range.nodes.1 {
            if has(&other.may_have_run, n) {
                if has(&self.may_have_run, n) {
                    changed |= both(&mut self.snapshots[n], &other.snapshots[n]);
                } else {
                    self.snapshots[n] = other.snapshots[n];
                    changed = true;
                }
            }
            changed |= both(&mut self.implied[n], &other.implied[n]);
            n += 1;
        }
        changed |= either(&mut self.may_have_run, &other.may_have_run);
        let mut at = steps.0;
        while at < steps.1 {
            changed |= self.meet_leases(other, plan, &plan.steps[at]);
            at += 1;
        }
        changed
    }

    /// Meets the facts of the leases that a step touches.
    const fn meet_leases(&mut self, other: &Self, plan: &Plan<'_>, step: &Step<'_>) -> bool {
        let mut changed = false;
        match step {
            Step::Node(n) => {
                let node = &plan.nodes[*n as usize];
                let mut uses = node.uses;
                while let [used, rest @ ..] = uses {
                    changed |= self.meet_lease(other, plan, used.lease);
                    uses = rest;
                }
                changed |= self.meet_list(other, plan, node.makes);
                changed |= self.meet_list(other, plan, node.renews);
            }
            Step::Release(l) | Step::EndOfBlock(l) => changed |= self.meet_lease(other, plan, *l),
            Step::Host(host) => {
                let mut uses = host.uses;
                while let [used, rest @ ..] = uses {
                    changed |= self.meet_lease(other, plan, used.lease);
                    uses = rest;
                }
                changed |= self.meet_list(other, plan, host.makes);
            }
            _ => {}
        }
        changed
    }

    const fn meet_list(&mut self, other: &Self, plan: &Plan<'_>, mut list: &[LeaseIx]) -> bool {
        let mut changed = false;
        while let [l, rest @ ..] = list {
            changed |= self.meet_lease(other, plan, *l);
            list = rest;
        }
        changed
    }

    const fn meet_lease(&mut self, other: &Self, plan: &Plan<'_>, l: LeaseIx) -> bool {
        let l = l as usize;
        let mut changed = self.leases[l].meet(&other.leases[l]);
        let mut rest = plan.leases[l].overlaps;
        while let [o, tail @ ..] = rest {
            changed |= self.leases[*o as usize].meet(&other.leases[*o as usize]);
            rest = tail;
        }
        changed
    }
}

/// Whether lease `inner`, which overlaps `outer`, lies within it: of two overlapping places one path is a prefix
/// of the other, so the longer name is the inner one.
pub(super) const fn within(plan: &Plan<'_>, inner: usize, outer: usize) -> bool {
    plan.leases[inner].name.len() > plan.leases[outer].name.len()
}
