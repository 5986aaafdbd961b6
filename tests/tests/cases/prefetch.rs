//! Weights gathered ahead of the layers that use them.

use std::time::Duration;
use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};
use streamlease_tests::harness::{Case, hold};
use streamlease_tests::ops::{T, eat2, make, map};

/// Elements of a weight: two mebibytes, so that it is worth a reuse wait and has a slab of its own.
const W: usize = 1 << 19;

fn gather(cx: &Node<'_>, shard: &Buffer<u32>) -> Result<Buffer<u32>> {
    let mut w = cx.empty(W)?;
    cx.launch((cx.view(shard)?, cx.view_mut(&mut w)?), |(shard, w)| w[..shard.len()].copy_from_slice(shard))?;
    Ok(w)
}

/// `y[i] = x[i] + w[i]`, then `w` is gone.
fn layer(cx: &Node<'_>, x: Buffer<u32>, w: Buffer<u32>) -> Result<Buffer<u32>> {
    let mut x = x;
    cx.launch((cx.view(&w)?, cx.view_mut(&mut x)?), |(w, x)| {
        x.iter_mut().zip(w).for_each(|(x, w)| *x = x.wrapping_mul(3).wrapping_add(*w));
    })?;
    Ok(x)
}

macro_rules! prefetching {
    ($name:ident, $lag:literal) => {
        #[model_chunk(streams(s0, s1), reuse_lag = $lag)]
        fn $name(cx: &Cx<'_>, shard: &Buffer<u32>, x: Buffer<u32>) -> Result<Buffer<u32>> {
            #[on(s1)]
            let w0 = gather(cx, shard)?;
            #[on(s1)]
            let w1 = gather(cx, shard)?;
            #[on(s0)]
            let y0 = layer(cx, x, w0)?;
            #[on(s1)]
            let w2 = gather(cx, shard)?;
            #[on(s0)]
            let y1 = layer(cx, y0, w1)?;
            #[on(s1)]
            let w3 = gather(cx, shard)?;
            #[on(s0)]
            let y2 = layer(cx, y1, w2)?;
            #[on(s0)]
            let y3 = layer(cx, y2, w3)?;
            Ok(y3)
        }
    };
}

prefetching!(lag0, 0);
prefetching!(lag1, 1);
prefetching!(lag2, 2);

type Chunk = fn(&Cx<'_>, &Buffer<u32>, Buffer<u32>) -> Result<Buffer<u32>>;

fn peak(chunk: Chunk, sleep: Option<Duration>) -> usize {
    let rt = Runtime::builder().strict(true).build().expect("a runtime");
    let lane = rt.lane(&["s0", "s1"]).expect("a lane");
    let cx = lane.cx();
    let shard = cx.upload(vec![1_u32; 64]).expect("a shard");
    let mut x = cx.upload(vec![0_u32; 64]).expect("an input");
    for _ in 0..50 {
        x = chunk(&cx, &shard, x).expect("a call");
        if let Some(time) = sleep {
            std::thread::sleep(time);
        }
    }
    assert_eq!(rt.stats().waits.late, 0);
    rt.stats().memory.peak_reserved
}

#[test]
fn prefetched_weights_do_not_pile_up() {
    let weight = W * 4;
    let small = 2 << 20;
    let mut peaks = Vec::new();
    for chunk in [lag0 as Chunk, lag1, lag2] {
        let ahead = peak(chunk, None);
        assert_eq!(
            ahead,
            peak(chunk, Some(Duration::from_micros(300))),
            "the peak depends on the host's pace"
        );
        peaks.push((ahead - small) / weight);
    }
    assert_eq!(peaks[0], 2, "two at once, as the text says");
    assert!(peaks[0] <= peaks[1] && peaks[1] <= peaks[2] && peaks[2] <= 12, "{peaks:?}");
}

/// The same in small, for the judges.
#[model_chunk(streams(s0, s1))]
fn small(cx: &Cx<'_>, shard: &T, x: T) -> Result<T> {
    #[on(s1)]
    let w0 = map(cx, shard, 0)?;
    #[on(s1)]
    let w1 = map(cx, shard, 1)?;
    #[on(s0)]
    let y0 = eat2(cx, x, w0)?;
    #[on(s1)]
    let w2 = map(cx, shard, 2)?;
    #[on(s0)]
    let y1 = eat2(cx, y0, w1)?;
    #[on(s0)]
    let y2 = eat2(cx, y1, w2)?;
    Ok(y2)
}

#[test]
fn each_layer_waits_for_its_weight() {
    hold(&Case {
        streams: &["s0", "s1"],
        slow: &[&["s1"], &["s0"]],
        plan: small::PLAN,
        run: |cx| {
            let shard = make(&cx.node("s1")?, 3)?;
            let x = make(&cx.node("s1")?, 4)?;
            Ok(vec![cx.read(&small(cx, &shard, x)?)?])
        },
    });
}
