//! Storages that are taken, handed on under other names, sent away.

use streamlease::plan::Need;
use streamlease::{Cx, Pending, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, eat, in_place, make, map, probe, to_host};

/// A send whose result nobody uses, then the tensor's end.
#[model_chunk(streams(s0, s1))]
fn sent(cx: &Cx<'_>, x: &T) -> Result<(T, T)> {
    #[on(s0)]
    let h = map(cx, x, 1)?;
    #[on(s1)]
    let _ = map(cx, &h, 2)?;
    #[on(s0)]
    let m = map(cx, &h, 3)?;
    #[on(s0)]
    let n = map(cx, x, 4)?;
    Ok((m, n))
}

/// The same, but the other reader takes the tensor.
#[model_chunk(streams(s0, s1))]
fn sent_and_taken(cx: &Cx<'_>, x: &T) -> Result<(T, T)> {
    #[on(s0)]
    let h = map(cx, x, 1)?;
    #[on(s1)]
    let _ = map(cx, &h, 2)?;
    #[on(s0)]
    let m = in_place(cx, h)?;
    #[on(s0)]
    let n = map(cx, x, 4)?;
    Ok((m, n))
}

#[test]
fn a_send_and_then_the_end_of_the_tensors_life() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: sent::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            let (m, n) = sent(cx, &x)?;
            Ok(vec![cx.read(&m)?, cx.read(&n)?])
        },
    });
    assert!(sent::PLAN.nodes[2].waits.is_empty(), "two readers do not wait for each other\n{}", sent::PLAN);
    assert!(sent::PLAN.nodes[3].waits.is_empty(), "nor does what comes after\n{}", sent::PLAN);
}

#[test]
fn a_send_and_then_a_node_that_takes_the_tensor() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: sent_and_taken::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            let (m, n) = sent_and_taken(cx, &x)?;
            Ok(vec![cx.read(&m)?, cx.read(&n)?])
        },
    });
    let wait = sent_and_taken::PLAN.nodes[2].waits[0];
    assert_eq!((wait.node, wait.reasons[0].need), (1, Need::TakenWhileRead));
    let text = sent_and_taken::PLAN.to_string();
    assert!(text.contains("only because") && text.contains("`&h` drops"), "{text}");
}

/// Moved into a copy on another stream.
#[model_chunk(streams(s0, s1))]
fn copied_out(cx: &Cx<'_>, x: &T) -> Result<Pending<u32>> {
    #[on(s0)]
    let t = map(cx, x, 1)?;
    #[on(s1)]
    let h = to_host(cx, t)?;
    Ok(h)
}

#[test]
fn moved_into_a_copy_on_another_stream() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: copied_out::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            Ok(vec![copied_out(cx, &x)?])
        },
    });
}

/// One storage under three names on three streams.
#[model_chunk(streams(s0, s1, s2))]
fn three_names(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let a = map(cx, x, 1)?;
    #[on(s2)]
    probe(cx, &a)?;
    #[on(s1)]
    let b = in_place(cx, a)?;
    #[on(s0)]
    let c = in_place(cx, b)?;
    #[on(s0)]
    let y = map(cx, &c, 2)?;
    Ok(y)
}

#[test]
fn a_storage_handed_on_from_name_to_name() {
    hold(&Case {
        streams: &["s0", "s1", "s2"],
        slow: &[&["s2"], &["s1"], &["s0"]],
        plan: three_names::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            Ok(vec![cx.read(&three_names(cx, &x)?)?])
        },
    });
    let nodes = three_names::PLAN.nodes;
    let from: Vec<_> = nodes.iter().map(|n| n.waits.iter().map(|w| w.node).collect::<Vec<_>>()).collect();
    assert_eq!(
        from,
        [vec![], vec![0], vec![1], vec![2], vec![]],
        "probe implies its own writer\n{}",
        three_names::PLAN
    );
}

/// Straight-line shadowing: two storages of one name.
#[model_chunk(streams(s0, s1))]
fn shadowed(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let t = map(cx, x, 1)?;
    #[on(s1)]
    let t = map(cx, &t, 2)?;
    #[on(s0)]
    let y = eat(cx, t)?;
    Ok(y)
}

#[test]
fn a_name_that_is_bound_twice() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: shadowed::PLAN,
        run: |cx| {
            let x = make(&cx.node("s1")?, 3)?;
            Ok(vec![cx.read(&shadowed(cx, &x)?)?])
        },
    });
    assert_eq!(shadowed::PLAN.leases.iter().filter(|l| l.name == "t").count(), 2);
}
