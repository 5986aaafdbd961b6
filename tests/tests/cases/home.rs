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
