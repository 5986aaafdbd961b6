//! The brute-force judge of `order` and `release`, over small random straight-line chunks.
//!
//! [`generate`] makes programs that rustc would accept; [`truth`] says from their definitions alone, by looking at
//! all pairs of uses, what the waits, records and ends must be; [`mutants`] breaks the plans and expects
//! `streamlease_plan::check` to notice. Nothing here is shared with what is judged but the tree itself.

mod generate;
mod mutants;
mod running;
mod truth;

use std::collections::BTreeSet;

use crate::body::Chunk;
use crate::order::Order;
use crate::plan::PlanData;
use crate::testing::analyse;
use mutants::Kind;
use truth::Truth;

/// Room for any generated plan.
pub(crate) const NODES: usize = 16;
/// Room for any generated plan.
pub(crate) const LEASES: usize = 128;

const PROGRAMS: u64 = 10_000;

fn planned(chunk: &Chunk) -> PlanData {
    analyse(chunk).plan
}

fn order(chunk: &Chunk) -> Order {
    analyse(chunk).order
}

/// Runs `judge` over the programs and says which one it failed on.
fn for_each_program(judge: impl Fn(u64, &Chunk)) {
    for seed in 0..PROGRAMS {
        judge(seed, &generate::chunk(seed));
    }
}

#[track_caller]
fn same<T: PartialEq + std::fmt::Debug>(seed: u64, chunk: &Chunk, what: &str, found: T, expected: T) {
    let text = || planned(chunk).with_plan(|p| format!("{p}\n{}", p.waits_explained()));
    assert!(found == expected, "program {seed}: {what} are {found:?}, not {expected:?}\n{}", text());
}

#[test]
fn waits_are_the_transitive_reduction() {
    for_each_program(|seed, chunk| {
        let truth = Truth::new(chunk);
        let found: Vec<BTreeSet<usize>> =
            order(chunk).nodes.iter().map(|n| n.waits.iter().map(|w| w.node).collect()).collect();
        same(seed, chunk, "waits", found, truth.waits());
    });
}

#[test]
fn events_are_recorded_where_they_are_due() {
    for_each_program(|seed, chunk| {
        let truth = Truth::new(chunk);
        let found: Vec<_> = order(chunk).nodes.iter().map(|n| n.record).collect();
        same(seed, chunk, "records", found, truth.records());
    });
}

#[test]
fn every_wait_tells_its_reasons_and_what_hangs_on_it() {
    for_each_program(|seed, chunk| {
        let (truth, order) = (Truth::new(chunk), order(chunk));
        for plain in generate::plain_names(chunk, seed) {
            // At run time a wait is left out if all that it is for turns out to hold no storage.
            let is_plain = |place: usize| plain[chunk.places[place].name];
            let kept = order.nodes.iter().map(|n| {
                let kept = n.waits.iter().filter(|w| {
                    !w.reasons.iter().map(|r| r.place).chain(w.carries.iter().copied()).all(is_plain)
                });
                kept.map(|w| w.node).collect()
            });
            let kept: Vec<BTreeSet<usize>> = kept.collect();
            same(seed, chunk, "needs without waits", truth.unmet(&kept, is_plain), Vec::new());
        }
    });
}

#[test]
fn names_end_right_after_their_last_use() {
    for_each_program(|seed, chunk| {
        let found = analyse(chunk).release;
        let expected = truth::ends(chunk);
        same(seed, chunk, "releases at the start", &found.at_start[0], &expected.at_start);
        same(seed, chunk, "releases", &found.after, &expected.after);
        let at_end: BTreeSet<_> = found.at_end[0].iter().copied().collect();
        same(seed, chunk, "ends with the block", &at_end, &expected.at_end);
    });
}

#[test]
fn the_judge_passes_every_plan() {
    for_each_program(|seed, chunk| {
        planned(chunk).with_plan(|p| {
            let found = streamlease_plan::check::<NODES, LEASES>(p);
            assert!(found.is_ok(), "program {seed}: {found:?}\n{p}\n{p:#?}");
        });
    });
}

