//! Tensors from outside: their ledgers know what no plan can.

use streamlease::plan::{Source, Step};
use streamlease::{Cx, Result, Runtime, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, eat, fill, in_place, make, map, map2};

#[model_chunk(streams(s1))]
fn gather(cx: &Cx<'_>, idx: &T, x: &T) -> Result<T> {
    #[on(s1)]
    let y = map2(cx, idx, x)?;
    Ok(y)
}

#[test]
fn an_outside_tensor_dropped_right_after_the_call() {
    hold(&Case {
        streams: &["sh", "s1"],
        slow: &[&["s1"], &["sh"]],
        plan: gather::PLAN,
        run: |cx| {
            let (idx, x) = (make(&cx.node("sh")?, 1)?, make(&cx.node("sh")?, 2)?);
            let y = gather(cx, &idx, &x)?;
            drop(idx);
            let next = make(&cx.node("sh")?, 9)?;
            Ok(vec![cx.read(&y)?, cx.read(&next)?])
        },
    });
}

/// Two calls over one workspace, both in flight.
#[model_chunk(streams(s0, s1))]
fn exchange(cx: &Cx<'_>, x: &T, ws: &mut T) -> Result<T> {
    #[on(s1)]
    fill(cx, ws, x)?;
    #[on(s1)]
    let s = map(cx, ws, 1)?;
    #[on(s0)]
    let e = in_place(cx, s)?;
    #[on(s1)]
    fill(cx, ws, &e)?;
    #[on(s1)]
    let y = map(cx, ws, 2)?;
    Ok(y)
}

#[test]
fn one_outside_workspace_and_two_calls_in_flight() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: exchange::PLAN,
        run: |cx| {
            let mut ws = make(&cx.node("s0")?, 1)?;
            let x = make(&cx.node("s0")?, 2)?;
            let out: Vec<T> = (0..3).map(|_| exchange(cx, &x, &mut ws)).collect::<Result<_>>()?;
            out.iter().map(|y| cx.read(y)).collect()
        },
    });
}

#[test]
fn one_workspace_and_a_different_stream_in_each_call() {
    let rt =
        Runtime::builder().strict(true).checked(streamlease::Checked::seed(3).slow("a1")).build().unwrap();
    let lanes = [rt.lane(&["s0", "a1"]).unwrap(), rt.lane(&["s0", "b1"]).unwrap()];
    let s: Vec<_> = ["p", "q", "r", "t"].iter().map(|l| rt.stream(l).unwrap()).collect();
    let lanes2 = [
        rt.lane_on(&[("s0", &s[0]), ("s1", &s[1])]).unwrap(),
        rt.lane_on(&[("s0", &s[2]), ("s1", &s[3])]).unwrap(),
    ];
    let mut ws = make(&lanes[0].cx().node("a1").unwrap(), 1).unwrap();
    let x = make(&lanes[1].cx().node("b1").unwrap(), 2).unwrap();
    let out: Vec<T> = (0..6).map(|k| exchange(&lanes2[k % 2].cx(), &x, &mut ws).unwrap()).collect();
    let values: Vec<_> = out.iter().map(|y| lanes2[0].cx().read(y).unwrap().wait().unwrap()).collect();
    let one = Runtime::host().unwrap();
    let only = one.stream("only").unwrap();
    let lane = one.lane_on(&[("s0", &only), ("s1", &only)]).unwrap();
    let (mut ws, x) =
        (make(&lane.cx().node("s0").unwrap(), 1).unwrap(), make(&lane.cx().node("s0").unwrap(), 2).unwrap());
    for value in values {
        let y = exchange(&lane.cx(), &x, &mut ws).unwrap();
        assert_eq!(lane.cx().read(&y).unwrap().wait().unwrap(), value);
    }
    assert_eq!(rt.violations(), [""; 0]);
}

/// An owned tensor that comes with a reader on a stream that this chunk does not know.
#[model_chunk(streams(s0))]
fn takes_over(cx: &Cx<'_>, y: T) -> Result<T> {
    #[on(s0)]
    let z = in_place(cx, y)?;
    Ok(z)
}

/// One that is never used.
#[model_chunk(streams(s0))]
fn lets_go(cx: &Cx<'_>, x: T, w: &T) -> Result<T> {
    #[on(s0)]
    let y = map(cx, w, 1)?;
    Ok(y)
}

/// Makes a tensor on one stream and leaves a reader on another.
#[model_chunk(streams(s0, s1))]
fn leaves_a_reader(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    let y = map(cx, x, 1)?;
    #[on(s1)]
    let _l = map(cx, &y, 2)?;
    Ok(y)
}

