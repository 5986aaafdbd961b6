use streamlease::{Buffer, Cx, Node, Result, Runtime};

/// Makes `x * by`.
pub fn scale(cx: &Node<'_>, x: &Buffer<f32>, by: f32) -> Result<Buffer<f32>> {
    let mut y = cx.empty(x.len())?;
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), move |(x, y)| {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = by * x);
    })?;
    Ok(y)
}

/// Makes `x + y`.
pub fn add(cx: &Node<'_>, x: &Buffer<f32>, y: &Buffer<f32>) -> Result<Buffer<f32>> {
    let mut z = scale(cx, x, 1.0)?;
    add_to(cx, &mut z, y)?;
    Ok(z)
}

/// Adds `y` to `x`, in place.
pub fn add_to(cx: &Node<'_>, x: &mut Buffer<f32>, y: &Buffer<f32>) -> Result<()> {
    cx.launch((cx.view_mut(x)?, cx.view(y)?), |(x, y)| {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
    })
}

/// Takes `x`, and returns its storage with what is negative set to zero.
pub fn relu(cx: &Node<'_>, mut x: Buffer<f32>) -> Result<Buffer<f32>> {
    cx.launch(cx.view_mut(&mut x)?, |x: &mut [f32]| x.iter_mut().for_each(|x| *x = x.max(0.0)))?;
    Ok(x)
}

/// Makes two: `2 * x` and `-x`.
pub fn pair(cx: &Node<'_>, x: &Buffer<f32>) -> Result<(Buffer<f32>, Buffer<f32>)> {
    Ok((scale(cx, x, 2.0)?, scale(cx, x, -1.0)?))
}

/// Makes a lane with these streams on the host, and runs `body` there. Strict: a use that a plan does not cover is an
/// error.
pub fn run<R>(streams: &[&str], body: impl FnOnce(&Cx<'_>) -> Result<R>) -> Result<R> {
    let runtime = Runtime::builder().strict(true).build()?;
    let lane = runtime.lane(streams)?;
    let out = body(&lane.cx())?;
    lane.drain()?;
    Ok(out)
}
