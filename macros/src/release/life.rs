//! The walk that follows what is left of each name.

use std::collections::BTreeSet;

use super::{Named, Release};
use crate::body::{
    Block, BlockIx, Branch, Chunk, Exit, Head, Host, HostMode, HostUse, Loop, Mode, NameIx, Node, Origin,
    Step, StepIx,
};
use crate::uses::Uses;

/// What is left of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    /// It has no value yet.
    Absent,
    /// All of it.
    Whole,
    /// It was moved out of in part.
    Part,
    /// Nothing.
    Gone,
    /// It depends on the path.
    Maybe,
}

impl Life {
    fn meet(self, other: Life) -> Life {
        use Life::{Absent, Gone, Maybe, Part, Whole};
        match (self, other) {
            (a, b) if a == b => a,
            (Part, Whole) | (Whole, Part) => Part,
            (Absent, Gone) | (Gone, Absent) => Gone,
            _ => Maybe,
        }
    }

    fn is_there(self) -> bool {
        !matches!(self, Life::Absent | Life::Gone)
    }
}

/// What is left of each name; nothing where control does not come.
type Lives = Option<Vec<Life>>;

fn meet(into: &mut Lives, other: Lives) {
    match (into.as_mut(), other) {
        (_, None) => {}
        (None, other) => *into = other,
        (Some(into), Some(other)) => {
            into.iter_mut().zip(other).for_each(|(a, b)| *a = a.meet(b));
        }
    }
}

/// A loop around the point of the walk.
struct Around {
    body: BlockIx,
    behind: Lives,
    again: Lives,
}

