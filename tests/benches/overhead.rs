//! What the runtime's bookkeeping costs the host, beside the bare calls that the same program needs.
//!
//! On a device that does nothing, so that only the host's own work is seen; and, for what a user feels, on the host
//! backend's worker threads. Medians of batches, with the 5th and 95th of 100.

use std::hint::black_box;
use std::time::Instant;
use streamlease::testing::Bare;
use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};

const BATCHES: usize = 301;
const N: usize = 1024;

type B = Buffer<f32>;

/// Nanoseconds a unit: the median of the batches; `units` of work a call.
fn bench(name: &str, calls: usize, units: usize, mut f: impl FnMut()) -> f64 {
    // `-- W1`: only what has that in its name, for a profile.
    if std::env::args().skip(1).any(|part| part != "--bench" && !name.contains(&part)) {
        return f64::NAN;
    }
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            (0..calls).for_each(|_| f());
            start.elapsed().as_nanos() as f64 / (calls * units) as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (low, mid, high) = (times[BATCHES / 20], times[BATCHES / 2], times[BATCHES * 19 / 20]);
    println!("{name:<64} {mid:>8.1} ns   ({low:.1} to {high:.1})");
    mid
}

fn next(cx: &Node<'_>, x: &B) -> Result<B> {
    let mut y = cx.empty(N)?;
    black_box((cx.view(x)?, cx.view_mut(&mut y)?));
    Ok(y)
}

/// Two chains, each node on the other stream than the one before: eight nodes, six waits.
#[model_chunk(streams(s0, s1))]
fn w1(cx: &Cx<'_>, f: B, b: B) -> Result<(B, B)> {
    #[on(s0)]
    let f = next(cx, &f)?;
    #[on(s1)]
    let b = next(cx, &b)?;
    #[on(s1)]
    let f = next(cx, &f)?;
    #[on(s0)]
    let b = next(cx, &b)?;
    #[on(s0)]
    let f = next(cx, &f)?;
    #[on(s1)]
    let b = next(cx, &b)?;
    #[on(s1)]
    let f = next(cx, &f)?;
    #[on(s0)]
    let b = next(cx, &b)?;
    Ok((f, b))
}

fn four(cx: &Node<'_>, a: &B, b: &B, c: &mut B) -> Result<B> {
    let mut y = cx.empty(N)?;
    black_box((cx.view(a)?, cx.view(b)?, cx.view_mut(c)?, cx.view_mut(&mut y)?));
    Ok(y)
}

/// Four nodes of four accesses, each with a tensor made and released.
#[model_chunk(streams(s0))]
fn fours(cx: &Cx<'_>, a: &B, b: &B, c: &mut B) -> Result<()> {
    #[on(s0)]
    let _ = four(cx, a, b, c)?;
    #[on(s0)]
    let _ = four(cx, a, b, c)?;
    #[on(s0)]
    let _ = four(cx, a, b, c)?;
    #[on(s0)]
    let _ = four(cx, a, b, c)?;
    Ok(())
}

#[model_chunk(streams(s0))]
fn nothing(cx: &Cx<'_>) -> Result<()> {
    #[on(s0)]
    {}
    Ok(())
}

fn weights(cx: &Node<'_>, all: &[B]) -> Result<()> {
    for w in all {
        black_box(cx.view(w)?);
    }
    Ok(())
}

#[model_chunk(streams(s0))]
fn reads_weights(cx: &Cx<'_>, all: &[B]) -> Result<()> {
    #[on(s0)]
    weights(cx, all)?;
    Ok(())
}

/// The same calls as `w1`'s nodes make, and nothing else.
fn bare_w1(bare: &mut Bare) {
    for node in 0..8 {
        let stream = node % 2;
        bare.wait(stream, 1 - stream).unwrap();
        bare.record(stream, stream).unwrap();
    }
}

fn chains(cx: &Cx<'_>, name: &str, calls: usize) -> f64 {
    let (mut f, mut b) = (cx.zeros(N).unwrap(), cx.zeros(N).unwrap());
    let mut spare: Option<(B, B)> = None;
    bench(name, calls, 8, || {
        let (x, y) = match spare.take() {
            Some(pair) => pair,
            None => (
                std::mem::replace(&mut f, cx.empty(N).unwrap()),
                std::mem::replace(&mut b, cx.empty(N).unwrap()),
            ),
        };
        spare = Some(w1(cx, x, y).unwrap());
    })
}

fn main() -> Result<()> {
    println!("a device that does nothing");
    let rt = Runtime::builder().null(None).build()?;
    let lane = rt.lane(&["s0", "s1"])?;
    let cx = lane.cx();
    let (x, mut y): (B, B) = (cx.zeros(N)?, cx.zeros(N)?);
    let node = cx.node("s0")?;
    bench("  read access, hot", 1000, 1, || {
        black_box(node.view(black_box(&x)).unwrap());
    });
    bench("  write access, hot", 1000, 1, || {
        black_box(node.view_mut(black_box(&mut y)).unwrap());
    });
    bench("  make and release", 1000, 1, || drop(black_box(node.empty::<f32>(N).unwrap())));
    drop(node);
    bench("  a call of a chunk with one empty node", 1000, 1, || nothing(&cx).unwrap());
    bench("  node of 4 accesses, make, release (a quarter of a call of 4)", 500, 4, || {
        fours(&cx, &x, &x, &mut y).unwrap();
    });
    let all: Vec<B> = (0..20).map(|_| cx.zeros(N)).collect::<Result<_>>()?;
    bench("  call whose node reads 20 weights", 500, 1, || reads_weights(&cx, &all).unwrap());
    let ours = chains(&cx, "  W1 node: wait, make, read, write, release, record", 200);
    let mut bare = Bare::null(2, 2)?;
    let theirs = bench("  the bare calls of a W1 node: wait, record", 200, 8, || bare_w1(&mut bare));
    println!("  a W1 node beyond its bare calls: {:.1} ns", ours - theirs);
    println!("worker threads of the host backend");
    let rt = Runtime::host()?;
    let lane = rt.lane(&["s0", "s1"])?;
    let ours = chains(&lane.cx(), "  W1 node on threads: wait, make, read, write, release, record", 100);
    lane.drain()?;
    let mut bare = Bare::host(2, 2)?;
    let theirs =
        bench("  the bare calls of a W1 node on threads: wait, record", 100, 8, || bare_w1(&mut bare));
    println!("  a W1 node beyond its bare calls: {:.1} ns", ours - theirs);
    Ok(())
}
