//! What the runtime's bookkeeping costs the host, beside the bare calls that the same program needs.
//!
//! On a device that does nothing, so that only the host's own work is seen. Medians of batches.

use std::hint::black_box;
use std::time::Instant;
use streamlease::testing::Bare;
use streamlease::{Buffer, Runtime};

const BATCHES: usize = 301;

/// Nanoseconds a call: the median of the batches.
fn bench(name: &str, calls: usize, mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| f());
            start.elapsed().as_nanos() as f64 / calls as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (low, mid, high) = (times[BATCHES / 20], times[BATCHES / 2], times[BATCHES * 19 / 20]);
    println!("{name:<58} {mid:>8.1} ns   ({low:.1} to {high:.1})");
    mid
}

fn main() -> streamlease::Result<()> {
    let rt = Runtime::builder().null().build()?;
    let lane = rt.lane(&["s0", "s1"])?;
    let cx = lane.cx();
    let x: Buffer<f32> = cx.zeros(1024)?;
    let mut y: Buffer<f32> = cx.zeros(1024)?;
    {
        let node = cx.node("s0")?;
        bench("read access, hot", 1000, || {
            black_box(node.view(black_box(&x)).unwrap());
        });
        bench("write access, hot", 1000, || {
            black_box(node.view_mut(black_box(&mut y)).unwrap());
        });
        bench("make and release", 1000, || {
            black_box(node.empty::<f32>(1024).unwrap());
        });
    }
    bench("open and close outside a chunk, with its record", 1000, || {
        black_box(cx.node("s0").unwrap());
    });
    let mut bare = Bare::null(2, 2)?;
    bench("bare record + wait", 1000, || {
        bare.record(0, 0).unwrap();
        bare.wait(1, 0).unwrap();
    });
    Ok(())
}
