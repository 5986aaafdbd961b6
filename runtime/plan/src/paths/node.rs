//! What the judge of paths says of a node: its waits, what it needs, what it leaves behind.

use super::Judge;
use super::state::{State, cut, has, put, within, within_set};
use crate::verify::{Judged, fault, ok};
use crate::{FaultKind, Mode, Node, NodeIx, Source, Wait};

impl<const N: usize, const L: usize, const W: usize> Judge<'_, N, L, W> {
    pub(super) const fn node(&self, state: &mut State<N, L, W>, node: &Node<'_>) -> Judged {
        let s = node.stream as usize;
        let mut waits = node.waits;
        while let [wait, rest @ ..] = waits {
            ok!(self.wait(state, wait, node.stream));
            if has(&state.may_have_run, wait.node as usize) {
                self.import(state, s, wait.node as usize);
            }
            waits = rest;
        }
        ok!(self.uses(state, node));
        self.execute(state, s);
        self.marks(state, node)
    }

    /// A wait names a recording node of another stream that may have run, and has a reason.
    const fn wait(&self, state: &State<N, L, W>, wait: &Wait<'_>, stream: u8) -> Judged {
        let here = Some(self.node as NodeIx);
        let n = wait.node as usize;
        if n >= self.plan.nodes.len() {
            return fault(FaultKind::Index, here, None);
        }
        if !has(&state.may_have_run, n) && self.settled {
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
            if reason.lease as usize >= self.plan.leases.len() {
                return self.about(FaultKind::Index, reason.lease);
            }
            reasons = rest;
        }
        let mut carries = wait.carries;
        while let [lease, rest @ ..] = carries {
            if *lease as usize >= self.plan.leases.len() {
                return self.about(FaultKind::Index, *lease);
            }
            carries = rest;
        }
        Ok(())
    }

    /// The stream is ordered after node `n`, and, where that has run for sure, after all that it was ordered after.
    const fn import(&self, state: &mut State<N, L, W>, s: usize, n: usize) {
        put(&mut state.after[s], n);
        if has(&state.ran, n) {
            let mut w = 0;
            while w < W {
                state.after[s][w] |= state.snapshots[n][w];
                w += 1;
            }
            return;
        }
        let range = self.range_of[n];
        let mut f = range.nodes.0;
        while f < range.nodes.1 {
            if has(&state.snapshots[n], f) && has(&state.implied[f], n) {
                put(&mut state.after[s], f);
            }
            f += 1;
        }
    }

    /// Node `self.node` runs anew: nobody is after it yet but its own stream.
    const fn execute(&self, state: &mut State<N, L, W>, s: usize) {
        let n = self.node;
        let mut t = 0;
        while t < self.plan.streams.len() {
            if t != s {
                cut(&mut state.after[t], n);
            }
            t += 1;
        }
        let inside = n >= self.range.nodes.0 && n < self.range.nodes.1;
        if inside && has(&state.may_have_run, n) {
            let mut m = self.range.nodes.0;
            while m < self.range.nodes.1 {
                cut(&mut state.snapshots[m], n);
                m += 1;
            }
        }
        put(&mut state.after[s], n);
        put(&mut state.ran, n);
        put(&mut state.may_have_run, n);
        let mut w = 0;
        while w < W {
            state.snapshots[n][w] = state.after[s][w] & state.may_have_run[w];
            w += 1;
        }
        if inside {
            let mut m = self.range.nodes.0;
            while m < self.range.nodes.1 {
                put(&mut state.implied[m], n);
                m += 1;
            }
            state.implied[n] = state.ran;
        }
    }

    /// All uses of a node happen together, so each is judged by the facts before the node.
    const fn uses(&self, state: &State<N, L, W>, node: &Node<'_>) -> Judged {
        let s = node.stream as usize;
        let mut uses = node.uses;
        while let [used, rest @ ..] = uses {
            let l = used.lease as usize;
            if l >= self.plan.leases.len() {
                return self.about(FaultKind::Index, used.lease);
            }
            ok!(self.there(state, used.lease));
            let writes = !matches!(used.mode, Mode::Read);
            let mut asks = self.unsettled(state, l, s, writes);
            let mut ordered = self.ordered(state, l, s, writes);
            let mut inner = self.plan.leases[l].overlaps;
            while let [o, tail @ ..] = inner {
                if within(self.plan, *o as usize, l) {
                    asks |= self.unsettled(state, *o as usize, s, writes);
                    ordered &= self.ordered(state, *o as usize, s, writes);
                }
                inner = tail;
            }
            if !ordered {
                let kind = match used.mode {
                    Mode::Read => FaultKind::ReadUnordered,
                    Mode::Write => FaultKind::WriteUnordered,
                    Mode::Consume => FaultKind::ConsumeUnordered,
                };
                return self.about(kind, used.lease);
            }
            if used.by_ledger {
                if matches!(self.plan.leases[l].source, Source::Node(_))
                    && !state.leases[l].lent
                    && self.settled
                {
                    return self.about(FaultKind::LedgerUndue, used.lease);
                }
            } else if asks {
                return self.about(FaultKind::LedgerUnasked, used.lease);
            }
            uses = rest;
        }
        Ok(())
    }

    const fn ordered(&self, state: &State<N, L, W>, l: usize, s: usize, writes: bool) -> bool {
        let f = &state.leases[l];
        within_set(if writes { &f.used } else { &f.wrote }, &state.after[s])
    }

    const fn unsettled(&self, state: &State<N, L, W>, l: usize, s: usize, writes: bool) -> bool {
        let f = &state.leases[l];
        if writes { f.others_wrote || f.others_read } else { f.others_wrote && f.asked >> s & 1 == 0 }
    }

    /// What a node leaves behind.
    const fn marks(&self, state: &mut State<N, L, W>, node: &Node<'_>) -> Judged {
        let s = node.stream as usize;
        let mut uses = node.uses;
        while let [used, rest @ ..] = uses {
            let l = used.lease as usize;
            match used.mode {
                Mode::Read => {
                    self.read(state, l, s, used.by_ledger);
                    let mut inner = self.plan.leases[l].overlaps;
                    while let [o, tail @ ..] = inner {
                        if within(self.plan, *o as usize, l) {
                            self.read(state, *o as usize, s, used.by_ledger);
                        }
                        inner = tail;
                    }
                }
                Mode::Write => self.written(state, l),
                Mode::Consume => ok!(self.end(state, used.lease, false)),
            }
            uses = rest;
        }
        let mut makes = node.makes;
        while let [l, rest @ ..] = makes {
            ok!(self.birth(state, *l, Source::Node(self.node as NodeIx)));
            self.written(state, *l as usize);
            makes = rest;
        }
        let mut renews = node.renews;
        while let [l, rest @ ..] = renews {
            if *l as usize >= self.plan.leases.len() {
                return self.about(FaultKind::Index, *l);
            }
            self.lives(state, *l as usize);
            self.made_whole(state, *l as usize);
            self.written(state, *l as usize);
            renews = rest;
        }
        Ok(())
    }

    const fn read(&self, state: &mut State<N, L, W>, l: usize, s: usize, asks: bool) {
        let f = &mut state.leases[l];
        let mut w = 0;
        while w < W {
            // The last read on a stream stands for the earlier ones there; a write stays.
            f.used[w] &= !self.of_stream[s][w] | f.wrote[w];
            w += 1;
        }
        put(&mut f.used, self.node);
        if asks {
            f.asked |= 1 << s;
        }
    }

    pub(super) const fn written(&self, state: &mut State<N, L, W>, l: usize) {
        state.leases[l].written(self.node);
        let mut inner = self.plan.leases[l].overlaps;
        while let [o, tail @ ..] = inner {
            if within(self.plan, *o as usize, l) {
                state.leases[*o as usize].written(self.node);
            }
            inner = tail;
        }
    }
}
