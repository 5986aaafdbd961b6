//! `for`, `while`, `loop`, carried values, rotations, collections that are filled and drained.

use streamlease::{Cx, Result, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, eat, in_place, make, map, map2, probe};

/// A value carried from trip to trip, each trip on both streams.
#[model_chunk(streams(s0, s1))]
fn carried(cx: &Cx<'_>, x: &T, trips: u32) -> Result<T> {
    #[on(s0)]
    let mut y = map(cx, x, 1)?;
    for i in 0..trips {
        #[on(s1)]
        let t = map(cx, &y, i)?;
        #[on(s0)]
        y = map2(cx, &t, &y)?;
    }
    Ok(y)
}

/// The one storage goes round, made anew by whoever takes it.
#[model_chunk(streams(s0, s1))]
fn taken_round(cx: &Cx<'_>, mut x: T, trips: u32) -> Result<T> {
    let mut i = 0;
    while i < trips {
        i += 1;
        #[on(s1)]
        x = in_place(cx, x)?;
        if i == 2 {
            continue;
        }
        #[on(s0)]
        x = eat(cx, x)?;
    }
    Ok(x)
}

/// Values move on by a place each trip.
#[model_chunk(streams(s0, s1))]
fn rotation(cx: &Cx<'_>, x: &T, trips: u32) -> Result<T> {
    #[on(s0)]
    let mut a = map(cx, x, 1)?;
    #[on(s1)]
    let mut b = map(cx, x, 2)?;
    #[on(s0)]
    let mut c = map(cx, x, 3)?;
    for i in 0..trips {
        #[on(s0)]
        c = map2(cx, &b, &c)?;
        #[on(s1)]
        b = map(cx, &a, i)?;
        #[on(s0)]
        a = map(cx, x, i)?;
    }
    #[on(s1)]
    let y = map2(cx, &a, &c)?;
    #[on(s1)]
    add_to(cx, &mut b, 1)?;
    #[on(s1)]
    let z = map2(cx, &y, &b)?;
    Ok(z)
}

/// Activations kept in a forward loop, drained in reverse.
#[model_chunk(streams(s0, s1))]
fn kept(cx: &Cx<'_>, x: &T, mut saved: Vec<T>, layers: u32) -> Result<T> {
    #[on(s0)]
    let mut h = map(cx, x, 0)?;
    for i in 0..layers {
        #[on(s1)]
        let act = map(cx, &h, i)?;
        #[on(s0)]
        h = map2(cx, &act, &h)?;
        saved.push(act);
    }
    while let Some(act) = saved.pop() {
        #[on(s0)]
        let g = eat(cx, act)?;
        #[on(s1)]
        h = map2(cx, &g, &h)?;
    }
    Ok(h)
}

/// Nested loops with labels; what the outer needs stays through the inner.
#[model_chunk(streams(s0, s1))]
fn nested(cx: &Cx<'_>, x: &T, stop: u32) -> Result<T> {
    #[on(s0)]
    let mut y = map(cx, x, 1)?;
    let mut n = 0;
    'all: loop {
        #[on(s1)]
        let t = map(cx, &y, n)?;
        for k in 0..3 {
            if n + k > stop {
                break 'all;
            }
            if k == 1 {
                continue;
            }
            #[on(s0)]
            y = map2(cx, &y, &t)?;
        }
        #[on(s1)]
        probe(cx, &y)?;
        n += 1;
    }
    Ok(y)
}

cases! {
    a_value_is_carried, carried, &["s0", "s1"], [0, 1, 4];
    values_rotate, rotation, &["s0", "s1"], [0, 1, 4];
    loops_nest, nested, &["s0", "s1"], [0, 1, 4];
}

#[test]
fn a_storage_goes_round() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: taken_round::PLAN,
        run: |cx| {
            let mut all = Vec::new();
            for trips in [0, 1, 4] {
                let x = make(&cx.node("s0")?, 3)?;
                let y = taken_round(cx, x, trips)?;
                all.push(cx.read(&y)?);
            }
            Ok(all)
        },
    });
}

#[test]
fn activations_are_kept_and_drained() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: kept::PLAN,
        run: |cx| {
            let mut all = Vec::new();
            for layers in [0, 3] {
                let x = make(&cx.node("s0")?, 3)?;
                let before = vec![make(&cx.node("s1")?, 4)?];
                let y = kept(cx, &x, before, layers)?;
                all.push(cx.read(&y)?);
            }
            Ok(all)
        },
    });
}

/// What the text has before the move may run after it.
#[model_chunk(streams(s0, s1))]
fn kept_and_read(cx: &Cx<'_>, x: &T, trips: u32) -> Result<T> {
    let mut v = Vec::new();
    let mut last = None;
    #[on(s0)]
    let mut h = map(cx, x, 1)?;
    for i in 0..trips {
        for o in &v {
            #[on(s0)]
            h = map2(cx, &h, o)?;
        }
        if let Some(l) = &last {
            #[on(s0)]
            h = map2(cx, l, &h)?;
        }
        #[on(s1)]
        let t = map(cx, x, i)?;
        #[on(s1)]
        let u = map(cx, &t, i)?;
        v.push(t);
        last = Some(u);
    }
    Ok(h)
}

#[test]
fn what_is_kept_is_read_on_the_next_trip() {
    let rt = streamlease::Runtime::builder().strict(true).build().expect("a runtime");
    let lane = rt.lane(&["s0", "s1"]).expect("a lane");
    let cx = lane.cx();
    let x = make(&cx.node("s0").expect("a node"), 3).expect("a tensor");
    let y = kept_and_read(&cx, &x, 4).expect("planned");
    cx.read(&y).and_then(streamlease::Pending::wait).expect("values");
    assert_eq!(rt.stats().waits.unplanned, 0);
}
