//! A chunk as concrete work: which storage each step touches, in program order.
//!
//! Lowering decides what a tree leaves open (sizes, whether a taken storage comes back under another name, what a
//! called chunk does) and knows nothing of streams, waits or events beyond the names of streams. Both interpreters
//! run the result.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use streamlease::__private as private;
use streamlease::plan::Plan;

use super::super::planned;
use super::leak;
use crate::body::{
    Block, Chunk, Exit, Host, HostMode, HostUse, Loop, Mode, NameIx, Node, Origin, PlaceIx, Step,
};
use crate::release::Release;
use crate::testing::{Body, analyse};

/// One storage of a program.
pub(super) type Id = usize;

/// The streams of every lane.
pub(super) const STREAMS: [&str; 4] = ["s0", "s1", "s2", "s3"];

/// What one node does.
#[derive(Debug, Default, Clone)]
pub(super) struct Work {
    pub(super) stream: &'static str,
    pub(super) reads: Vec<Id>,
    pub(super) writes: Vec<Id>,
    /// Read and written, then dropped within the node.
    pub(super) eats: Vec<Id>,
    pub(super) makes: Vec<(Id, usize)>,
    /// Memory that is taken, not touched, and dropped.
    pub(super) waste: Option<usize>,
    /// Read to the host in the middle of the node; and whether the host waits for it there.
    pub(super) readback: Option<(Id, bool)>,
    pub(super) salt: u32,
}

#[derive(Debug)]
pub(super) enum Act {
    /// A node of the plan, and the leases that it makes and that hold no storage.
    Node(usize, Work, Vec<usize>),
    Call(Script),
    Outside(Work),
    Release(usize, Vec<Id>),
    Drop(Vec<Id>),
}

#[derive(Debug)]
pub(super) struct Script {
    pub(super) plan: &'static Plan<'static>,
    pub(super) chunk: &'static private::Chunk,
    /// Makes the arguments, outside.
    pub(super) setup: Vec<Work>,
    pub(super) acts: Vec<Act>,
    /// What is there afterwards: handed out, or never the chunk's.
    pub(super) left: Vec<Id>,
    /// The storages behind `&` parameters.
    pub(super) shared: Vec<Id>,
    /// Whether events may be missing at a use by ledger: reads through `&` and `&mut` parameters are not recorded
    /// for whoever uses the storage outside later.
    pub(super) may_be_late: bool,
    /// Whether the path goes round a loop for good.
    pub(super) endless: bool,
    /// The first number that is free for other programs.
    pub(super) next: Id,
}

impl Script {
    /// Without host waits within nodes: what the host has seen done needs no order.
    pub(super) fn hurry(&mut self) {
        for act in &mut self.acts {
            if let Act::Node(_, work, _) = act {
                work.readback = work.readback.map(|(id, _)| (id, false));
            }
        }
    }

    /// The same work by another plan.
    pub(super) fn set_plan(&mut self, plan: &'static Plan<'static>) {
        (self.plan, self.chunk) = (plan, leak::chunk(plan));
    }
}

struct Lower<'a> {
    chunk: &'a Chunk,
    /// The lease of each name.
    leases: Vec<Option<usize>>,
    rng: ChaCha8Rng,
    next: Id,
    /// What each place holds itself, without the places within it.
    held: Vec<Vec<Id>>,
    acts: Vec<Act>,
    /// Sometimes over 1 MiB, so that memory is waited for.
    large: bool,
    may_be_late: bool,
    /// Whether the path goes round a loop for good.
    endless: bool,
    /// Names that hold no storage, once that is settled.
    plain: Vec<Option<bool>>,
}

/// The program of a chunk. Storages are numbered from `next`; `&` parameters stand for `lent`, if that is given.
pub(super) fn lower(chunk: &Chunk, seed: u64, next: Id, lent: Option<&[Id]>) -> Script {
    let large = seed.is_multiple_of(16);
    let rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5EED);
    let held = vec![Vec::new(); chunk.places.len()];
    let data = planned(chunk);
    let leases = data.lease_of_name.clone();
    let plain = vec![None; chunk.names.len()];
    let acts = Vec::new();
    let mut lower =
        Lower { chunk, leases, rng, next, held, acts, large, may_be_late: false, endless: false, plain };
    let mut shared = Vec::new();
    let mut setup = Vec::new();
    for (place, p) in chunk.places.iter().enumerate() {
        match (chunk.names[p.name].origin, lent) {
            (Origin::Shared, Some(lent)) if !lent.is_empty() => {
                lower.held[place] = vec![lent[place % lent.len()]];
            }
            (Origin::Owned | Origin::Shared | Origin::Exclusive, _) => {
                let made = lower.fresh();
                lower.held[place] = vec![made.0];
                setup.push(Work { makes: vec![made], ..lower.work() });
            }
            _ => {}
        }
    }
    for (place, p) in chunk.places.iter().enumerate() {
        lower.may_be_late |= !matches!(chunk.names[p.name].origin, Origin::Owned | Origin::Node(_));
        if chunk.names[p.name].origin == Origin::Shared && lent.is_none() {
            shared.extend(&lower.held[place]);
        }
    }
    lower.body();
    let mut left: Vec<Id> = lower.held.iter().flatten().copied().collect();
    if lent.is_some() {
        left.retain(|id| *id >= next);
    }
    let plan = leak::plan(data);
    let Lower { acts, next, may_be_late, endless, .. } = lower;
    Script { plan, chunk: leak::chunk(plan), setup, acts, left, shared, may_be_late, endless, next }
}

