//! Memory on the device: what is reused is not in use, and peaks are the schedule's, not the host's luck.

use streamlease::{Buffer, Cx, Node, Pending, Release, Result, Runtime, model_chunk};
use streamlease_tests::ops::cuda::{Op, elementwise, slow_down};

/// Elements of 64 MiB.
const LARGE: usize = 16 << 20;
const ROUNDS: u32 = 8;

fn large(cx: &Node<'_>, k: u32) -> Result<Buffer<u32>> {
    let mut y = cx.empty(LARGE)?;
    elementwise(cx, Op::Make, k, None, None, Some(&mut y))?;
    Ok(y)
}

/// A slow look at `x`: all of it is read late.
fn look(cx: &Node<'_>, x: &Buffer<u32>) -> Result<Buffer<u32>> {
    let mut y = cx.empty(x.len())?;
    elementwise(cx, Op::Map, 0, Some(x), None, Some(&mut y))?;
    Ok(y)
}

#[model_chunk(streams(compute, comm))]
fn produce_and_look(cx: &Cx<'_>, k: u32) -> Result<Pending<u32>> {
    #[on(compute)]
    let x = large(cx, k)?;
    #[on(comm)]
    let y = look(cx, &x)?;
    #[on(comm)]
    let got = cx.read(&y)?;
    Ok(got)
}

/// Rounds wrong and peak reserved bytes; the host enqueues all rounds before it looks at a value.
fn measure(release: Release) -> (usize, usize) {
    let rt = Runtime::builder().cuda(0).strict(true).release(release).build().expect("a GPU");
    let lane = rt.lane(&["compute", "comm"]).unwrap();
    // One thread's delay; the blocks of a large kernel follow one another, so it is much longer in sum.
    slow_down(&[("comm", 100_000)]);
    let got: Vec<_> = (0..ROUNDS).map(|k| produce_and_look(&lane.cx(), k).unwrap()).collect();
    let wrong = got.into_iter().zip(0_u32..).filter_map(|(got, k)| {
        let values = got.wait().unwrap();
        let right = |(i, &v): (usize, &u32)| v == (k * 1000 + i as u32).wrapping_mul(3);
        (!values.iter().enumerate().all(right)).then_some(k)
    });
    let wrong = wrong.count();
    lane.drain().unwrap();
    assert_eq!(rt.stats().waits.unplanned, 0);
    (wrong, rt.stats().memory.peak_reserved)
}

#[test]
fn peaks() {
    let runs: Vec<_> = (0..3).map(|_| measure(Release::Scheduled)).collect();
    let conservative = measure(Release::Conservative);
    let mib = |bytes: usize| bytes >> 20;
    println!(
        "64 MiB, {ROUNDS} rounds: peak reserved {} MiB scheduled, {} MiB conservative",
        mib(runs[0].1),
        mib(conservative.1)
    );
    assert!(runs.iter().all(|run| *run == (0, runs[0].1)), "{runs:?}");
    assert_eq!(conservative.0, 0);
    // Two trips of two tensors at most (`reuse_lag` 1).
    assert!(mib(runs[0].1) <= 256, "{runs:?}");
    assert!(conservative.1 >= runs[0].1, "{conservative:?}");
}

#[test]
fn out_of_memory_is_an_error_and_a_smaller_call_works_next() {
    let rt = Runtime::cuda(0).expect("a GPU");
    let lane = rt.lane(&["compute", "comm"]).unwrap();
    slow_down(&[]);
    let cx = lane.cx();
    let error = cx.empty::<u32>(1 << 40).expect_err("four TiB");
    println!("out of memory: {error}");
    assert_eq!(error.kind(), streamlease::ErrorKind::OutOfMemory);
    let values = produce_and_look(&cx, 3).unwrap().wait().unwrap();
    assert_eq!(values[5], (3 * 1000 + 5) * 3);
}
