//! Random chunks, always the same for a seed: up to eight nodes on up to four streams, fields, host statements.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::body::{Chunk, HostMode};
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
struct Live {
    name: String,
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
}

/// The program of a seed.
pub(crate) fn chunk(seed: u64) -> Chunk {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let streams = rng.random_range(1..=STREAMS.len());
    let body = Body::new("random", &STREAMS[..streams]);
    let mut program = Program { body, rng, live: Vec::new(), names: 0 };
    program.parameters();
    let nodes = program.rng.random_range(1..=8);
    for n in 0..nodes {
        if program.chance(25) {
            program.host();
        }
        program.node(n, streams);
    }
    program.tail();
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
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn fresh(&mut self, right: Right) -> String {
        let name = format!("v{}", self.names);
        self.names += 1;
        self.live.push(Live { name: name.clone(), right, gone: Vec::new() });
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
        let live = &mut self.live[at];
        let right = if right == Right::Own && live.right != Right::Own { Right::Read } else { right };
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

    fn node(&mut self, n: usize, streams: usize) {
        let args: Vec<String> = self
            .places(4)
            .into_iter()
            .map(|(place, right)| match right {
                Right::Read => format!("&{place}"),
                Right::Write => format!("&mut {place}"),
                Right::Own => place,
            })
            .collect();
        let made = self.rng.random_range(0..=2);
        let makes: Vec<String> = (0..made).map(|_| self.fresh(Right::Own)).collect();
        let stream = STREAMS[self.rng.random_range(0..streams)];
        self.body.on(stream, &format!("n{n}({}) -> {}", args.join(", "), makes.join(", ")));
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
        let whole: Vec<String> = self
            .live
            .iter()
            .filter(|l| l.right == Right::Own && l.gone.is_empty())
            .map(|l| l.name.clone())
            .collect();
        match self.rng.random_range(0..4) {
            0 => {
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
