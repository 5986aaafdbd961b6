//! What the judge of paths says of leases: host statements, births and ends.

use super::Judge;
use super::state::{Life, State, within};
use crate::verify::same;
use crate::verify::{Judged, fault, ok};
use crate::{FaultKind, Host, HostMode, LeaseIx, Source};

impl<const N: usize, const L: usize, const W: usize> Judge<'_, N, L, W> {
    pub(super) const fn host(&self, state: &mut State<N, L, W>, host: &Host<'_>) -> Judged {
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            if used.lease as usize >= self.plan.leases.len() {
                return self.about(FaultKind::Index, used.lease);
            }
            ok!(self.there(state, used.lease));
            uses = rest;
        }
        let mut uses = host.uses;
        while let [used, rest @ ..] = uses {
            match used.mode {
                HostMode::Lend => self.lend(state, used.lease as usize, false),
                HostMode::LendMut => self.lend(state, used.lease as usize, true),
                HostMode::Move | HostMode::HandOut => ok!(self.end(state, used.lease, false)),
            }
            uses = rest;
        }
        let mut makes = host.makes;
        while let [l, rest @ ..] = makes {
            // A host statement makes results of calls, values of its own, and items.
            if *l as usize >= self.plan.leases.len() {
                return self.about(FaultKind::Index, *l);
            }
            let source = self.plan.leases[*l as usize].source;
            ok!(self.birth(
                state,
                *l,
                if matches!(source, Source::Call | Source::Item) { source } else { Source::Host }
            ));
            state.leases[*l as usize].others();
            let mut inner = self.plan.leases[*l as usize].overlaps;
            while let [o, tail @ ..] = inner {
                if within(self.plan, *o as usize, *l as usize) {
                    state.leases[*o as usize].others();
                }
                inner = tail;
            }
            makes = rest;
        }
        Ok(())
    }

    /// A lease is lent to a called chunk. If that may write, it came after all that we know of: our own uses are
    /// behind its marks, and only the ledger can tell.
    const fn lend(&self, state: &mut State<N, L, W>, l: usize, writes: bool) {
        self.lend_one(state, l, true, writes);
        let mut rest = self.plan.leases[l].overlaps;
        while let [o, tail @ ..] = rest {
            self.lend_one(state, *o as usize, within(self.plan, *o as usize, l), writes);
            rest = tail;
        }
    }

    const fn lend_one(&self, state: &mut State<N, L, W>, l: usize, all: bool, writes: bool) {
        let f = &mut state.leases[l];
        if all && writes {
            f.others();
        } else if all {
            f.others_read = true;
        }
        f.lent = true;
    }

    /// A lease that is used is there as a whole.
    pub(super) const fn there(&self, state: &State<N, L, W>, l: LeaseIx) -> Judged {
        match state.leases[l as usize].life {
            Life::Whole | Life::MayBeBorn => Ok(()),
            Life::Unborn => self.about(FaultKind::NotBorn, l),
            Life::InPart | Life::Ended | Life::Maybe => self.about(FaultKind::UsedAfterEnd, l),
        }
    }

    /// A lease is born where its source says, and not while it is there.
    pub(super) const fn birth(&self, state: &mut State<N, L, W>, l: LeaseIx, source: Source) -> Judged {
        if l as usize >= self.plan.leases.len() {
            return self.about(FaultKind::Index, l);
        }
        let said = self.plan.leases[l as usize].source;
        // What the host assigns to a parameter is another value of its own.
        let host = matches!(source, Source::Host | Source::Call);
        let fits =
            same(said, source) || matches!(said, Source::Several) || host && matches!(said, Source::Owned);
        if !fits {
            return self.about(FaultKind::Source, l);
        }
        // An item is another storage on each trip, and what several places give a value may be given one again.
        let again = matches!(said, Source::Item | Source::Several | Source::Owned);
        if !matches!(state.leases[l as usize].life, Life::Unborn | Life::Ended) && !again {
            return self.about(FaultKind::BornTwice, l);
        }
        self.lives(state, l as usize);
        Ok(())
    }

    /// All of a lease is there from here on.
    pub(super) const fn lives(&self, state: &mut State<N, L, W>, l: usize) {
        state.leases[l].life = Life::Whole;
        let mut rest = self.plan.leases[l].overlaps;
        while let [o, tail @ ..] = rest {
            if within(self.plan, *o as usize, l) {
                state.leases[*o as usize].life = Life::Whole;
            }
            rest = tail;
        }
    }

    /// What a lease lies within is whole again once no part of it is gone.
    pub(super) const fn made_whole(&self, state: &mut State<N, L, W>, l: usize) {
        let mut rest = self.plan.leases[l].overlaps;
        while let [o, tail @ ..] = rest {
            let outer = *o as usize;
            if !within(self.plan, outer, l) && matches!(state.leases[outer].life, Life::InPart) {
                let mut whole = true;
                let mut parts = self.plan.leases[outer].overlaps;
                while let [p, others @ ..] = parts {
                    let gone =
                        matches!(state.leases[*p as usize].life, Life::Ended | Life::MayBeBorn | Life::Maybe);
                    whole &= !(gone && within(self.plan, *p as usize, outer));
                    parts = others;
                }
                if whole {
                    state.leases[outer].life = Life::Whole;
                }
            }
            rest = tail;
        }
    }

    /// Ends a lease and all within: a whole one, or, with its block, what is left of one.
    pub(super) const fn end(&self, state: &mut State<N, L, W>, l: LeaseIx, block: bool) -> Judged {
        if l as usize >= self.plan.leases.len() {
            return self.about(FaultKind::Index, l);
        }
        if !self.plan.leases[l as usize].source.is_owned() {
            return self.about(FaultKind::EndsBorrowed, l);
        }
        match (state.leases[l as usize].life, block) {
            (Life::Whole, _) | (Life::InPart | Life::MayBeBorn | Life::Maybe, true) => {}
            (Life::Unborn, _) => return self.about(FaultKind::NotBorn, l),
            (Life::Ended, _) => return self.about(FaultKind::EndedTwice, l),
            (Life::InPart | Life::MayBeBorn | Life::Maybe, false) => {
                return self.about(FaultKind::EndsInPart, l);
            }
        }
        state.leases[l as usize].life = Life::Ended;
        let mut rest = self.plan.leases[l as usize].overlaps;
        while let [o, tail @ ..] = rest {
            state.leases[*o as usize].life =
                if within(self.plan, *o as usize, l as usize) { Life::Ended } else { Life::InPart };
            rest = tail;
        }
        Ok(())
    }

    /// Where control leaves the chunk every owned lease that was born has ended.
    pub(super) const fn all_ended(&self, state: &State<N, L, W>) -> Judged {
        let mut l = 0;
        while l < self.plan.leases.len() {
            let born =
                matches!(state.leases[l].life, Life::Whole | Life::InPart | Life::MayBeBorn | Life::Maybe);
            if born && self.plan.leases[l].source.is_owned() {
                return fault(FaultKind::NotEnded, None, Some(l as LeaseIx));
            }
            l += 1;
        }
        Ok(())
    }
}
