//! Two streams, three nodes: what a plan looks like, and that it runs.
//!
//! `cargo run --example hello_two_streams`

use streamlease::{Buffer, Cx, Node, Result, Runtime, model_chunk};

/// Scales and sums `x` while a copy of it is on its way.
#[model_chunk(streams(compute, copy))]
fn scale_and_save(cx: &Cx<'_>, x: Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
    #[on(compute)]
    let doubled = scale(cx, &x, 2.0)?;
    #[on(copy)]
    let saved = duplicate(cx, &x)?;
    #[on(compute)]
    let sum = add(cx, doubled, &saved)?;
    Ok((sum, saved))
}

/// An operator: allocates its output on the node's stream and enqueues a kernel there.
fn scale(cx: &Node<'_>, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
    let mut y = cx.empty(x.len())?;
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), move |(x, y): (&[f32], &mut [f32])| {
        for (y, x) in y.iter_mut().zip(x) {
            *y = by * x;
        }
    })?;
    Ok(y)
}

fn duplicate(cx: &Node<'_>, x: &Buffer<f32>) -> Result<Buffer<f32>> {
    scale(cx, x, 1.0)
}

/// Adds in place: what it is given, it may write and return.
fn add(cx: &Node<'_>, mut x: Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
    cx.launch((cx.view_mut(&mut x)?, cx.view(y)?), |(x, y): (&mut [f32], &[f32])| {
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
    })?;
    Ok(x)
}

fn main() -> Result<()> {
    print!("{}", scale_and_save::PLAN);

    let runtime = Runtime::host()?;
    let lane = runtime.lane(&["compute", "copy"])?;
    let cx = lane.cx();
    let x = cx.upload(vec![1.0, 2.0, 3.0])?;
    let (sum, saved) = scale_and_save(&cx, x)?;
    println!("sum   {:?}", cx.read(&sum)?.wait()?);
    println!("saved {:?}", cx.read(&saved)?.wait()?);
    Ok(())
}
