//! The judge of plans with control flow.
//!
//! What [`verify`](crate::verify) says of a straight line is judged here along every path: the steps are walked with
//! a [`State`], arms from the same state, and where paths meet their states do. A loop's head is where what comes in
//! meets what comes round; the head's state only descends, so the walk is repeated until it stays the same, and what
//! held in the last walk holds on every trip.
//!
//! Cost: a walk is about linear in the steps; what lies in a loop is walked about three times, in a loop within it
//! nine times. Facts are kept per node of the outermost construct, so a chunk of many small loops costs as its parts.

mod state;

use crate::verify::{Judged, fault, ok, overlaps, same};
use crate::{
    Exit, FaultKind, Host, HostMode, LeaseIx, MAX_NODES, MAX_STREAMS, Mode, Node, NodeIx, Plan, Source, Step,
    Wait,
};
use state::{Life, Range, Set, State, cut, has, put, within, within_set};

/// Deepest nesting of loops.
pub(crate) const MAX_DEPTH: usize = 6;

/// What leaves the loops around the point of the walk.
struct Around<const N: usize, const L: usize, const W: usize> {
    depth: usize,
    /// The numbers of the loops, outermost first, and where their steps begin.
    numbers: [u16; MAX_DEPTH],
    heads: [usize; MAX_DEPTH],
    behind: [State<N, L, W>; MAX_DEPTH],
    again: [State<N, L, W>; MAX_DEPTH],
}

struct Judge<'p, const N: usize, const L: usize, const W: usize> {
    plan: &'p Plan<'p>,
    around: &'p mut Around<N, L, W>,
    /// For each stream its nodes.
    of_stream: [Set<W>; MAX_STREAMS],
    /// The outermost construct around the point.
    range: Range,
    /// For each node the outermost construct around it.
    range_of: [Range; N],
    /// Whether the loops around have settled: what has not happened by now on any path never has.
    settled: bool,
    /// The step that is walked.
    at: usize,
    /// The node that runs, or the last one that did.
    node: usize,
}

/// Judges a plan with control flow. `NODES` and `LEASES` are capacities: at least the plan's counts; `WORDS` holds a
/// bit a node.
///
/// # Errors
/// The first [`Fault`](crate::Fault) in the order of the walk.
pub const fn check_paths<const NODES: usize, const LEASES: usize, const WORDS: usize>(
    plan: &Plan<'_>,
) -> Judged {
    if plan.nodes.len() > NODES
        || plan.leases.len() > LEASES
        || plan.nodes.len() > MAX_NODES
        || NODES > WORDS * 128
        || plan.streams.len() > MAX_STREAMS
        || plan.leases.len() > LeaseIx::MAX as usize
    {
        return fault(FaultKind::Capacity, None, None);
    }
    ok!(overlaps(plan, &mut [0; LEASES]));
    ok!(every_node_once(plan));
    let mut of_stream = [[0; WORDS]; MAX_STREAMS];
    let mut n = 0;
    while n < plan.nodes.len() {
        if plan.nodes[n].stream as usize >= plan.streams.len() {
            return fault(FaultKind::Index, Some(n as NodeIx), None);
        }
        put(&mut of_stream[plan.nodes[n].stream as usize], n);
        n += 1;
    }
    let mut around = Around {
        depth: 0,
        numbers: [0; MAX_DEPTH],
        heads: [0; MAX_DEPTH],
        behind: [State::NOWHERE; MAX_DEPTH],
        again: [State::NOWHERE; MAX_DEPTH],
    };
    let range = Range { nodes: (0, 0) };
    let mut judge: Judge<'_, NODES, LEASES, WORDS> = Judge {
        plan,
        around: &mut around,
        of_stream,
        range,
        range_of: [range; NODES],
        settled: true,
        at: 0,
        node: 0,
    };
    let mut state = State::start(plan);
    ok!(judge.block(&mut state, true));
    if judge.at != plan.steps.len() {
        return fault(FaultKind::Structure, None, None);
    }
    if state.comes { judge.all_ended(&state) } else { Ok(()) }
}

/// Judges a plan with control flow in const evaluation.
///
/// # Panics
/// If the plan has a [`Fault`](crate::Fault); the message names the chunk, the node and the lease.
pub const fn verify_paths<const NODES: usize, const LEASES: usize, const WORDS: usize>(plan: &Plan<'_>) {
    if let Err(fault) = check_paths::<NODES, LEASES, WORDS>(plan) {
        let sentence = crate::fault::Sentence::new(plan, &fault);
        panic!("{}", sentence.as_str());
    }
}

