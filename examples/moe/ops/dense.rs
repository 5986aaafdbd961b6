//! Operators that treat every token alike. `N` rows are tokens.

use crate::moe::Matrix;
use crate::moe::kernels::{self, Adam, Dims};
use streamlease::{Buffer, Node, Result};

/// `x w`.
///
/// # Panics
/// If the shapes do not fit, as all products here.
pub fn linear(cx: &Node<'_>, x: &Matrix, w: &Matrix) -> Result<Matrix> {
    let d = dims(w);
    assert_eq!(x.cols, d.input, "the input has another width than the weight takes");
    let mut y = Matrix::empty(cx, x.rows, d.output)?;
    let args = (cx.view(&x.data)?, cx.view(&w.data)?, cx.view_mut(&mut y.data)?);
    cx.launch(args, move |(x, w, y)| kernels::linear(d, x, w, y))?;
    Ok(y)
}

/// The gradient of [`linear`]'s input.
pub fn linear_backward(cx: &Node<'_>, dy: &Matrix, w: &Matrix) -> Result<Matrix> {
    let d = dims(w);
    assert_eq!(dy.cols, d.output, "the gradient has another width than the weight gives");
    let mut dx = Matrix::empty(cx, dy.rows, d.input)?;
    let args = (cx.view(&dy.data)?, cx.view(&w.data)?, cx.view_mut(&mut dx.data)?);
    cx.launch(args, move |(dy, w, dx)| kernels::linear_backward_input(d, dy, w, dx))?;
    Ok(dx)
}

/// Sets `dw` to the gradient of [`linear`]'s weight.
pub fn weight_gradient(cx: &Node<'_>, x: &Matrix, dy: &Matrix, dw: &mut Matrix) -> Result<()> {
    let d = dims(dw);
    assert_eq!((x.rows, x.cols, dy.cols), (dy.rows, d.input, d.output), "shapes of a weight's gradient");
    let args = (cx.view(&x.data)?, cx.view(&dy.data)?, cx.view_mut(&mut dw.data)?);
    cx.launch(args, move |(x, dy, dw)| kernels::linear_backward_weight(d, x, dy, dw))
}

fn dims(w: &Matrix) -> Dims {
    Dims { input: w.rows, output: w.cols }
}

/// `x` normalised and scaled by `w`, and the inverse norms `[N]` for the backward.
pub fn rmsnorm(cx: &Node<'_>, x: &Matrix, w: &Matrix) -> Result<(Matrix, Buffer<f32>)> {
    let (mut y, mut inv) = (x.like(cx)?, cx.empty(x.rows)?);
    let args = (cx.view(&x.data)?, cx.view(&w.data)?, cx.view_mut(&mut y.data)?, cx.view_mut(&mut inv)?);
    cx.launch(args, |(x, w, y, inv)| kernels::rmsnorm(x, w, y, inv))?;
    Ok((y, inv))
}

/// The gradient of [`rmsnorm`]'s input added to `residual`, which it becomes; sets `dw`.
pub fn rmsnorm_backward(
    cx: &Node<'_>,
    (x, inv): (&Matrix, &Buffer<f32>),
    w: &Matrix,
    dy: &Matrix,
    residual: Matrix,
    dw: &mut Matrix,
) -> Result<Matrix> {
    let mut dx = residual;
    let args = (
        cx.view(&x.data)?,
        cx.view(&w.data)?,
        cx.view(inv)?,
        cx.view(&dy.data)?,
        cx.view_mut(&mut dx.data)?,
        cx.view_mut(&mut dw.data)?,
    );
    cx.launch(args, |(x, w, inv, dy, dx, dw)| kernels::rmsnorm_backward(x, w, inv, dy, dx, dw))?;
    Ok(dx)
}

/// `x + y`, in `x`'s memory.
pub fn add(cx: &Node<'_>, mut x: Matrix, y: &Matrix) -> Result<Matrix> {
    cx.launch((cx.view_mut(&mut x.data)?, cx.view(&y.data)?), |(x, y)| kernels::add(x, y))?;
    Ok(x)
}

/// Zeros of the shape of `x`.
pub fn zeros(cx: &Node<'_>, x: &Matrix) -> Result<Matrix> {
    Matrix::zeros(cx, x.rows, x.cols)
}

/// Gate and value `[N, 2 F]` to activation `[N, F]`.
pub fn swiglu(cx: &Node<'_>, up: &Matrix) -> Result<Matrix> {
    let hidden = up.cols / 2;
    let mut act = Matrix::empty(cx, up.rows, hidden)?;
    let args = (cx.view(&up.data)?, cx.view_mut(&mut act.data)?);
    cx.launch(args, move |(up, act)| kernels::swiglu(hidden, up, act))?;
    Ok(act)
}

/// The gradient of [`swiglu`]'s input.
pub fn swiglu_backward(cx: &Node<'_>, up: &Matrix, dact: &Matrix) -> Result<Matrix> {
    let hidden = dact.cols;
    let mut dup = up.like(cx)?;
    let args = (cx.view(&up.data)?, cx.view(&dact.data)?, cx.view_mut(&mut dup.data)?);
    cx.launch(args, move |(up, dact, dup)| kernels::swiglu_backward(hidden, up, dact, dup))?;
    Ok(dup)
}

/// One step of the weight `w` along its gradient `g`; `m` and `v` are its running means.
pub fn adam(
    cx: &Node<'_>,
    a: &Adam,
    w: &mut Matrix,
    g: &Matrix,
    m: &mut Matrix,
    v: &mut Matrix,
) -> Result<()> {
    let a = *a;
    let args =
        (cx.view_mut(&mut w.data)?, cx.view(&g.data)?, cx.view_mut(&mut m.data)?, cx.view_mut(&mut v.data)?);
    cx.launch(args, move |(w, g, m, v)| kernels::adam(a, w, g, m, v))
}