pub(super) struct Walk<'a> {
    chunk: &'a Chunk,
    uses: &'a Uses,
    /// Where names are live; without it nothing is released.
    named: Option<&'a Named>,
    release: Release,
    /// Whether this is the walk that counts; loops are walked several times.
    final_: bool,
    /// By loop, while it is walked.
    around: Vec<Option<Around>>,
    /// For each block the one around it.
    outer: Vec<Option<BlockIx>>,
    /// By loop, what is whole behind it, and what it names.
    whole: Vec<BTreeSet<NameIx>>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(chunk: &'a Chunk, uses: &'a Uses, named: Option<&'a Named>) -> Walk<'a> {
        let mut outer = vec![None; chunk.counts.blocks];
        enclose(&chunk.body, &mut outer);
        Walk {
            release: Release::new(chunk),
            final_: true,
            around: (0..chunk.counts.loops).map(|_| None).collect(),
            outer,
            whole: vec![BTreeSet::new(); chunk.counts.loops],
            chunk,
            uses,
            named,
        }
    }

    pub(super) fn finish(mut self) -> Release {
        self.walk();
        for list in &mut self.release.after {
            list.sort_unstable();
            list.dedup();
        }
        for list in self.release.at_end.iter_mut().chain(&mut self.release.at_exit) {
            list.sort_unstable();
            list.reverse();
        }
        self.release
    }

    /// By loop, the names from outside that it names and that are whole behind it on every way.
    pub(super) fn whole_behind_loops(mut self) -> Vec<BTreeSet<NameIx>> {
        self.walk();
        self.whole
    }

    fn walk(&mut self) {
        let parameter = |origin| matches!(origin, Origin::Owned | Origin::Shared | Origin::Exclusive);
        let lives =
            self.chunk.names.iter().map(|n| {
                if parameter(n.origin) && !n.origin.is_borrowed() { Life::Whole } else { Life::Absent }
            });
        self.block(&self.chunk.body, Some(lives.collect()));
    }

    fn block(&mut self, block: &Block, mut lives: Lives) -> Lives {
        if let (Some(named), Some(now)) = (self.named, &mut lives) {
            let in_loop = self.around.iter().flatten().any(|a| a.body == block.ix);
            let hidden = |n: NameIx| self.chunk.names[n].hidden;
            let dead = |&n: &NameIx| now[n] == Life::Whole && !named.at_start(block.ix, n) && !hidden(n);
            let dead: Vec<_> = (0..now.len()).filter(dead).collect();
            // What a loop does not name on this trip is released behind it.
            for n in dead.into_iter().filter(|_| !in_loop) {
                now[n] = Life::Gone;
                if self.final_ {
                    self.release.at_start[block.ix].push(n);
                }
            }
        }
        if let Some(now) = &mut lives {
            self.born(now, &block.makes);
        }
        for step in &block.steps {
            lives = self.step(step, lives);
        }
        if let Some(now) = &mut lives {
            for (n, life) in now.iter_mut().enumerate() {
                if self.chunk.names[n].block == block.ix && self.owned(n) {
                    if life.is_there() && self.final_ {
                        self.release.at_end[block.ix].push(n);
                    }
                    *life = Life::Absent;
                }
            }
        }
        lives
    }

    fn step(&mut self, step: &Step, lives: Lives) -> Lives {
        let mut now = lives?;
        match step {
            Step::Node(node) => {
                self.node(node, &mut now);
                Some(now)
            }
            Step::Host(host) => self.host(host, now),
            Step::Branch(branch) => self.branch(branch, now),
            Step::Loop(l) => self.repeat(l, now),
        }
    }

    fn node(&mut self, node: &Node, now: &mut [Life]) {
        let uses = self.uses;
        let mut touched: Vec<NameIx> = node.uses.iter().map(|u| self.chunk.places[u.place].name).collect();
        for u in uses.nodes[node.ix].iter().filter(|u| u.mode == Mode::Consume) {
            self.goes(now, u.place);
        }
        self.born(now, &node.makes);
        for &place in &node.renews {
            let place = &self.chunk.places[place];
            touched.push(place.name);
            if place.path.is_empty() && self.owned(place.name) {
                now[place.name] = Life::Whole;
            }
        }
        if node.is_tail() {
            node.makes.iter().for_each(|&n| now[n] = Life::Gone);
        } else if !node.is_value() {
            touched.extend(&node.makes);
        }
        self.dead_after(node.step, touched, now);
    }

    fn host(&mut self, host: &Host, mut now: Vec<Life>) -> Lives {
        self.used(&self.uses.hosts[host.step], &mut now);
        self.born(&mut now, &host.makes);
        if let Some(exit) = host.exit {
            self.leaves(host.step, exit, now);
            return None;
        }
        if !host.tail {
            let named = host.uses.iter().map(|u| u.place).chain(host.mentions.iter().copied());
            let mut touched: Vec<NameIx> = named.map(|p| self.chunk.places[p].name).collect();
            if !host.value {
                touched.extend(&host.makes);
            }
            self.dead_after(host.step, touched, &mut now);
        }
        Some(now)
    }

    /// Ends with their scope the names that an exit leaves behind, and carries the others to where it leads.
    fn leaves(&mut self, step: StepIx, exit: Exit, mut now: Vec<Life>) {
        let (target, outside) = match exit {
            Exit::Return => (None, None),
            Exit::Break(l) | Exit::Continue(l) => (Some(l), self.around[l].as_ref().map(|a| a.body)),
        };
        for (n, life) in now.iter_mut().enumerate() {
            let block = self.chunk.names[n].block;
            let ends = outside.is_none_or(|body| self.is_within(block, body));
            if ends && self.owned(n) {
                if life.is_there() && self.final_ && self.named.is_some() {
                    self.release.at_exit[step].push(n);
                }
                *life = Life::Absent;
            }
        }
        let Some(around) = target.and_then(|l| self.around[l].as_mut()) else { return };
        let into = if matches!(exit, Exit::Break(_)) { &mut around.behind } else { &mut around.again };
        meet(into, Some(now));
    }

    fn branch(&mut self, branch: &Branch, mut now: Vec<Life>) -> Lives {
        self.used(&self.uses.hosts[branch.head.step], &mut now);
        let mut behind = None;
        for arm in &branch.arms {
            let lives = self.block(arm, Some(now.clone()));
            meet(&mut behind, lives);
        }
        if let Some(now) = &mut behind {
            let kept = branch.keeps.iter().map(|&p| self.chunk.places[p].name);
            self.dead_after(branch.step, branch.binds.iter().copied().chain(kept).collect(), now);
        }
        behind
    }

    fn repeat(&mut self, l: &Loop, mut now: Vec<Life>) -> Lives {
        self.used(&self.uses.hosts[l.once.step], &mut now);
        let (before, final_) = (now.clone(), self.final_);
        // What is left can only become less certain: each pass takes a step down or is the last.
        loop {
            self.final_ = false;
            let mut head = Some(now.clone());
            self.trip(l, now.clone(), &mut head);
            if head.as_ref() == Some(&now) {
                break;
            }
            now = head.unwrap_or(now);
        }
        self.final_ = final_;
        let mut behind = self.trip(l, now.clone(), &mut Some(now));
        if let Some(now) = &mut behind {
            let named = named_in(l, self.chunk);
            if self.named.is_none() {
                let whole = |&n: &NameIx| now[n] == Life::Whole && before[n] == Life::Whole;
                self.whole[l.ix] = named.iter().copied().filter(whole).collect();
            }
            let outer = |&n: &NameIx| !self.is_within(self.chunk.names[n].block, l.body.ix);
            let named = named.into_iter().filter(outer).collect();
            self.dead_after(l.step, named, now);
        }
        behind
    }

    /// One trip from a loop's head; adds to it what comes back. Returns what is left behind the loop.
    fn trip(&mut self, l: &Loop, mut now: Vec<Life>, head: &mut Lives) -> Lives {
        self.used(&self.uses.hosts[l.each.step], &mut now);
        let behind = if l.ends { Some(now.clone()) } else { None };
        self.around[l.ix] = Some(Around { body: l.body.ix, behind, again: None });
        let back = self.block(&l.body, Some(now));
        let around = self.around[l.ix].take();
        let (behind, again) = around.map_or((None, None), |a| (a.behind, a.again));
        meet(head, back);
        meet(head, again);
        behind
    }

    /// Releases the names among these that nothing names any more.
    fn dead_after(&mut self, step: StepIx, names: Vec<NameIx>, now: &mut [Life]) {
        let Some(named) = self.named else { return };
        for n in names {
            if now[n] == Life::Whole && !named.after(step, n) && !self.chunk.names[n].hidden {
                now[n] = Life::Gone;
                if self.final_ {
                    self.release.after[step].push(n);
                }
            }
        }
    }

    fn used(&self, uses: &[HostUse], now: &mut [Life]) {
        let ends = uses.iter().filter(|u| matches!(u.mode, HostMode::Move | HostMode::HandOut));
        ends.for_each(|u| self.goes(now, u.place));
    }

    fn goes(&self, now: &mut [Life], place: usize) {
        let place = &self.chunk.places[place];
        if self.owned(place.name) {
            now[place.name] = if place.path.is_empty() { Life::Gone } else { Life::Part };
        }
    }

    fn born(&self, now: &mut [Life], names: &[NameIx]) {
        names.iter().filter(|&&n| self.owned(n)).for_each(|&n| now[n] = Life::Whole);
    }

    fn owned(&self, name: NameIx) -> bool {
        !self.chunk.names[name].origin.is_borrowed()
    }

    fn is_within(&self, mut block: BlockIx, outer: BlockIx) -> bool {
        while block != outer {
            let Some(next) = self.outer[block] else { return false };
            block = next;
        }
        true
    }
}

