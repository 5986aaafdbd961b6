//! Random chunks, always the same for a seed: up to eight nodes on up to four streams, fields, host statements.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::body::{Chunk, Exit, HostMode};
use crate::testing::Body;

const STREAMS: [&str; 4] = ["s0", "s1", "s2", "s3"];
/// Places of a name, the whole first.
const PATHS: [&str; 4] = ["", ".a", ".b", ".a.x"];

/// How far a name may be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Right {
    Read,
    Write,
    Own,
}

/// A name that is still there, at least in part.
#[derive(Clone)]
struct Live {
    name: String,
    /// How many loops are around its binding.
    loops: usize,
    right: Right,
    /// Paths that were moved out.
    gone: Vec<&'static str>,
}

impl Live {
    fn has(&self, path: &str) -> bool {
        !self.gone.iter().any(|g| path.starts_with(g) || g.starts_with(path))
    }
}

struct Program {
    body: Body,
    rng: ChaCha8Rng,
    live: Vec<Live>,
    /// Names so far.
    names: usize,
    /// The loops around, by number.
    loops: Vec<usize>,
    /// All loops and all nodes so far.
    all_loops: usize,
    nodes: usize,
    streams: usize,
}

/// The program of a seed.
pub(crate) fn chunk(seed: u64) -> Chunk {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let streams = rng.random_range(1..=STREAMS.len());
    let body = Body::new("random", &STREAMS[..streams]);
    let mut program = Program::new(body, rng, streams);
    program.parameters();
    let nodes = program.rng.random_range(1..=8);
    for n in 0..nodes {
        if program.chance(25) {
            program.host();
        }
        program.node(&format!("n{n}"));
    }
    program.tail();
    program.body.done()
}

/// The program of a seed, with branches, loops, exits and assignments: up to twelve nodes, nested up to four deep.
pub(crate) fn structured(seed: u64) -> Chunk {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x10_0B5);
    let streams = rng.random_range(1..=STREAMS.len());
    let body = Body::new("random", &STREAMS[..streams]);
    let mut program = Program::new(body, rng, streams);
    program.parameters();
    if program.block(0) {
        program.tail();
    }
    program.body.done()
}

/// Which names hold no storage: none, all but one, some.
pub(crate) fn plain_names(chunk: &Chunk, seed: u64) -> Vec<Vec<bool>> {
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    let names = chunk.names.len();
    let one = rng.random_range(0..names.max(1));
    vec![
        vec![false; names],
        (0..names).map(|n| n != one).collect(),
        (0..names).map(|_| rng.random_bool(0.5)).collect(),
        (0..names).map(|_| rng.random_bool(0.8)).collect(),
    ]
}

impl Program {
    fn new(body: Body, rng: ChaCha8Rng, streams: usize) -> Program {
        let (live, loops) = (Vec::new(), Vec::new());
        Program { body, rng, live, names: 0, loops, all_loops: 0, nodes: 0, streams }
    }

    /// Some steps, with constructs among them. Returns whether control comes to the end.
    fn block(&mut self, depth: usize) -> bool {
        let steps = self.rng.random_range(1..=if depth == 0 { 6 } else { 3 });
        for _ in 0..steps {
            match self.rng.random_range(0..100) {
                0..14 if depth < 4 && !self.branch(depth) => return false,
                0..14 if depth < 4 => {}
                14..26 if depth < 4 => self.repeat(depth),
                26..33 if depth > 0 => {
                    self.exit();
                    return false;
                }
                33..43 => self.host(),
                43..55 if self.nodes < 12 => self.renew(),
                _ if self.nodes < 12 => {
                    let label = format!("n{}", self.nodes);
                    self.node(&label);
                }
                _ => {}
            }
        }
        true
    }

