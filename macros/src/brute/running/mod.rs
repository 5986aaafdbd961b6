//! Random chunks run for real: on the runtime in checked mode by their analysed plans, against program order.
//!
//! [`script`] lowers a chunk to concrete work, [`device`] runs that as emitted code would, [`host`] says what the
//! values must be. The ledger's rescue is off, so a need that the plan leaves out is a race that checked mode sees.
//! Then plans and the runtime are broken, and the same run must notice.

mod device;
mod host;
mod leak;
mod script;

use std::sync::Mutex;
use std::thread;

use streamlease::testing::Faults;
use streamlease::{Checked, Lane, Result, Runtime, Stats};

use super::generate;
use script::{STREAMS, Script, Work, lower};

const PROGRAMS: u64 = 10_000;

/// One program, or two that run in turn and share what they only read.
struct Case {
    scripts: Vec<Script>,
    turns: u64,
    /// Writes what was shared.
    last: Work,
}

impl Case {
    fn one(seed: u64) -> Case {
        let script = lower(&generate::chunk(seed), seed, 0, None);
        Case { scripts: vec![script], turns: 0, last: Work { stream: STREAMS[0], ..Work::default() } }
    }

    /// A program with branches and loops, along one of its paths.
    fn structured(seed: u64) -> Case {
        let script = lower(&generate::structured(seed), seed, 0, None);
        Case { scripts: vec![script], turns: 0, last: Work { stream: STREAMS[0], ..Work::default() } }
    }

    fn two(seed: u64) -> Case {
        let mut case = Case::one(seed);
        let first = &case.scripts[0];
        let other = seed + 1_000_000;
        let second = lower(&generate::chunk(other), other, first.next, Some(&first.shared));
        case.turns = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        case.last.writes = first.shared.clone();
        case.last.stream = STREAMS[seed as usize % 4];
        case.scripts.push(second);
        case
    }

    fn expected(&self) -> Vec<Vec<u32>> {
        let mut world = host::World::default();
        self.scripts.iter().flat_map(|s| &s.setup).for_each(|w| world.work(w));
        self.scripts.iter().for_each(|s| world.call(s));
        world.work(&self.last);
        self.scripts.iter().for_each(|s| world.collect(&s.left));
        world.values()
    }

    fn call(&self, lane: &Lane) -> Result<Vec<Vec<u32>>> {
        let (cx, world) = (lane.cx(), device::World::default());
        self.scripts.iter().flat_map(|s| &s.setup).try_for_each(|w| world.outside(&cx, w))?;
        match &self.scripts[..] {
            [a, b] => device::in_turn(&cx, [a, b], self.turns, &world)?,
            one => one.iter().try_for_each(|s| device::call(&cx, s, &world))?,
        }
        world.outside(&cx, &self.last)?;
        self.scripts.iter().try_for_each(|s| world.collect(&cx, &s.left))?;
        world.values()
    }
}

/// What some calls of a case did.
struct Outcome {
    /// Calls with a wrong value or an error.
    wrong: Option<String>,
    violations: Vec<String>,
    stats: Stats,
    /// Reserved bytes after each call.
    reserved: Vec<usize>,
}

impl Outcome {
    fn noticed(&self) -> bool {
        self.wrong.is_some() || !self.violations.is_empty()
    }
}

fn run(case: &Case, seed: u64, faults: Faults, calls: usize) -> Outcome {
    let slow = (0..4).filter(|s| seed >> (s + 3) & 1 == 1);
    let checked = slow.fold(Checked::seed(seed), |c, s| c.slow(STREAMS[s]));
    let rt = Runtime::builder().checked(checked).faults(faults).build().expect("a runtime");
    let lane = rt.lane(&STREAMS).expect("a lane");
    let expected = case.expected();
    let (mut wrong, mut reserved) = (None, Vec::new());
    for call in 0..calls {
        let found = case.call(&lane);
        if found.as_ref().ok() != Some(&expected) {
            wrong = Some(format!("call {call}: {}", found.err().map_or("values".into(), |e| e.to_string())));
        }
        reserved.push(rt.stats().memory.reserved);
    }
    Outcome { wrong, violations: rt.violations(), stats: rt.stats(), reserved }
}

fn blind() -> Faults {
    Faults { no_rescue: true, ..Faults::default() }
}

/// `judge` over seeds, on all processors.
fn for_each_seed(seeds: u64, judge: impl Fn(u64) + Sync) {
    let threads = thread::available_parallelism().map_or(2, |n| n.get() as u64);
    thread::scope(|scope| {
        for first in 0..threads {
            let judge = &judge;
            scope.spawn(move || (first..seeds).step_by(threads as usize).for_each(judge));
        }
    });
}

fn hold(seed: u64, case: &Case, calls: usize) -> Outcome {
    let seen = run(case, seed, blind(), calls);
    let plan = case.scripts[0].plan;
    assert_eq!(seen.wrong, None, "program {seed}\n{plan}");
    assert_eq!(seen.violations, [""; 0], "program {seed}\n{plan}");
    assert_eq!(seen.stats.waits.unplanned, 0, "program {seed}\n{plan}");
    assert_eq!(seen.stats.memory.live, 0, "program {seed}\n{plan}");
    seen
}