/// Plans with control flow: many small, some large.
fn for_each_structured(programs: u64, mut judge: impl FnMut(u64, &PlanData)) {
    for seed in 0..programs {
        judge(seed, &planned(&generate::structured(seed)));
    }
}

fn check_paths(plan: &streamlease_plan::Plan<'_>) -> Result<(), streamlease_plan::Fault> {
    streamlease_plan::check_paths::<NODES, LEASES, 1>(plan)
}

#[test]
fn the_judge_of_paths_passes_every_plan() {
    for_each_structured(2 * PROGRAMS, |seed, data| {
        data.with_plan(|p| {
            let found = check_paths(p);
            assert!(found.is_ok(), "program {seed}: {found:?}\n{p}\n{p:#?}");
        });
    });
}

/// No wait can go without breaking some path, nor can a record, a question to the ledger, or a later end.
///
/// The other kinds change nothing in some programs: an assignment ends what a removed release, or a taking that became
/// a read, leaves there; and a release at the very end may stand where control does not come.
#[test]
fn the_judge_of_paths_rejects_what_breaks_a_path() {
    let mut seen = [[0; 2]; mutants::KINDS];
    for_each_structured(PROGRAMS / 2, |seed, data| {
        data.with_plan(|p| {
            mutants::for_each(p, |kind, mutant| {
                let noticed = check_paths(mutant).is_err();
                seen[kind as usize][usize::from(noticed)] += 1;
                let may = matches!(kind, Kind::ReleaseRemoved | Kind::ReleasedTwice | Kind::ConsumedAsRead);
                assert!(noticed || may, "program {seed}: {kind:?} was not noticed\n{p}\n{mutant:#?}");
            });
        });
    });
    println!("unnoticed and noticed, by kind: {seen:?}");
    assert!(seen.iter().all(|[_, noticed]| *noticed > 1000), "too few of some kind: {seen:?}");
}

/// On straight lines both judges say the same.
#[test]
fn the_judges_agree_on_straight_lines() {
    for seed in 0..PROGRAMS / 10 {
        planned(&generate::chunk(seed)).with_plan(|p| {
            assert!(check_paths(p).is_ok(), "program {seed}\n{p}");
            mutants::for_each(p, |kind, mutant| {
                assert!(
                    check_paths(mutant).is_err(),
                    "program {seed}: {kind:?} was not noticed\n{p}\n{mutant:#?}"
                );
            });
        });
    }
}

#[test]
fn the_judge_rejects_every_mutant() {
    let mut count = [0; mutants::KINDS];
    for seed in 0..PROGRAMS / 5 {
        planned(&generate::chunk(seed)).with_plan(|p| {
            mutants::for_each(p, |kind, mutant| {
                count[kind as usize] += 1;
                let found = streamlease_plan::check::<NODES, LEASES>(mutant);
                assert!(found.is_err(), "program {seed}: {kind:?} was not noticed\n{p}\n{mutant:#?}");
            });
        });
    }
    assert!(count.iter().all(|n| *n > 200), "too few mutants of some kind: {count:?}");
}

/// The generator has to reach what there is to judge.
#[test]
fn programs_are_varied() {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    for seed in 0..PROGRAMS / 5 {
        let chunk = generate::chunk(seed);
        let nodes = order(&chunk).nodes;
        let waits = |w: usize| nodes.iter().any(|n| n.waits.len() >= w);
        let asks = nodes.iter().flat_map(|n| &n.by_ledger).any(|b| *b);
        let carries = nodes.iter().flat_map(|n| &n.waits).any(|w| !w.carries.is_empty());
        let in_part = !analyse(&chunk).release.at_end[0].is_empty();
        let found = [
            ("wait", waits(1)),
            ("waits", waits(3)),
            ("asks", asks),
            ("carries", carries),
            ("in part", in_part),
        ];
        reached.extend(found.iter().filter(|(_, on)| *on).map(|(what, _)| *what));
        let records = nodes.iter().map(|n| n.record);
        records.for_each(|r| {
            reached.extend(
                [(r.home, "home"), (r.leaves, "leaves")].iter().filter(|(on, _)| *on).map(|(_, w)| *w),
            );
        });
    }
    assert_eq!(reached.len(), 7, "{reached:?}");
}
