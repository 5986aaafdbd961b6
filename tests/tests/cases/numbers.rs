//! Names that hold no storage, and names that are moved out of in part.

use streamlease::plan::Step;
use streamlease::{Cx, Result, Runtime, model_chunk};
use streamlease_tests::harness::{Case, hold, judge};
use streamlease_tests::ops::{T, count, eat, make, map, probe};

/// A number made on one stream and used on another.
#[model_chunk(streams(s0, s1))]
fn counted(cx: &Cx<'_>, x: &T, y: &T) -> Result<T> {
    #[on(s0)]
    let n = count(cx, x)?;
    #[on(s1)]
    let z = map(cx, y, n as u32)?;
    #[on(s1)]
    let z = map(cx, &z, (n * 2) as u32)?;
    Ok(z)
}

#[test]
fn a_number_costs_no_wait() {
    assert_eq!(judge(counted::PLAN), Ok(()));
    let rt = Runtime::builder().strict(true).build().unwrap();
    let lane = rt.lane(&["s0", "s1"]).unwrap();
    let cx = lane.cx();
    let (x, y) = (make(&cx.node("s0").unwrap(), 1).unwrap(), make(&cx.node("s1").unwrap(), 1).unwrap());
    let before = rt.stats().waits;
    counted(&cx, &x, &y).unwrap();
    assert_eq!(rt.stats().waits, before);
}

/// Two numbers, one of which the next node needs.
fn counts(_: &streamlease::Node<'_>, x: &T) -> Result<(usize, usize)> {
    Ok((x.len(), x.len() + 1))
}

#[model_chunk(streams(s0, s1))]
fn counted_apart(cx: &Cx<'_>, x: &T, y: &T) -> Result<T> {
    #[on(s0)]
    let n = counts(cx, x)?;
    #[on(s1)]
    let z = map(cx, y, n.1 as u32)?;
    Ok(z)
}

#[test]
fn a_part_of_a_pair_of_numbers_costs_no_wait() {
    let rt = Runtime::builder().strict(true).build().unwrap();
    let lane = rt.lane(&["s0", "s1"]).unwrap();
    let cx = lane.cx();
    let (x, y) = (make(&cx.node("s0").unwrap(), 1).unwrap(), make(&cx.node("s1").unwrap(), 1).unwrap());
    let before = rt.stats().waits;
    counted_apart(&cx, &x, &y).unwrap();
    assert_eq!(counted_apart::PLAN.nodes[1].waits.len(), 1);
    assert_eq!(rt.stats().waits, before);
}

/// A number and a tensor by one wait: the tensor's later use rests on it.
fn pair(cx: &streamlease::Node<'_>, x: &T) -> Result<(usize, T)> {
    Ok((x.len(), map(cx, x, 1)?))
}

#[model_chunk(streams(s0, s1))]
fn carried(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let (n, t) = pair(cx, x)?;
    #[on(s1)]
    let u = map(cx, x, n as u32)?;
    #[on(s1)]
    let v = map(cx, &t, 2)?;
    #[on(s1)]
    probe(cx, &u)?;
    Ok(v)
}

#[test]
fn a_wait_for_a_number_carries_a_tensors_use() {
    let first = carried::PLAN.nodes[1].waits[0];
    assert_eq!(first.carries.len(), 1, "{:?}", carried::PLAN.nodes[1]);
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s0"], &["s1"]],
        plan: carried::PLAN,
        run: |cx| {
            let x = make(&cx.node("s1")?, 3)?;
            Ok(vec![cx.read(&carried(cx, &x)?)?])
        },
    });
}

/// Two tensors in one name.
struct State {
    h: T,
    gate: T,
}

fn attend(cx: &streamlease::Node<'_>, x: &T) -> Result<State> {
    Ok(State { h: map(cx, x, 1)?, gate: map(cx, x, 2)? })
}

#[model_chunk(streams(s0, s1))]
fn in_part(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let st = attend(cx, x)?;
    #[on(s1)]
    let y = eat(cx, st.h)?;
    #[on(s1)]
    probe(cx, &st.gate)?;
    Ok(y)
}

#[test]
fn a_name_moved_out_of_in_part_lives_to_the_end_of_its_block() {
    assert!(
        in_part::PLAN.steps.iter().any(|s| matches!(s, Step::EndOfBlock(_))),
        "{:?}",
        in_part::PLAN.steps
    );
    assert!(in_part::PLAN.to_string().contains("lives to the end of its block"), "{}", in_part::PLAN);
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: in_part::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            Ok(vec![cx.read(&in_part(cx, &x)?)?])
        },
    });
}
