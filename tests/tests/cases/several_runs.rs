//! Several runs, lanes and threads over the same tensors.

use streamlease::{Checked, Cx, Result, Runtime, Step, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, add_to, eat, make, map};

#[model_chunk(streams(s0, s1))]
fn forward(cx: &Cx<'_>, w: &T, x: T) -> Result<T> {
    #[on(s0)]
    let a = map(cx, w, 1)?;
    #[on(s1)]
    let b = eat(cx, x)?;
    #[on(s0)]
    let c = streamlease_tests::ops::map2(cx, &a, &b)?;
    #[on(s1)]
    let d = streamlease_tests::ops::map2(cx, &c, w)?;
    Ok(d)
}

#[model_chunk(streams(s2))]
fn update(cx: &Cx<'_>, w: &mut T) -> Result<()> {
    #[on(s2)]
    add_to(cx, w, 3)?;
    Ok(())
}

/// Two runs of one chunk from one context, stepped in turn, then a writer of what both read.
#[test]
fn two_runs_in_flight_do_not_lose_each_others_marks() {
    let mut expected = None;
    for seed in 0..60 {
        let slow = ["s0", "s1", "s2"][seed as usize % 3];
        let rt = Runtime::builder().strict(true).checked(Checked::seed(seed).slow(slow)).build().unwrap();
        let lane = rt.lane(&["s0", "s1", "s2"]).unwrap();
        let cx = lane.cx();
        let mut w = make(&cx.node("s2").unwrap(), 1).unwrap();
        let (x1, x2) = (make(&cx.node("s0").unwrap(), 2).unwrap(), make(&cx.node("s1").unwrap(), 3).unwrap());
        let (mut one, mut two) = (forward::start(&cx, &w, x1), forward::start(&cx, &w, x2));
        let mut out = Vec::new();
        while out.len() < 2 {
            for run in [&mut one, &mut two] {
                if let Some(Step::Done(y)) = run.step() {
                    out.push(y.unwrap());
                }
            }
        }
        drop((one, two));
        update(&cx, &mut w).unwrap();
        out.push(w);
        let values: Vec<_> = out.iter().map(|y| cx.read(y).unwrap().wait().unwrap()).collect();
        assert_eq!(*expected.get_or_insert_with(|| values.clone()), values);
        assert_eq!(rt.violations(), [""; 0]);
        assert_eq!(rt.stats().waits.unplanned, 0);
    }
}

/// Marks without a planned event: a forward pass whose result is sent while a backward pass is under way. The send
/// waits for the forward's own event, not for the head of the stream.
#[test]
fn what_leaves_a_chunk_is_waited_for_by_its_own_event() {
    let rt = Runtime::builder().strict(true).build().unwrap();
    let lane = rt.lane(&["s0", "s1", "s2"]).unwrap();
    let cx = lane.cx();
    let w = make(&cx.node("s0").unwrap(), 1).unwrap();
    let x = make(&cx.node("s0").unwrap(), 2).unwrap();
    let act = forward(&cx, &w, x).unwrap();
    let y = make(&cx.node("s1").unwrap(), 2).unwrap();
    let mut backward = forward::start(&cx, &w, y);
    backward.step();
    backward.step();
    let before = rt.stats().waits;
    let sent = map(&cx.node("s2").unwrap(), &act, 4).unwrap();
    let after = rt.stats().waits;
    assert_eq!((after.late, after.by_ledger - before.by_ledger), (0, 1), "{after:?}");
    drop((sent, backward));
}

/// A lane for each of two phases over shared weights, on two threads, sharing one physical stream.
#[test]
fn two_threads_share_a_stream_and_weights() {
    let rt = Runtime::builder().strict(true).build().unwrap();
    let shared = rt.stream("shared").unwrap();
    let w = make(&rt.lane_on(&[("s", &shared)]).unwrap().cx().node("s").unwrap(), 1).unwrap();
    let results: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let own = rt.stream("own").unwrap();
                    let lane = rt.lane_on(&[("s0", &shared), ("s1", &own)]).unwrap();
                    let cx = lane.cx();
                    let mut x = make(&cx.node("s1").unwrap(), 2).unwrap();
                    for _ in 0..300 {
                        x = forward(&cx, &w, x).unwrap();
                    }
                    cx.read(&x).unwrap().wait().unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(results.iter().all(|r| *r == results[0]));
    assert_eq!(rt.stats().waits.unplanned, 0);
    let mut w = w;
    update(&rt.lane(&["s2"]).unwrap().cx(), &mut w).unwrap();
}

/// A chunk that calls chunks, and what they made used on its own streams.
#[model_chunk(streams(s0, s1, s2))]
fn caller(cx: &Cx<'_>, w: &mut T, x: T) -> Result<T> {
    let a = forward(cx, w, x)?;
    #[on(s0)]
    let b = map(cx, &a, 1)?;
    update(cx, w)?;
    let c = forward(cx, w, b)?;
    #[on(s2)]
    let d = streamlease_tests::ops::map2(cx, &c, &a)?;
    Ok(d)
}

#[test]
fn a_chunk_that_calls_chunks() {
    hold(&Case {
        streams: &["s0", "s1", "s2"],
        slow: &[&["s0"], &["s1"], &["s2"]],
        plan: caller::PLAN,
        run: |cx| {
            let (mut w, x) = (make(&cx.node("s1")?, 1)?, make(&cx.node("s0")?, 2)?);
            let y = caller(cx, &mut w, x)?;
            Ok(vec![cx.read(&y)?, cx.read(&w)?])
        },
    });
}

#[test]
fn a_lane_that_lacks_a_stream_is_an_error_that_names_it() {
    let rt = Runtime::host().unwrap();
    let lane = rt.lane(&["s0"]).unwrap();
    let mut w = make(&lane.cx().node("s0").unwrap(), 1).unwrap();
    let error = update(&lane.cx(), &mut w).unwrap_err();
    assert_eq!(error.kind(), streamlease::ErrorKind::UnknownStream);
    assert!(error.to_string().contains("`s2`") && error.to_string().contains("s0"), "{error}");
}
