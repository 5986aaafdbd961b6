//! Runs a case every way it must hold, and every way it must be seen to fail.

use crate::{mutants, order, stub};
use std::sync::Arc;
use streamlease::plan::{self, Plan};
use streamlease::testing::{Faults, Mutator};
use streamlease::{Builder, Checked, Cx, Pending, Result, Runtime};

/// Seeds that each case is tried with.
const SEEDS: u64 = 40;
/// Seeds on the stub driver; the last one is with one stream.
const STUB_SEEDS: u64 = 6;

/// A chunk and how it is called.
pub struct Case {
    /// The lane's streams.
    pub streams: &'static [&'static str],
    /// Streams that lag behind, one set after the other.
    pub slow: &'static [&'static [&'static str]],
    /// The plan of the chunk under test.
    pub plan: &'static Plan<'static>,
    /// Calls the chunk once, from inputs that it makes itself, and starts reading what comes out.
    pub run: fn(&Cx<'_>) -> Result<Vec<Pending<u32>>>,
}

/// What one run of a case did.
struct Seen {
    values: Result<Vec<u32>>,
    violations: Vec<String>,
    unplanned: u64,
    live: usize,
}

fn observe(case: &Case, builder: Builder, one_stream: bool) -> Seen {
    let rt = builder.build().expect("a runtime");
    let only = rt.stream("only").expect("a stream");
    let lane = if one_stream {
        rt.lane_on(&case.streams.iter().map(|&s| (s, &only)).collect::<Vec<_>>())
    } else {
        rt.lane(case.streams)
    }
    .expect("a lane");
    let started = (case.run)(&lane.cx());
    let values = started.and_then(|pending| {
        let values: Result<Vec<Vec<u32>>> = pending.into_iter().map(Pending::wait).collect();
        values.map(|v| v.concat())
    });
    let drained = lane.drain();
    assert!(drained.is_ok(), "{drained:?}");
    let stats = rt.stats();
    Seen { values, violations: rt.violations(), unplanned: stats.waits.unplanned, live: stats.memory.live }
}

fn checked(case: &Case, seed: u64) -> Builder {
    let slow = case.slow[seed as usize % case.slow.len()];
    let how = slow.iter().fold(Checked::seed(seed), |how, s| how.slow(*s));
    Runtime::builder().checked(how)
}

/// Faults with which the chunk of the case runs by `mutant`.
fn mutated(case: &Case, mutant: &'static Plan<'static>, no_rescue: bool) -> Faults {
    let name = case.plan.chunk;
    let mutate: Mutator = Arc::new(move |plan| if plan.chunk == name { mutant } else { plan });
    Faults { no_rescue, mutate: Some(mutate), ..Faults::default() }
}

/// The plan's judge, at run time.
pub fn judge(plan: &Plan<'_>) -> Result<(), plan::Fault> {
    if plan.is_straight() { plan::check::<64, 64>(plan) } else { plan::check_paths::<64, 64, 1>(plan) }
}

/// The case holds: same values in every order, on one stream, with each seed; no violation, nothing unplanned,
/// nothing left; and each wait of its plan is needed, by every judge.
///
/// It also runs through the CUDA backend: on the stub driver, whose trace of calls is judged, or on the device that
/// `STREAMLEASE_TEST_DEVICE` names.
pub fn hold(case: &Case) {
    assert_eq!(judge(case.plan), Ok(()), "\n{}", case.plan);
    let one = observe(case, Runtime::builder().strict(true), true);
    let expected = one.values.expect("the case on one stream");
    for seed in 0..SEEDS {
        let seen = observe(case, checked(case, seed).strict(true), false);
        assert_eq!(
            seen.values.as_ref().ok(),
            Some(&expected),
            "seed {seed}: {:?}\n{}",
            seen.values,
            case.plan
        );
        assert_eq!(seen.violations, [""; 0], "seed {seed}\n{}", case.plan);
        assert_eq!((seen.unplanned, seen.live), (0, 0), "seed {seed}\n{}", case.plan);
    }
    let threads = observe(case, Runtime::builder().strict(true), false);
    assert_eq!(threads.values.ok(), Some(expected.clone()), "on threads");
    match stub::real_device() {
        Some(ordinal) => on_device(case, ordinal, &expected),
        None => on_stub(case, &expected),
    }
    for wait in mutants::waits(case.plan) {
        needs(case, wait, &expected);
    }
    flat(case);
}

/// Same values on a GPU, on one stream and on all, with each set of streams held up by slow kernels.
fn on_device(case: &Case, ordinal: usize, expected: &[u32]) {
    for (slow, one_stream) in case.slow.iter().map(|slow| (*slow, false)).chain([(&[][..], true)]) {
        slow_down(slow);
        let seen = observe(case, Runtime::builder().strict(true).cuda(ordinal), one_stream);
        assert_eq!(
            seen.values.as_deref().ok(),
            Some(expected),
            "on the GPU: {:?}\n{}",
            seen.values,
            case.plan
        );
        assert_eq!((seen.unplanned, seen.live), (0, 0), "on the GPU\n{}", case.plan);
    }
}

/// Nanoseconds that each kernel on a slow stream takes.
const SLOW: u64 = 200_000;

fn slow_down(streams: &[&str]) {
    crate::ops::cuda::slow_down(&streams.iter().map(|&label| (label, SLOW)).collect::<Vec<_>>());
}

/// Same values on the stub driver, and its trace of calls shows that all is ordered.
fn on_stub(case: &Case, expected: &[u32]) {
    for seed in 0..STUB_SEEDS {
        let device = stub::Device::new(seed);
        slow_down(case.slow[seed as usize % case.slow.len()]);
        let builder = Runtime::builder().strict(true).cuda(device.ordinal());
        let seen = observe(case, builder, seed + 1 == STUB_SEEDS);
        let what = format!("on the stub driver, seed {seed}\n{}", case.plan);
        assert_eq!(seen.values.as_deref().ok(), Some(expected), "{:?} {what}", seen.values);
        assert_eq!((seen.unplanned, seen.live), (0, 0), "{what}");
        let trace = device.seen();
        assert!(trace.count("cuLaunchKernel") > 0, "{what}");
        assert_eq!(order::faults(&trace.records), [], "{what}");
    }
}

/// The wait is needed: without it the plan's judge objects, the checked run objects, and the ledger rescues.
fn needs(case: &Case, wait: (usize, usize), expected: &[u32]) {
    let mutant = mutants::without_wait(case.plan, wait);
    let what = format!("wait {wait:?} taken out of\n{}", case.plan);
    assert!(judge(mutant).is_err(), "the judge is blind: {what}");
    if stub::real_device().is_none() {
        let device = stub::Device::new(0);
        let seen = observe(
            case,
            Runtime::builder().cuda(device.ordinal()).faults(mutated(case, mutant, true)),
            false,
        );
        assert!(seen.unplanned > 0, "{what}");
        assert_ne!(order::faults(&device.seen().records), [], "the judge of the trace is blind: {what}");
    }
    for seed in 0..SEEDS / 4 {
        let blind = observe(case, checked(case, seed).faults(mutated(case, mutant, true)), false);
        assert!(!blind.violations.is_empty(), "the checked run is blind: {what}");
        assert!(blind.unplanned > 0, "the ledger is blind: {what}");
        let rescued = observe(case, checked(case, seed).faults(mutated(case, mutant, false)), false);
        assert_eq!(rescued.values.ok().as_deref(), Some(expected), "{what}");
        assert_eq!(rescued.violations, [""; 0], "{what}");
        assert!(rescued.unplanned > 0, "{what}");
    }
}

/// Reserved memory is flat over many calls, per lane, with the host far ahead.
fn flat(case: &Case) {
    let rt = Runtime::builder().strict(true).checked(Checked::seed(1)).build().expect("a runtime");
    let lane = rt.lane(case.streams).expect("a lane");
    let mut early = 0;
    for call in 0..1000 {
        (case.run)(&lane.cx()).expect("a call");
        if call == 200 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    assert_eq!(rt.stats().memory.peak_reserved, early, "not flat: {}", case.plan);
    assert_eq!(rt.violations(), [""; 0]);
}