    fn branch(&mut self, depth: usize) -> bool {
        let before = self.live.clone();
        let value = self.chance(30).then(|| format!("v{}", self.names));
        if let Some(value) = &value {
            self.names += 1;
            self.body.declare(value);
        }
        let heads: Vec<String> =
            self.live.iter().filter(|l| l.gone.is_empty()).map(|l| l.name.clone()).collect();
        let heads: Vec<String> = heads.into_iter().filter(|_| self.rng.random_bool(0.2)).collect();
        self.body.branch(&heads.join(", "));
        let arms = if value.is_some() { self.rng.random_range(1..=3) } else { self.rng.random_range(1..=2) };
        let mut after: Option<Vec<Live>> = None;
        let mut gives = false;
        for arm in 0..arms {
            if arm > 0 {
                self.body.arm();
            }
            self.live.clone_from(&before);
            let mut comes = self.chance(20) || self.block(depth + 1);
            if let (Some(value), true) = (&value, comes) {
                if self.nodes < 12 {
                    self.value_node(value);
                    gives = true;
                } else {
                    self.exit_out();
                    comes = false;
                }
            }
            if comes {
                let here = &self.live;
                let merged = match after.take() {
                    None => here.clone(),
                    Some(other) => merge(&other, here),
                };
                // Names of the arm are out of scope.
                after =
                    Some(merged.into_iter().filter(|l| before.iter().any(|b| b.name == l.name)).collect());
            }
        }
        match &value {
            Some(value) if gives => self.body.join_as(value),
            _ => self.body.join(),
        };
        let Some(after) = after else { return false };
        self.live = after;
        if let Some(value) = value {
            let loops = self.loops.len();
            self.live.push(Live { name: value, loops, right: Right::Own, gone: Vec::new() });
        }
        true
    }

    fn repeat(&mut self, depth: usize) {
        let before = self.live.clone();
        let ends = self.chance(75);
        let heads: Vec<String> =
            self.live.iter().filter(|l| l.gone.is_empty()).map(|l| l.name.clone()).collect();
        let heads: Vec<String> = heads.into_iter().filter(|_| self.rng.random_bool(0.1)).collect();
        self.body.repeat(ends, &heads.join(", "));
        self.loops.push(self.all_loops);
        self.all_loops += 1;
        if self.block(depth + 1) && !ends {
            // `loop` has to end somewhere.
            let exit = Exit::Break(*self.loops.last().expect("a loop"));
            self.body.exit(exit, "");
        }
        self.loops.pop();
        self.body.end();
        self.live = before;
    }

    /// Leaves a loop, goes round again, or returns.
    fn exit(&mut self) {
        let within = self.loops.len();
        if within > 0 && self.chance(75) {
            let to = self.loops[self.rng.random_range(0..within)];
            let exit = if self.chance(60) { Exit::Break(to) } else { Exit::Continue(to) };
            self.body.exit(exit, "");
        } else {
            self.exit_out();
        }
    }

    fn exit_out(&mut self) {
        let whole = self.whole();
        let out: Vec<String> = whole.into_iter().filter(|_| self.rng.random_bool(0.3)).collect();
        self.body.exit(Exit::Return, &out.join(", "));
    }

    /// A node whose value is that of an arm.
    fn value_node(&mut self, value: &str) {
        let args = self.args();
        let stream = STREAMS[self.rng.random_range(0..self.streams)];
        self.body.on(stream, &format!("n{}({}) -> ^{value}", self.nodes, args.join(", ")));
        self.nodes += 1;
    }

    /// A node whose value is assigned: `x = f(x, ..)`, or with `&x`, or without it.
    fn renew(&mut self) {
        let own = |l: &&Live| l.right != Right::Read && l.gone.is_empty();
        let names: Vec<String> = self.live.iter().filter(own).map(|l| l.name.clone()).collect();
        if names.is_empty() {
            return;
        }
        let name = names[self.rng.random_range(0..names.len())].clone();
        let at = self.live.iter().position(|l| l.name == name).expect("a live name");
        let owned = self.live[at].right == Right::Own;
        let path = if self.chance(30) { PATHS[self.rng.random_range(1..PATHS.len())] } else { "" };
        let kept = self.live.remove(at);
        let mut args = self.args();
        match self.rng.random_range(0..3) {
            0 if owned => args.push(format!("{name}{path}")),
            1 => args.push(format!("&{name}{path}")),
            _ => {}
        }
        self.live.insert(at.min(self.live.len()), kept);
        let stream = STREAMS[self.rng.random_range(0..self.streams)];
        self.body.on(stream, &format!("n{}({}) -> ={name}{path}", self.nodes, args.join(", ")));
        self.nodes += 1;
    }

    fn whole(&self) -> Vec<String> {
        let whole = |l: &&Live| l.right == Right::Own && l.gone.is_empty();
        self.live.iter().filter(whole).map(|l| l.name.clone()).collect()
    }

