//! A mixture-of-experts layer on two streams: its plan, and two microbatches that take turns, node by node.
//!
//! `cargo run --example moe_layer`

use streamlease::{Buffer, Cx, Node, Result, Runtime, Step, model_chunk};

struct Layer {
    up: Buffer<f32>,
    down: Buffer<f32>,
}

/// Attention and experts on `compute`, the exchange of tokens on `comm`.
#[model_chunk(streams(compute, comm))]
fn moe_layer(cx: &Cx<'_>, w: &Layer, x: Buffer<f32>) -> Result<Buffer<f32>> {
    #[on(compute)]
    let (h, gate) = attention(cx, w, &x)?;
    #[on(comm)]
    let routed = dispatch(cx, h, &gate)?;
    #[on(compute)]
    let shared = shared_expert(cx, w, &x)?;
    #[on(compute)]
    let y = experts(cx, w, routed)?;
    #[on(comm)]
    let out = combine(cx, y, &gate, shared)?;
    Ok(out)
}

/// `out[i] = f(a[i], b[i])`, on the node's stream.
fn zip(cx: &Node<'_>, a: &Buffer<f32>, b: &Buffer<f32>, f: fn(f32, f32) -> f32) -> Result<Buffer<f32>> {
    let mut out = cx.empty(a.len())?;
    cx.launch((cx.view(a)?, cx.view(b)?, cx.view_mut(&mut out)?), move |(a, b, out)| {
        for (i, out) in out.iter_mut().enumerate() {
            *out = f(a[i], b[i]);
        }
    })?;
    Ok(out)
}

fn attention(cx: &Node<'_>, w: &Layer, x: &Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
    Ok((zip(cx, x, &w.up, |x, w| x + w)?, zip(cx, x, &w.down, |x, w| (x * w).tanh())?))
}

fn dispatch(cx: &Node<'_>, h: Buffer<f32>, gate: &Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, &h, gate, |h, gate| h * gate)
}

fn shared_expert(cx: &Node<'_>, w: &Layer, x: &Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, x, &w.down, |x, w| x.max(0.0) * w)
}

fn experts(cx: &Node<'_>, w: &Layer, routed: Buffer<f32>) -> Result<Buffer<f32>> {
    zip(cx, &routed, &w.up, |x, w| x * w)
}

fn combine(cx: &Node<'_>, y: Buffer<f32>, gate: &Buffer<f32>, shared: Buffer<f32>) -> Result<Buffer<f32>> {
    let sum = zip(cx, &y, gate, |y, gate| y * gate)?;
    zip(cx, &sum, &shared, |sum, shared| sum + shared)
}

fn main() -> Result<()> {
    println!("{}", moe_layer::PLAN);
    let runtime = Runtime::builder().strict(true).build()?;
    let lane = runtime.lane(&["compute", "comm"])?;
    let cx = lane.cx();
    let w = Layer { up: cx.upload([0.5; 4])?, down: cx.upload([2.0; 4])? };
    let mut runs = [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0]]
        .map(|x| cx.upload(x).map(|x| moe_layer::start(&cx, &w, x)))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let mut done = Vec::new();
    while done.len() < runs.len() {
        for (ix, run) in runs.iter_mut().enumerate() {
            match run.step() {
                Some(Step::Ran(node)) => println!("microbatch {ix}: {node}"),
                Some(Step::Done(out)) => done.push(cx.read(&out?)?),
                None => {}
            }
        }
    }
    for out in done {
        println!("{:?}", out.wait()?);
    }
    println!("{:?}", runtime.stats().waits);
    Ok(())
}