/// For each block the one around it.
fn enclose(block: &Block, outer: &mut [Option<BlockIx>]) {
    for inner in block.steps.iter().flat_map(Step::blocks) {
        outer[inner.ix] = Some(block.ix);
        enclose(inner, outer);
    }
}

/// The names that a loop names.
fn named_in(l: &Loop, chunk: &Chunk) -> BTreeSet<NameIx> {
    let mut places: Vec<usize> = Vec::new();
    let mut head = |h: &Head| {
        places.extend(h.uses.iter().map(|u| u.place));
        places.extend(&h.mentions);
    };
    head(&l.once);
    head(&l.each);
    for step in l.body.all() {
        match step {
            Step::Branch(b) => head(&b.head),
            Step::Loop(l) => {
                head(&l.once);
                head(&l.each);
            }
            Step::Node(_) | Step::Host(_) => {}
        }
    }
    for step in l.body.all() {
        match step {
            Step::Node(n) => {
                places.extend(n.uses.iter().map(|u| u.place));
                places.extend(&n.renews);
            }
            Step::Host(h) => {
                places.extend(h.uses.iter().map(|u| u.place));
                places.extend(&h.mentions);
            }
            Step::Branch(_) | Step::Loop(_) => {}
        }
    }
    places.into_iter().map(|p| chunk.places[p].name).collect()
}