    fn args(&mut self) -> Vec<String> {
        let spell = |(place, right): (String, Right)| match right {
            Right::Read => format!("&{place}"),
            Right::Write => format!("&mut {place}"),
            Right::Own => place,
        };
        self.places(4).into_iter().map(spell).collect()
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn fresh(&mut self, right: Right) -> String {
        let name = format!("v{}", self.names);
        self.names += 1;
        let loops = self.loops.len();
        self.live.push(Live { name: name.clone(), loops, right, gone: Vec::new() });
        name
    }

    fn parameters(&mut self) {
        for right in [Right::Read, Right::Write, Right::Own, Right::Own] {
            if self.chance(50) {
                let name = self.fresh(right);
                match right {
                    Right::Read => self.body.shared(&name),
                    Right::Write => self.body.exclusive(&name),
                    Right::Own => self.body.owned(&name),
                };
            }
        }
    }

    /// Takes a place of some live name with a mode that the name allows; names in `taken` are left alone.
    fn pick(&mut self, taken: &mut Vec<usize>) -> Option<(String, Right)> {
        if self.live.is_empty() {
            return None;
        }
        let at = self.rng.random_range(0..self.live.len());
        let path = if self.chance(65) { "" } else { PATHS[self.rng.random_range(0..PATHS.len())] };
        if taken.contains(&at) || !self.live[at].has(path) {
            return None;
        }
        taken.push(at);
        let right = match self.rng.random_range(0..10) {
            0..5 => Right::Read,
            5..7 => Right::Write,
            _ => Right::Own,
        };
        let loops = self.loops.len();
        let live = &mut self.live[at];
        // What a loop takes is gone on its next trip.
        let taken = live.right == Right::Own && live.loops == loops;
        let right = if right == Right::Own && !taken { Right::Read } else { right };
        let right = if right == Right::Write && live.right == Right::Read { Right::Read } else { right };
        if right == Right::Own {
            live.gone.push(path);
        }
        Some((format!("{}{path}", live.name), right))
    }

    /// Some places, each of another name.
    fn places(&mut self, most: usize) -> Vec<(String, Right)> {
        let mut taken = Vec::new();
        let tries = self.rng.random_range(0..=most);
        (0..tries).filter_map(|_| self.pick(&mut taken)).collect()
    }

    fn node(&mut self, label: &str) {
        let args = self.args();
        let made = self.rng.random_range(0..=2);
        let makes: Vec<String> = (0..made).map(|_| self.fresh(Right::Own)).collect();
        let stream = STREAMS[self.rng.random_range(0..self.streams)];
        self.body.on(stream, &format!("{label}({}) -> {}", args.join(", "), makes.join(", ")));
        self.nodes += 1;
    }

    fn host(&mut self) {
        let kind = self.rng.random_range(0..4);
        let places = self.places(2);
        let uses: Vec<(&str, HostMode)> = places
            .iter()
            .filter_map(|(place, right)| match (right, kind) {
                (Right::Own, 0) => Some((place.as_str(), HostMode::HandOut)),
                (Right::Own, _) => Some((place.as_str(), HostMode::Move)),
                (Right::Read, 1..3) => Some((place.as_str(), HostMode::Lend)),
                (Right::Write, 1..3) => Some((place.as_str(), HostMode::LendMut)),
                _ => None,
            })
            .collect();
        let mentions: Vec<&str> = places
            .iter()
            .filter(|(place, _)| !uses.iter().any(|(used, _)| used == place))
            .map(|(place, _)| place.as_str())
            .collect();
        let makes = if kind > 0 && self.chance(60) { vec![self.fresh(Right::Own)] } else { Vec::new() };
        let makes: Vec<&str> = makes.iter().map(String::as_str).collect();
        self.body.host(&uses, &mentions, &makes, matches!(kind, 1..3));
    }

    /// Some whole names leave, or the last node makes the value, or nothing does.
    fn tail(&mut self) {
        let whole = self.whole();
        match self.rng.random_range(0..4) {
            0 if self.body.may_be_tail() => {
                self.body.as_tail();
            }
            1 => {}
            _ => {
                let out: Vec<String> = whole.into_iter().filter(|_| self.rng.random_bool(0.4)).collect();
                self.body.hand_out(&out.join(", "));
            }
        }
    }
}

/// What is left where two arms meet.
fn merge(a: &[Live], b: &[Live]) -> Vec<Live> {
    let both = a.iter().filter_map(|a| {
        let b = b.iter().find(|b| b.name == a.name)?;
        let gone = a.gone.iter().chain(&b.gone).copied().collect();
        Some(Live { gone, ..a.clone() })
    });
    both.collect()
}