impl Lower<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn fresh(&mut self) -> (Id, usize) {
        self.next += 1;
        let large = self.large && self.chance(40);
        (self.next - 1, if large { 300_000 } else { self.rng.random_range(16..400) })
    }

    fn work(&mut self) -> Work {
        let waste = self.chance(20).then(|| self.rng.random_range(16..400));
        let stream = STREAMS[self.rng.random_range(0..STREAMS.len())];
        Work { stream, waste, salt: self.rng.random(), ..Work::default() }
    }

    fn within(&self, place: PlaceIx) -> Vec<PlaceIx> {
        let outer = &self.chunk.places[place];
        let inner = |p: &PlaceIx| {
            let p = &self.chunk.places[*p];
            p.name == outer.name && p.path.starts_with(&outer.path)
        };
        (0..self.chunk.places.len()).filter(inner).collect()
    }

    fn look(&self, place: PlaceIx) -> Vec<Id> {
        self.within(place).into_iter().flat_map(|p| self.held[p].clone()).collect()
    }

    fn take(&mut self, place: PlaceIx) -> Vec<Id> {
        self.within(place).into_iter().flat_map(|p| std::mem::take(&mut self.held[p])).collect()
    }

    fn places_of(&self, name: NameIx) -> Vec<PlaceIx> {
        (0..self.chunk.places.len()).filter(|&p| self.chunk.places[p].name == name).collect()
    }

    fn body(&mut self) {
        let release = analyse(self.chunk).release;
        let mut bag = Vec::new();
        self.block(&self.chunk.body, &release, &mut bag);
        // Moved out: nothing of the chunk drops it.
        self.held.push(bag);
    }

    /// Runs a block along one path. Returns where it left to, if it did.
    fn block(&mut self, block: &Block, release: &Release, bag: &mut Vec<Id>) -> Option<Exit> {
        self.release(&release.at_start[block.ix]);
        for step in &block.steps {
            let left = match step {
                Step::Node(node) => {
                    self.node(node);
                    None
                }
                Step::Host(host) => {
                    self.host(host, bag);
                    host.exit
                }
                Step::Branch(branch) => {
                    let arm = self.rng.random_range(0..branch.arms.len());
                    self.block(&branch.arms[arm], release, bag)
                }
                Step::Loop(l) => self.repeat(l, release, bag),
            };
            if left.is_some() {
                self.drops(&release.at_exit[step.ix()]);
                return left;
            }
            self.release(&release.after[step.ix()]);
        }
        self.drops(&release.at_end[block.ix]);
        None
    }

    fn repeat(&mut self, l: &Loop, release: &Release, bag: &mut Vec<Id>) -> Option<Exit> {
        let trips = self.rng.random_range(0..4);
        for trip in 0..30 {
            if l.ends && trip == trips {
                return None;
            }
            match self.block(&l.body, release, bag) {
                Some(Exit::Break(to)) if to == l.ix => return None,
                Some(Exit::Continue(to)) if to == l.ix => {}
                None => {}
                left => return left,
            }
        }
        self.endless = true;
        Some(Exit::Return)
    }

    /// What a scope still holds at its end.
    fn drops(&mut self, names: &[NameIx]) {
        for &name in names {
            let ids =
                self.places_of(name).into_iter().flat_map(|p| std::mem::take(&mut self.held[p])).collect();
            self.acts.push(Act::Drop(ids));
        }
    }

    fn release(&mut self, names: &[NameIx]) {
        for &name in names {
            let ids: Vec<Id> =
                self.places_of(name).into_iter().flat_map(|p| std::mem::take(&mut self.held[p])).collect();
            let lease = self.leases[name].expect("a released name has a lease");
            self.acts.push(Act::Release(lease, ids));
        }
    }

    fn node(&mut self, node: &Node) {
        let mut work = Work { stream: STREAMS[node.stream], ..self.work() };
        let mut taken = Vec::new();
        for used in &node.uses {
            match used.mode {
                Mode::Read => work.reads.extend(self.look(used.place)),
                Mode::Write => work.writes.extend(self.look(used.place)),
                Mode::Consume => taken.extend(self.take(used.place)),
            }
        }
        let mut plain = Vec::new();
        let mut homes = Vec::new();
        for &name in &node.makes {
            if self.is_plain(name) {
                plain.extend(self.leases[name]);
            } else {
                homes.extend(self.places_of(name));
            }
        }
        let mut replaced = Vec::new();
        for &place in &node.renews {
            replaced.extend(self.take(place));
            homes.extend(self.within(place));
        }
        for id in taken {
            if !homes.is_empty() && self.chance(50) {
                work.writes.push(id);
                let home = homes[self.rng.random_range(0..homes.len())];
                self.held[home].push(id);
            } else {
                work.eats.push(id);
            }
        }
        self.fill(&homes, &mut work);
        if self.chance(12) {
            work.readback = work.reads.first().map(|&id| (id, self.rng.random_bool(0.5)));
        }
        self.acts.push(Act::Node(node.ix, work, plain));
        if !replaced.is_empty() {
            self.acts.push(Act::Drop(replaced));
        }
    }

    /// Some names that one node makes are numbers, on every trip. Numbers have no parts.
    fn is_plain(&mut self, name: NameIx) -> bool {
        let may_be =
            matches!(self.chunk.names[name].origin, Origin::Node(_)) && self.places_of(name).len() == 1;
        let plain = self.plain[name].unwrap_or_else(|| may_be && self.chance(12));
        self.plain[name] = Some(plain);
        plain
    }

    fn fill(&mut self, homes: &[PlaceIx], work: &mut Work) {
        for &home in homes {
            if self.held[home].is_empty() {
                let made = self.fresh();
                self.held[home].push(made.0);
                work.makes.push(made);
            }
        }
    }

    fn host(&mut self, host: &Host, bag: &mut Vec<Id>) {
        let lends = |u: &HostUse| matches!(u.mode, HostMode::Lend | HostMode::LendMut);
        let made = |n: &NameIx| matches!(self.chunk.names[*n].origin, Origin::Call(_));
        let calls = host.uses.iter().any(lends) || host.makes.iter().any(made);
        let mut work = self.work();
        let mut moved = Vec::new();
        for used in &host.uses {
            match used.mode {
                HostMode::Lend => work.reads.extend(self.look(used.place)),
                HostMode::LendMut => work.writes.extend(self.look(used.place)),
                HostMode::Move => moved.extend(self.take(used.place)),
                HostMode::HandOut => bag.extend(self.take(used.place)),
            }
        }
        let homes: Vec<PlaceIx> = host.makes.iter().flat_map(|&n| self.places_of(n)).collect();
        for id in moved {
            match homes.first() {
                Some(&home) => self.held[home].push(id),
                None if calls => work.eats.push(id),
                None => bag.push(id),
            }
        }
        self.fill(&homes, &mut work);
        if calls {
            self.may_be_late = true;
            let call = self.call(work);
            self.acts.push(Act::Call(call));
        } else if !work.makes.is_empty() {
            self.acts.push(Act::Outside(work));
        }
    }

    /// A called chunk of two nodes: one reads on some stream, the other does the work on its own.
    fn call(&mut self, work: Work) -> Script {
        let mut body = Body::new("callee", &STREAMS);
        let names = |what: &str, ids: &[Id]| ids.iter().map(|id| format!("{what}{id}")).collect::<Vec<_>>();
        let (reads, writes, eats) =
            (names("r", &work.reads), names("w", &work.writes), names("e", &work.eats));
        for n in &reads {
            body.shared(n);
        }
        for n in &writes {
            body.exclusive(n);
        }
        for n in &eats {
            body.owned(n);
        }
        let lent: Vec<String> = reads.iter().chain(&writes).chain(&eats).map(|n| format!("&{n}")).collect();
        let first = Work { reads: [&work.reads[..], &work.writes, &work.eats].concat(), ..self.work() };
        body.on(first.stream, &format!("look({})", lent.join(", ")));
        let args = reads.iter().map(|n| format!("&{n}")).chain(writes.iter().map(|n| format!("&mut {n}")));
        let args: Vec<String> = args.chain(eats.iter().cloned()).collect();
        let made: Vec<String> = work.makes.iter().map(|(id, _)| format!("m{id}")).collect();
        body.on(work.stream, &format!("touch({}) -> {}", args.join(", "), made.join(", ")));
        body.hand_out(&made.join(", "));
        let plan = leak::plan(planned(&body.done()));
        Script {
            plan,
            chunk: leak::chunk(plan),
            setup: Vec::new(),
            acts: vec![Act::Node(0, first, Vec::new()), Act::Node(1, work, Vec::new())],
            left: Vec::new(),
            shared: Vec::new(),
            may_be_late: true,
            endless: false,
            next: 0,
        }
    }
}