#[test]
fn programs_run_as_in_program_order() {
    let counts = Mutex::new([0_u64; 6]);
    for_each_seed(PROGRAMS, |seed| {
        let case = Case::one(seed);
        let seen = hold(seed, &case, 2);
        let waits = seen.stats.waits;
        let strict = !case.scripts[0].may_be_late && case.scripts[0].left.is_empty();
        assert!(!strict || waits.late == 0, "program {seed}: {waits:?}\n{}", case.scripts[0].plan);
        let new = [waits.planned, waits.by_ledger, waits.reuse, waits.late, u64::from(strict), 1];
        counts.lock().unwrap().iter_mut().zip(new).for_each(|(sum, n)| *sum += n);
    });
    let counts = counts.into_inner().unwrap();
    println!("waits planned, by ledger, reuse, late; programs that may not be late, all: {counts:?}");
    assert!(counts.iter().all(|&n| n > 5), "too little of something: {counts:?}");
}

#[test]
fn structured_programs_run_as_in_program_order() {
    let counts = Mutex::new([0_u64; 6]);
    for_each_seed(2 * PROGRAMS, |seed| {
        let case = Case::structured(seed);
        if case.scripts[0].endless {
            return;
        }
        let seen = hold(seed, &case, 2);
        let waits = seen.stats.waits;
        let strict = !case.scripts[0].may_be_late && case.scripts[0].left.is_empty();
        let new = [waits.planned, waits.by_ledger, waits.reuse, waits.late, u64::from(strict), 1];
        counts.lock().unwrap().iter_mut().zip(new).for_each(|(sum, n)| *sum += n);
    });
    let counts = counts.into_inner().unwrap();
    println!("waits planned, by ledger, reuse, late; programs that may not be late, all: {counts:?}");
    assert!(counts.iter().all(|&n| n > 5), "too little of something: {counts:?}");
}

#[test]
fn reserved_memory_is_flat() {
    for_each_seed(PROGRAMS / 16, |seed| {
        let seen = hold(16 * seed, &Case::one(16 * seed), 26);
        assert_eq!(seen.reserved[13], seen.reserved[25], "program {}: {:?}", 16 * seed, seen.reserved);
    });
}

#[test]
fn two_runs_in_turn_do_as_one_after_the_other() {
    for_each_seed(PROGRAMS / 10, |seed| drop(hold(seed, &Case::two(seed), 2)));
}

/// Each wait that makes a call is needed: without it the checked run sees a race, or a wait by ledger stands in.
#[test]
fn a_wait_less_is_noticed() {
    // All, seen, without effect (no call was saved), replaced by ledger.
    let counts = Mutex::new([0_u64; 4]);
    for_each_seed(PROGRAMS / 10, |seed| {
        let mut case = Case::one(seed);
        case.scripts[0].hurry();
        let plan = case.scripts[0].plan;
        let whole = run(&case, seed, blind(), 1).stats.waits;
        for (ix, node) in plan.nodes.iter().enumerate() {
            for wait in 0..node.waits.len() {
                case.scripts[0].set_plan(leak::without_wait(plan, ix, wait));
                let less = run(&case, seed, blind(), 1);
                let waits = less.stats.waits;
                let kind = if less.noticed() {
                    1
                } else if waits.planned == whole.planned {
                    2
                } else if plan.nodes[ix..].iter().any(|n| n.uses.iter().any(|u| u.by_ledger)) {
                    3
                } else {
                    panic!("program {seed}: wait {wait} of node {ix} was not missed\n{plan}")
                };
                let mut counts = counts.lock().unwrap();
                counts[0] += 1;
                counts[kind] += 1;
            }
        }
    });
    let counts = counts.into_inner().unwrap();
    println!("waits removed, noticed, without a call, replaced by ledger: {counts:?}");
    assert!(counts[1] > counts[0] / 2, "{counts:?}");
}

#[test]
fn a_broken_runtime_is_noticed() {
    type Switch = fn(&mut Faults);
    let mutants: [(&str, Switch); 5] = [
        ("forget_reads", |f| f.forget_reads = true),
        ("todays_row", |f| f.todays_row = true),
        ("open_covered", |f| f.open_covered = true),
        ("unmarked_alloc", |f| f.unmarked_alloc = true),
        ("blind_pool", |f| f.blind_pool = true),
    ];
    let blind_to: Vec<&str> = mutants
        .iter()
        .filter(|(name, switch)| {
            let mut faults = blind();
            switch(&mut faults);
            let seen = |seed: &u64| {
                run(&Case::one(*seed), *seed, faults.clone(), 2).noticed()
                    || run(&Case::two(*seed), *seed, faults.clone(), 2).noticed()
            };
            let first = (0..1000).find(seen);
            println!("{name}: noticed at program {first:?}");
            first.is_none()
        })
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(blind_to, [""; 0]);
}
