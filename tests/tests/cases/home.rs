//! Memory that comes home to the stream it came from.

use std::time::Duration;
use streamlease::{Cx, Result, Runtime, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, eat, make, map};

const MIB: usize = 1 << 20;

/// Made on one stream, taken on the other, and one that nobody uses.
#[model_chunk(streams(s0, s1))]
fn comes_home(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s1)]
    let t = map(cx, x, 1)?;
    #[on(s1)]
    let _u = map(cx, x, 2)?;
    #[on(s0)]
    let y = eat(cx, t)?;
    Ok(y)
}

#[test]
fn memory_comes_home() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s0"], &["s1"]],
        plan: comes_home::PLAN,
        run: |cx| {
            let x = make(&cx.node("s0")?, 3)?;
            Ok(vec![cx.read(&comes_home(cx, &x)?)?])
        },
    });
}

/// Bytes reserved after `calls` calls with tensors of a megabyte, the host sleeping between them or not.
fn reserved(
    lane_of: impl Fn(&Runtime) -> streamlease::Lane,
    calls: usize,
    sleep: Option<Duration>,
) -> (usize, u64) {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let lane = lane_of(&rt);
    let cx = lane.cx();
    let x = cx.zeros::<u32>(MIB / 4).expect("an input");
    for _ in 0..calls {
        drop(comes_home(&cx, &x).expect("a call"));
        if let Some(time) = sleep {
            std::thread::sleep(time);
        }
    }
    let stats = rt.stats();
    assert_eq!((stats.waits.late, stats.waits.unplanned), (0, 0), "{stats:?}");
    (stats.memory.peak_reserved, stats.waits.reuse)
}

#[test]
fn peaks_do_not_depend_on_how_far_the_host_runs_ahead() {
    let lane = |rt: &Runtime| rt.lane(&["s0", "s1"]).expect("a lane");
    let (far_ahead, waits) = reserved(lane, 200, None);
    let (far_ahead_longer, _) = reserved(lane, 600, None);
    let (slow, _) = reserved(lane, 100, Some(Duration::from_millis(2)));
    assert_eq!((far_ahead, far_ahead_longer), (slow, slow));
    assert!(waits > 190, "one a call: {waits}");
}

/// Made on `s1`, read back and dropped by the caller, who never orders `s1` after that.
#[model_chunk(streams(s0, s1))]
fn made_for_the_caller(cx: &Cx<'_>, x: &T) -> Result<T> {
    #[on(s1)]
    let t = map(cx, x, 1)?;
    Ok(t)
}

#[test]
fn what_the_caller_looks_at_and_drops_comes_home_to_its_maker() {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let lane = rt.lane(&["s0", "s1"]).expect("a lane");
    let cx = lane.cx();
    let x = cx.zeros::<u32>(MIB / 2).expect("an input");
    let mut early = 0;
    for call in 0..60 {
        let t = made_for_the_caller(&cx, &x).expect("a call");
        let seen = map(&cx.node("s0").expect("a node"), &t, 1).expect("a look");
        drop((t, seen));
        if call == 10 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    assert_eq!(rt.stats().memory.peak_reserved, early);
    assert!(rt.stats().waits.reuse > 0);
}

/// Takes what another chunk made on a stream that this one does not have.
#[model_chunk(streams(s0))]
fn takes_it(cx: &Cx<'_>, t: T) -> Result<T> {
    #[on(s0)]
    let y = eat(cx, t)?;
    Ok(y)
}

#[test]
fn what_one_chunk_makes_and_another_takes_comes_home() {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let lane = rt.lane(&["s0", "s1"]).expect("a lane");
    let cx = lane.cx();
    let mut early = 0;
    for call in 0..60 {
        // The input, too, is made by the caller on one stream and last used on another.
        let x = cx.node("s0").and_then(|n| n.zeros::<u32>(MIB / 2)).expect("an input");
        let t = made_for_the_caller(&cx, &x).expect("a call");
        drop(takes_it(&cx, t).expect("a call"));
        if call == 20 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    assert_eq!(rt.stats().memory.peak_reserved, early);
}

/// Lanes come and go (one a request) on streams that stay. What a lane leaves behind comes home to a later one, two
/// lanes on, so that they still overlap.
#[test]
fn what_a_dropped_lane_leaves_comes_home_to_later_lanes() {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let (a, b) = (rt.stream("a").expect("a stream"), rt.stream("b").expect("a stream"));
    let lane = || rt.lane_on(&[("s0", &a), ("s1", &b)]).expect("a lane");
    let x = lane().cx().zeros::<u32>(MIB / 2).expect("an input");
    let mut early = 0;
    for call in 0..60 {
        drop(comes_home(&lane().cx(), &x).expect("a call"));
        if call == 10 {
            early = rt.stats().memory.peak_reserved;
        }
    }
    let stats = rt.stats();
    assert_eq!(stats.memory.peak_reserved, early, "{stats:?}");
    assert!((50..=120).contains(&stats.waits.reuse), "about one a call: {stats:?}");
}