#[test]
fn an_owned_import_may_still_be_read_elsewhere() {
    for plan in [takes_over::PLAN, leaves_a_reader::PLAN, lets_go::PLAN] {
        hold(&Case {
            streams: &["s0", "s1"],
            slow: &[&["s1"], &["s0"]],
            plan,
            run: |cx| {
                let x = make(&cx.node("s0")?, 1)?;
                let y = leaves_a_reader(cx, &x)?;
                let z = takes_over(cx, y)?;
                let w = make(&cx.node("s1")?, 5)?;
                let v = lets_go(cx, z, &w)?;
                Ok(vec![cx.read(&v)?])
            },
        });
    }
    let x = lets_go::PLAN.leases.iter().find(|l| l.name == "x");
    assert_eq!(x.map(|l| l.source), Some(Source::Owned));
    assert!(matches!(lets_go::PLAN.steps[0], Step::Release(_)), "before anything else\n{}", lets_go::PLAN);
}

/// A field written on one stream, its neighbour read on another.
struct Scratch {
    a: T,
    b: T,
    c: T,
}

#[model_chunk(streams(s0, s1))]
fn on_scratch(cx: &Cx<'_>, s: &mut Scratch) -> Result<()> {
    #[on(s0)]
    add_to(cx, &mut s.a, 1)?;
    #[on(s1)]
    add_to(cx, &mut s.b, 2)?;
    #[on(s0)]
    fill(cx, &mut s.c, &s.a)?;
    #[on(s1)]
    fill(cx, &mut s.b, &s.c)?;
    Ok(())
}

#[test]
fn fields_of_scratch_are_places_of_their_own() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: on_scratch::PLAN,
        run: |cx| {
            let n = cx.node("s0")?;
            let mut s = Scratch { a: make(&n, 1)?, b: make(&n, 2)?, c: make(&n, 3)? };
            drop(n);
            on_scratch(cx, &mut s)?;
            on_scratch(cx, &mut s)?;
            Ok(vec![cx.read(&s.a)?, cx.read(&s.b)?, cx.read(&s.c)?])
        },
    });
    let waits: Vec<_> = on_scratch::PLAN.nodes.iter().map(|n| n.waits.len()).collect();
    assert_eq!(waits, [0, 0, 0, 1], "{}", on_scratch::PLAN);
}

/// Two tensors that an operator exchanges behind its `&mut`s, and a collection that a host statement fills.
fn swap_in_node(cx: &streamlease::Node<'_>, a: &mut T, b: &mut T) -> Result<()> {
    add_to(cx, a, 1)?;
    add_to(cx, b, 2)?;
    std::mem::swap(a, b);
    Ok(())
}

fn sum(cx: &streamlease::Node<'_>, all: &[T]) -> Result<T> {
    let mut y = make(cx, 0)?;
    all.iter().try_for_each(|x| fill(cx, &mut y, x))?;
    Ok(y)
}

#[model_chunk(streams(s0, s1))]
fn exchanged(cx: &Cx<'_>, x: &T, ws: &mut T, saved: &mut Vec<T>) -> Result<T> {
    #[on(s0)]
    let mut act = map(cx, x, 1)?;
    #[on(s1)]
    swap_in_node(cx, &mut act, ws)?;
    saved.push(act);
    #[on(s0)]
    let y = sum(cx, saved)?;
    Ok(y)
}

#[test]
fn exchanged_storages_and_a_collection_that_changes() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: exchanged::PLAN,
        run: |cx| {
            let (x, mut ws, mut saved) = (make(&cx.node("s0")?, 1)?, make(&cx.node("s1")?, 2)?, Vec::new());
            let y = exchanged(cx, &x, &mut ws, &mut saved)?;
            let z = exchanged(cx, &y, &mut ws, &mut saved)?;
            let last = eat(&cx.node("s0")?, ws)?;
            Ok(vec![cx.read(&y)?, cx.read(&z)?, cx.read(&last)?])
        },
    });
}

/// A struct without drop glue that lends tensors all the same.
struct Lent<'s> {
    a: &'s mut T,
    w: &'s T,
}

#[model_chunk(streams(s0, s1))]
fn in_scratch(cx: &Cx<'_>, s: Lent<'_>, x: &T) -> Result<T> {
    #[on(s0)]
    fill(cx, &mut *s.a, x)?;
    #[on(s1)]
    let y = map(cx, &*s.a, 3)?;
    #[on(s0)]
    fill(cx, s.a, &y)?;
    #[on(s0)]
    map2(cx, &y, s.w)
}

#[test]
fn tensors_behind_the_fields_of_a_struct() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s0"], &["s1"], &[]],
        plan: in_scratch::PLAN,
        run: |cx| {
            let (mut a, w) = (make(&cx.node("s0")?, 3)?, make(&cx.node("s1")?, 4)?);
            let x = make(&cx.node("s1")?, 5)?;
            let y = in_scratch(cx, Lent { a: &mut a, w: &w }, &x)?;
            Ok(vec![cx.read(&y)?, cx.read(&a)?])
        },
    });
}
