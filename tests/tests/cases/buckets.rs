//! One buffer that several streams fill and read.

use streamlease::{Cx, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, eat2, fill, make, map};

/// A bucket refilled while it is still being reduced.
#[model_chunk(streams(s0, s1))]
fn refilled(cx: &Cx<'_>, g0: &T, g1: &T) -> Result<T> {
    #[on(s0)]
    let mut b = make(cx, 1)?;
    #[on(s0)]
    fill(cx, &mut b, g0)?;
    #[on(s1)]
    let r0 = map(cx, &b, 1)?;
    #[on(s0)]
    fill(cx, &mut b, g1)?;
    #[on(s1)]
    let r1 = map(cx, &b, 2)?;
    #[on(s0)]
    let y = eat2(cx, r0, r1)?;
    Ok(y)
}

#[test]
fn a_bucket_refilled_while_it_is_reduced() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"], &[]],
        plan: refilled::PLAN,
        run: |cx| {
            let (g0, g1) = (make(&cx.node("s0")?, 3)?, make(&cx.node("s1")?, 4)?);
            Ok(vec![cx.read(&refilled(cx, &g0, &g1)?)?])
        },
    });
    let waits: Vec<_> =
        refilled::PLAN.nodes.iter().map(|n| n.waits.iter().map(|w| w.node).collect::<Vec<_>>()).collect();
    assert_eq!(waits, [vec![], vec![], vec![1], vec![2], vec![3], vec![4]], "{}", refilled::PLAN);
}

/// A buffer filled from two streams and read on a third.
#[model_chunk(streams(s0, s1, s2, s3))]
fn gathered(cx: &Cx<'_>, g1: &T, g2: &T) -> Result<T> {
    #[on(s0)]
    let mut b = make(cx, 1)?;
    #[on(s1)]
    fill(cx, &mut b, g1)?;
    #[on(s2)]
    fill(cx, &mut b, g2)?;
    #[on(s3)]
    let r = map(cx, &b, 5)?;
    Ok(r)
}

#[test]
fn a_buffer_filled_from_several_streams() {
    hold(&Case {
        streams: &["s0", "s1", "s2", "s3"],
        slow: &[&["s1"], &["s2"], &["s0"]],
        plan: gathered::PLAN,
        run: |cx| {
            let (g1, g2) = (make(&cx.node("s3")?, 3)?, make(&cx.node("s1")?, 4)?);
            Ok(vec![cx.read(&gathered(cx, &g1, &g2)?)?])
        },
    });
    let waits: usize = gathered::PLAN.nodes.iter().map(|n| n.waits.len()).sum();
    assert_eq!(waits, 3, "a chain is enough\n{}", gathered::PLAN);
}

/// The output is prepared on the stream that writes it: what its storage held before does not show.
#[model_chunk(streams(s0, s1))]
fn prepared(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s0)]
    let old = map(cx, x, 2)?;
    #[on(s0)]
    let _ = map(cx, &old, 2)?;
    #[on(s1)]
    let mut y = map(cx, &a, 3)?;
    #[on(s1)]
    add_to(cx, &mut y, 4)?;
    Ok(y)
}

#[test]
fn an_output_is_prepared_on_its_own_stream() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s0"], &["s1"]],
        plan: prepared::PLAN,
        run: |cx| {
            let x = make(&cx.node("s1")?, 3)?;
            Ok(vec![cx.read(&prepared(cx, &x)?)?])
        },
    });
}
