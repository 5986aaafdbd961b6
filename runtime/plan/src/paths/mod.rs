//! The judge of plans with control flow.
//!
//! What [`verify`](crate::verify) says of a straight line is judged here along every path: the steps are walked with
//! a [`State`], arms from the same state, and where paths meet their states do. A loop's head is where what comes in
//! meets what comes round; the head's state only descends, so the walk is repeated until it stays the same, and what
//! held in the last walk holds on every trip.
//!
//! Cost: a walk is about linear in the steps; what lies in a loop is walked about three times, in a loop within it
//! nine times. Facts are kept per node of the outermost construct, so a chunk of many small loops costs as its parts.

mod life;
mod node;
mod state;

use crate::verify::{Judged, fault, ok, overlaps};
use crate::{Exit, FaultKind, LeaseIx, MAX_DEPTH, MAX_NODES, MAX_STREAMS, NodeIx, Plan, Step};
use state::{Range, Set, State, put};

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
    pub(super) const fn about(&self, kind: FaultKind, l: LeaseIx) -> Judged {
        fault(kind, Some(self.node as NodeIx), Some(l))
    }
}
