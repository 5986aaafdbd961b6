//! Who runs after whom: the waits, the by-ledger uses and the records of a chunk.
//!
//! One walk over the body with a [`State`]. For each stream it keeps the set of nodes that the stream is ordered
//! after, and for each node a snapshot of that set as it was when the node was done; waiting for a node imports its
//! snapshot ([`facts`]). For each place it keeps the uses that no write has superseded ([`access`]), what others may
//! have done to it ([`ledger`]), and the last use on each stream ([`record`]). A node's needs minus what its stream is
//! already ordered after, minus what one of the others implies, are its waits. In straight-line code these are exactly
//! the cross-stream edges of the transitive reduction of needs and stream order.
//!
//! Where paths meet, states meet: facts that hold on every path stay, uses that are open on any path stay open. A
//! loop's head is where what comes in meets what comes round; its state only descends, so walking the loop until it
//! stays the same ends, and what holds then holds on every trip. Only the walk from that state is written down.

mod access;
mod facts;
mod ledger;
mod record;
#[cfg(test)]
mod tests;

use streamlease_plan::{Need, Record};

use crate::body::{
    Block, Branch, Chunk, Exit, Head, Host, HostMode, HostUse, Loop, Mode, Name, NameIx, Node, NodeIx,
    Origin, PlaceIx, Step, StepIx,
};
use crate::nest::Nest;
use crate::release::Release;
use crate::uses::Uses;
use access::Accesses;
use facts::{Facts, Waits};
use ledger::Ledgers;
use record::{Lasts, Records};

/// What this phase found out, by node.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) nodes: Vec<Ordered>,
}

/// One node's place among the others.
#[derive(Debug)]
pub(crate) struct Ordered {
    /// What its stream waits for before it starts, by node number.
    pub(crate) waits: Vec<Wait>,
    /// For each of its uses whether the storage's ledger is asked.
    pub(crate) by_ledger: Vec<bool>,
    /// Why an event is recorded after it.
    pub(crate) record: Record,
}

/// A wait for a node of another stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The node waited for.
    pub(crate) node: NodeIx,
    /// The needs that it is for. Never empty.
    pub(crate) reasons: Vec<Reason>,
    /// Places of needs that hold only because of this wait, in order of appearance; none of the reasons' places.
    pub(crate) carries: Vec<PlaceIx>,
}

/// A need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reason {
    /// The place as the later node uses it.
    pub(crate) place: PlaceIx,
    /// How the two nodes conflict.
    pub(crate) need: Need,
}

/// Orders a chunk.
pub(crate) fn order(chunk: &Chunk, nest: &Nest, uses: &Uses, release: &Release) -> Order {
    let streams = chunk.stream_of();
    let mut walk = Walk {
        chunk,
        nest,
        uses,
        release,
        roots: chunk.roots(),
        places_of: chunk.places_of(),
        waits: Waits::new(streams.clone(), chunk.streams.len()),
        records: Records::new(chunk, nest, streams.clone()),
        by_ledger: vec![Vec::new(); streams.len()],
        final_: true,
        around: (0..chunk.counts.loops).map(|_| Around::default()).collect(),
    };
    let state = State {
        facts: Facts::new(chunk.streams.len(), streams.len(), chunk.counts.blocks > 1),
        accesses: Accesses::new(chunk),
        ledgers: Ledgers::new(chunk),
        lasts: Lasts::new(chunk),
    };
    let end = walk.block(&chunk.body, Some(state));
    if let Some(end) = end {
        walk.kept_outside(&end);
    }
    walk.finish()
}

/// What is known at one point.
#[derive(Clone, PartialEq)]
struct State {
    facts: Facts,
    accesses: Accesses,
    ledgers: Ledgers,
    lasts: Lasts,
}

impl State {
    /// What is known where two paths meet.
    fn meet(&mut self, other: &State) {
        self.facts.meet(&other.facts);
        self.accesses.join(&other.accesses);
        self.ledgers.join(&other.ledgers);
        self.lasts.join(&other.lasts);
    }
}

/// Adds a path to those that meet.
fn meet(into: &mut Option<State>, path: Option<State>) {
    match (into.as_mut(), path) {
        (_, None) => {}
        (None, path) => *into = path,
        (Some(into), Some(path)) => into.meet(&path),
    }
}