/// The steps name every node once, in order.
const fn every_node_once(plan: &Plan<'_>) -> Judged {
    let mut next = 0;
    let mut steps = plan.steps;
    while let [step, rest @ ..] = steps {
        if let Step::Node(n) = step {
            if *n as usize != next || next >= plan.nodes.len() {
                return fault(FaultKind::NodeOrder, Some(*n), None);
            }
            next += 1;
        }
        steps = rest;
    }
    if next == plan.nodes.len() { Ok(()) } else { fault(FaultKind::NodeOrder, Some(next as NodeIx), None) }
}

impl<const N: usize, const L: usize, const W: usize> Judge<'_, N, L, W> {
    /// Walks steps up to the one that closes the block around them.
    const fn block(&mut self, state: &mut State<N, L, W>, outermost: bool) -> Judged {
        while self.at < self.plan.steps.len() {
            let step = &self.plan.steps[self.at];
            if matches!(step, Step::Arm(_) | Step::Join | Step::Repeat) {
                return Ok(());
            }
            if outermost && matches!(step, Step::Branch(_) | Step::Loop(_)) {
                self.range = self.construct();
                let mut n = self.range.nodes.0;
                while n < self.range.nodes.1 {
                    self.range_of[n] = self.range;
                    n += 1;
                }
            }
            if !state.comes {
                ok!(self.skip());
                continue;
            }
            match step {
                Step::Node(n) => {
                    self.node = *n as usize;
                    ok!(self.node(state, &self.plan.nodes[self.node]));
                }
                Step::Release(l) => ok!(self.end(state, *l, false)),
                Step::EndOfBlock(l) => ok!(self.end(state, *l, true)),
                Step::Host(host) => ok!(self.host(state, host)),
                Step::Branch(_) => {
                    ok!(self.branch(state));
                    continue;
                }
                Step::Loop(l) => {
                    ok!(self.repeat(state, l.number));
                    continue;
                }
                Step::MayEnd => ok!(self.leave(state, None)),
                Step::Exit(exit) => {
                    ok!(self.leave(state, Some(*exit)));
                    state.comes = false;
                }
                Step::Arm(_) | Step::Join | Step::Repeat => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Passes over a step that control does not come to, with all that is inside it.
    const fn skip(&mut self) -> Judged {
        let mut depth = 0;
        while self.at < self.plan.steps.len() {
            match &self.plan.steps[self.at] {
                Step::Branch(_) | Step::Loop(_) => depth += 1,
                Step::Join | Step::Repeat => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        fault(FaultKind::Structure, None, None)
    }

    /// The nodes of the construct that begins here.
    const fn construct(&self) -> Range {
        let (mut first, mut last, mut depth, mut at) = (usize::MAX, 0, 0_usize, self.at);
        while at < self.plan.steps.len() {
            match &self.plan.steps[at] {
                Step::Branch(_) | Step::Loop(_) => depth += 1,
                Step::Join | Step::Repeat => depth = depth.saturating_sub(1),
                Step::Node(n) => {
                    if first == usize::MAX {
                        first = *n as usize;
                    }
                    last = *n as usize + 1;
                }
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        Range { nodes: if first < last { (first, last) } else { (0, 0) } }
    }

    const fn branch(&mut self, state: &mut State<N, L, W>) -> Judged {
        let start = self.at;
        let mut behind = State::NOWHERE;
        loop {
            self.at += 1;
            let mut arm = *state;
            ok!(self.block(&mut arm, false));
            behind.meet(&arm, self.plan, self.range, (start, self.at));
            if self.at >= self.plan.steps.len() {
                return fault(FaultKind::Structure, None, None);
            }
            match &self.plan.steps[self.at] {
                Step::Arm(_) => {}
                Step::Join => break,
                _ => return fault(FaultKind::Structure, None, None),
            }
        }
        self.at += 1;
        *state = behind;
        Ok(())
    }

    const fn repeat(&mut self, state: &mut State<N, L, W>, number: u16) -> Judged {
        let (start, depth) = (self.at, self.around.depth);
        if depth == MAX_DEPTH {
            return fault(FaultKind::Capacity, None, None);
        }
        self.around.depth += 1;
        self.around.numbers[depth] = number;
        self.around.heads[depth] = start;
        let settled = self.settled;
        self.settled = false;
        loop {
            self.around.behind[depth] = State::NOWHERE;
            self.around.again[depth] = State::NOWHERE;
            let mut trip = *state;
            self.at = start + 1;
            ok!(self.block(&mut trip, false));
            if self.at >= self.plan.steps.len() || !matches!(self.plan.steps[self.at], Step::Repeat) {
                return fault(FaultKind::Structure, None, None);
            }
            let again = &self.around.again[depth];
            let mut changed = state.meet(&trip, self.plan, self.range, (start, self.at));
            changed |= state.meet(again, self.plan, self.range, (start, self.at));
            if changed {
                continue;
            }
            if self.settled || !settled {
                break;
            }
            self.settled = true;
        }
        self.settled = settled;
        self.at += 1;
        self.around.depth = depth;
        *state = self.around.behind[depth];
        Ok(())
    }

    /// Adds what is known here to what is known where control leaves to; without an exit, behind the innermost loop.
    const fn leave(&mut self, state: &State<N, L, W>, exit: Option<Exit>) -> Judged {
        let number = match exit {
            Some(Exit::Return) => return self.all_ended(state),
            Some(Exit::Break(number) | Exit::Continue(number)) => Some(number),
            None => None,
        };
        let mut depth = self.around.depth;
        while depth > 0 {
            depth -= 1;
            let meant = match number {
                Some(number) => self.around.numbers[depth] == number,
                None => true,
            };
            if meant {
                let steps = (self.around.heads[depth], self.end_of(self.around.heads[depth]));
                let into = match exit {
                    Some(Exit::Continue(_)) => &mut self.around.again[depth],
                    _ => &mut self.around.behind[depth],
                };
                into.meet(state, self.plan, self.range, steps);
                return Ok(());
            }
        }
        fault(FaultKind::Structure, None, None)
    }

    /// The step behind a construct.
    const fn end_of(&self, start: usize) -> usize {
        let (mut depth, mut at) = (0_usize, start);
        while at < self.plan.steps.len() {
            match &self.plan.steps[at] {
                Step::Branch(_) | Step::Loop(_) => depth += 1,
                Step::Join | Step::Repeat => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// A fault about a lease at the node that runs, or after the last one that did.
    const fn about(&self, kind: FaultKind, l: LeaseIx) -> Judged {
        fault(kind, Some(self.node as NodeIx), Some(l))
    }

    const fn node(&self, state: &mut State<N, L, W>, node: &Node<'_>) -> Judged {
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

    const fn written(&self, state: &mut State<N, L, W>, l: usize) {
        state.leases[l].written(self.node);
        let mut inner = self.plan.leases[l].overlaps;
        while let [o, tail @ ..] = inner {
            if within(self.plan, *o as usize, l) {
                state.leases[*o as usize].written(self.node);
            }
            inner = tail;
        }
    }

    const fn host(&self, state: &mut State<N, L, W>, host: &Host<'_>) -> Judged {
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
    const fn there(&self, state: &State<N, L, W>, l: LeaseIx) -> Judged {
        match state.leases[l as usize].life {
            Life::Whole | Life::MayBeBorn => Ok(()),
            Life::Unborn => self.about(FaultKind::NotBorn, l),
            Life::InPart | Life::Ended | Life::Maybe => self.about(FaultKind::UsedAfterEnd, l),
        }
    }

    /// A lease is born where its source says, and not while it is there.
    const fn birth(&self, state: &mut State<N, L, W>, l: LeaseIx, source: Source) -> Judged {
        if l as usize >= self.plan.leases.len() {
            return self.about(FaultKind::Index, l);
        }
        let said = self.plan.leases[l as usize].source;
        // What the host assigns to a parameter is another value of its own.
        let host = matches!(source, Source::Host | Source::Call);
        if !same(said, source) && !matches!(said, Source::Several) && !(host && matches!(said, Source::Owned))
        {
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
    const fn lives(&self, state: &mut State<N, L, W>, l: usize) {
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
    const fn made_whole(&self, state: &mut State<N, L, W>, l: usize) {
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
    const fn end(&self, state: &mut State<N, L, W>, l: LeaseIx, block: bool) -> Judged {
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
    const fn all_ended(&self, state: &State<N, L, W>) -> Judged {
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
