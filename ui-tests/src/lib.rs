//! Operators for the programs of this crate: a folder a rule, with what must compile in `pass` and what must be
//! refused in `fail`, the message beside it.

pub use anyhow;
pub use streamlease::{Buffer, Cx, Lane, Node, Result, Runtime, View, model_chunk};

/// A device tensor.
pub type T = Buffer<f32>;

/// Two tensors and a number.
pub struct Layer {
    /// A weight.
    pub a: T,
    /// Another.
    pub b: T,
    /// A size.
    pub dim: usize,
    /// What it is called.
    pub name: String,
}

/// What one operator makes.
pub struct Pair {
    /// The hidden state.
    pub h: T,
    /// The gate.
    pub gate: T,
}

/// Reads one, makes one.
pub fn f(cx: &Node<'_>, x: &T) -> Result<T> {
    let mut y = cx.empty(x.len())?;
    cx.launch((cx.view(x)?, cx.view_mut(&mut y)?), |(x, y): (&[f32], &mut [f32])| {
        y.iter_mut().zip(x).for_each(|(y, x)| *y = x + 1.0);
    })?;
    Ok(y)
}

/// Reads two, makes one.
pub fn add(cx: &Node<'_>, x: &T, y: &T) -> Result<T> {
    let mut z = f(cx, x)?;
    cx.launch((cx.view_mut(&mut z)?, cx.view(y)?), |(z, y): (&mut [f32], &[f32])| {
        z.iter_mut().zip(y).for_each(|(z, y)| *z += y - 1.0);
    })?;
    Ok(z)
}

/// Takes one and returns its storage.
pub fn take(cx: &Node<'_>, mut x: T) -> Result<T> {
    fill(cx, &mut x)?;
    Ok(x)
}

/// Writes one.
pub fn fill(cx: &Node<'_>, x: &mut T) -> Result<()> {
    cx.launch(cx.view_mut(x)?, |x: &mut [f32]| x.iter_mut().for_each(|x| *x *= 2.0))
}

/// Takes one, reads one.
pub fn mix(cx: &Node<'_>, x: T, y: &T) -> Result<T> {
    add(cx, &x, y)
}

/// Writes one, reads one.
pub fn accumulate(cx: &Node<'_>, x: &mut T, y: &T) -> Result<()> {
    cx.launch((cx.view_mut(x)?, cx.view(y)?), |(x, y): (&mut [f32], &[f32])| {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
    })
}

/// Makes two.
pub fn pair(cx: &Node<'_>, x: &T) -> Result<(T, T)> {
    Ok((f(cx, x)?, f(cx, x)?))
}

/// Makes two in a struct.
pub fn split(cx: &Node<'_>, x: &T) -> Result<Pair> {
    Ok(Pair { h: f(cx, x)?, gate: f(cx, x)? })
}

/// A number that an operator finds out.
pub fn count(_: &Node<'_>, x: &T) -> Result<usize> {
    Ok(x.len())
}

/// Uses a number.
pub fn scale(cx: &Node<'_>, x: &T, by: usize) -> Result<T> {
    let _ = by;
    f(cx, x)
}

/// Weights.
///
/// # Panics
/// If there is no memory.
pub fn layer(cx: &Cx<'_>) -> Layer {
    let weight = || cx.upload(vec![2.0; 8]).unwrap();
    Layer { a: weight(), b: weight(), dim: 8, name: String::from("layer") }
}

/// Runs a chunk on a lane with streams `a` and `b`, in strict mode.
///
/// # Panics
/// If anything fails.
pub fn run<R>(chunk: impl FnOnce(&Cx<'_>, T) -> R) -> R {
    let runtime = Runtime::builder().strict(true).build().unwrap();
    let lane = runtime.lane(&["a", "b"]).unwrap();
    let cx = lane.cx();
    let x = cx.upload(vec![1.0; 8]).unwrap();
    let out = chunk(&cx, x);
    lane.drain().unwrap();
    out
}