/// What leaves a loop's body early.
#[derive(Default)]
struct Around {
    behind: Option<State>,
    again: Option<State>,
}

struct Walk<'a> {
    chunk: &'a Chunk,
    nest: &'a Nest,
    uses: &'a Uses,
    release: &'a Release,
    roots: Vec<Option<PlaceIx>>,
    places_of: Vec<Vec<PlaceIx>>,
    waits: Waits,
    records: Records<'a>,
    by_ledger: Vec<Vec<bool>>,
    /// Whether this is the walk that is written down.
    final_: bool,
    around: Vec<Around>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, mut state: Option<State>) -> Option<State> {
        if let Some(state) = &mut state {
            self.end(state, &self.release.at_start[block.ix]);
            self.born(state, &block.makes, None);
        }
        for step in &block.steps {
            state = self.step(step, state?);
        }
        let mut state = state?;
        self.kept(&state, |name| name.origin == Origin::Item && name.block == block.ix);
        self.end(&mut state, &self.release.at_end[block.ix]);
        Some(state)
    }

    fn step(&mut self, step: &Step, mut state: State) -> Option<State> {
        let after = &self.release.after[step.ix()];
        let mut state = match step {
            Step::Node(node) => {
                self.node(node, &mut state);
                state
            }
            Step::Host(host) => self.host(host, state)?,
            Step::Branch(branch) => self.branch(branch, state)?,
            Step::Loop(l) => self.repeat(l, state)?,
        };
        self.end(&mut state, after);
        Some(state)
    }

    fn node(&mut self, node: &Node, state: &mut State) {
        let uses = &self.uses.nodes[node.ix];
        let needs = state.accesses.needs(self.nest, uses);
        let waits = state.facts.enter(&self.waits.stream_of, node.ix, needs);
        if self.final_ {
            waits.targets.iter().for_each(|&n| self.records.awaited(n));
            self.waits.note(node.ix, waits);
        }
        let asks: Vec<bool> = uses.iter().map(|&u| state.ledgers.uses(self.nest, node.stream, u)).collect();
        if self.final_ {
            self.by_ledger[node.ix] = asks;
        }
        for u in uses {
            if u.mode == Mode::Read {
                let shared = self.chunk.names[self.chunk.places[u.place].name].origin == Origin::Shared;
                // Nobody can write what is borrowed by `&` from outside, so nobody needs to know its readers.
                if !shared {
                    state.accesses.read(self.nest, &self.waits.stream_of, node.ix, u.place);
                }
            } else {
                self.wrote(state, node.ix, u.place);
            }
            state.lasts.used(&self.waits.stream_of, node.ix, u.place);
        }
        for u in uses.iter().filter(|u| u.mode == Mode::Consume) {
            self.ends(state, u.place);
        }
        for &place in &node.renews {
            self.ends(state, place);
            self.wrote(state, node.ix, place);
            state.lasts.used(&self.waits.stream_of, node.ix, place);
            if self.chunk.places[place].path.is_empty() {
                state.lasts.made(self.chunk.places[place].name, Some(node.stream));
            }
        }
        self.born(state, &node.makes, Some(node));
        if node.is_tail() && self.final_ {
            self.records.leaves(&[node.ix]);
        }
    }

    fn wrote(&self, state: &mut State, node: NodeIx, place: PlaceIx) {
        state.accesses.wrote(self.nest, node, place);
        state.ledgers.wrote(self.nest, place);
    }

    /// Names get a value: from a node, or from the host.
    fn born(&self, state: &mut State, names: &[NameIx], by: Option<&Node>) {
        for &name in names {
            for &place in &self.places_of[name] {
                state.accesses.forget(place);
                state.lasts.forget(place);
                match by {
                    Some(_) => state.ledgers.own(place),
                    None => state.ledgers.foreign(place),
                }
            }
            state.lasts.made(name, by.map(|n| n.stream));
            let Some((node, root)) = by.zip(self.roots[name]) else { continue };
            self.wrote(state, node.ix, root);
            if !node.is_tail() {
                state.lasts.used(&self.waits.stream_of, node.ix, root);
            }
        }
    }

    fn host(&mut self, host: &Host, mut state: State) -> Option<State> {
        self.used(&self.uses.hosts[host.step], &mut state);
        self.born(&mut state, &host.makes, None);
        let Some(exit) = host.exit else { return Some(state) };
        self.end(&mut state, &self.release.at_exit[host.step]);
        match exit {
            Exit::Return => self.kept_outside(&state),
            Exit::Break(l) => meet(&mut self.around[l].behind, Some(state)),
            Exit::Continue(l) => meet(&mut self.around[l].again, Some(state)),
        }
        None
    }

    fn used(&mut self, uses: &[HostUse], state: &mut State) {
        for u in uses {
            if self.final_ {
                self.records.leaves(&state.accesses.last_writers(self.nest, u.place));
            }
            match u.mode {
                HostMode::Lend => state.ledgers.lent(self.nest, u.place, false),
                HostMode::LendMut => {
                    state.ledgers.lent(self.nest, u.place, true);
                    state.accesses.supersede(self.nest, u.place);
                }
                HostMode::Move | HostMode::HandOut => state.lasts.left(self.nest, u.place),
            }
        }
    }

    fn branch(&mut self, branch: &Branch, mut state: State) -> Option<State> {
        self.head(&branch.head, &mut state);
        let Some((last, arms)) = branch.arms.split_last() else { return Some(state) };
        let mut behind = None;
        for arm in arms {
            let path = self.block(arm, Some(state.clone()));
            meet(&mut behind, path);
        }
        let path = self.block(last, Some(state));
        meet(&mut behind, path);
        behind
    }

    fn repeat(&mut self, l: &Loop, mut state: State) -> Option<State> {
        self.head(&l.once, &mut state);
        let final_ = std::mem::replace(&mut self.final_, false);
        loop {
            let mut head = Some(state.clone());
            self.trip(l, state.clone(), &mut head);
            match head {
                Some(head) if head != state => state = head,
                _ => break,
            }
        }
        self.final_ = final_;
        self.trip(l, state, &mut None)
    }

    /// One trip from a loop's head; adds to it what comes back. Returns what is known behind the loop.
    fn trip(&mut self, l: &Loop, mut state: State, head: &mut Option<State>) -> Option<State> {
        self.head(&l.each, &mut state);
        self.around[l.ix] = Around { behind: l.ends.then(|| state.clone()), again: None };
        let back = self.block(&l.body, Some(state));
        let Around { behind, again } = std::mem::take(&mut self.around[l.ix]);
        meet(head, back);
        meet(head, again);
        behind
    }

    fn head(&mut self, head: &Head, state: &mut State) {
        let step: StepIx = head.step;
        self.used(&self.uses.hosts[step], state);
        self.end(state, &self.release.after[step]);
    }

    /// Names end: what is still theirs may have to go home.
    fn end(&mut self, state: &mut State, names: &[NameIx]) {
        for &name in names {
            let places = std::mem::take(&mut self.places_of[name]);
            places.iter().for_each(|&p| self.goes_home(state, p));
            places.iter().for_each(|&p| state.lasts.forget(p));
            self.places_of[name] = places;
        }
    }

    /// A place ends.
    fn ends(&mut self, state: &mut State, place: PlaceIx) {
        let all: Vec<_> = std::iter::once(place).chain(self.nest.within(place).iter().copied()).collect();
        all.iter().for_each(|&p| self.goes_home(state, p));
        all.iter().for_each(|&p| state.lasts.forget(p));
    }

    fn goes_home(&mut self, state: &State, place: PlaceIx) {
        if self.final_ && !self.chunk.names[self.chunk.places[place].name].origin.is_borrowed() {
            self.records.goes_home(&state.lasts, &state.facts, place);
        }
    }

    /// What was written behind `&mut` parameters stays outside.
    fn kept_outside(&mut self, state: &State) {
        self.kept(state, |name| name.origin.is_exclusive());
    }

    /// What was written behind these names goes on elsewhere.
    fn kept(&mut self, state: &State, is_kept: impl Fn(&Name) -> bool) {
        if self.final_ {
            for (place, p) in self.chunk.places.iter().enumerate() {
                if is_kept(&self.chunk.names[p.name]) {
                    self.records.leaves(&state.accesses.last_writers(self.nest, place));
                }
            }
        }
    }

    fn finish(self) -> Order {
        let waits = self.waits.finish();
        let nodes = waits.into_iter().zip(self.by_ledger).zip(self.records.finish());
        Order {
            nodes: nodes.map(|((waits, by_ledger), record)| Ordered { waits, by_ledger, record }).collect(),
        }
    }
}
