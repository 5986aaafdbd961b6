//! The model against finite differences, and against itself on other streams.

mod gradients;
mod training;

use super::Matrix;
use streamlease::{Cx, Lane, Result, Runtime};

/// A strict runtime, and a lane with a stream for each of the model's names.
fn strict() -> Result<(Runtime, Lane)> {
    let runtime = Runtime::builder().strict(true).build()?;
    let lane = runtime.lane(&["compute", "comm"])?;
    Ok((runtime, lane))
}

/// The content of a matrix.
fn values(cx: &Cx<'_>, x: &Matrix) -> Result<Vec<f32>> {
    cx.read(&x.data)?.wait()
}
