//! Linear maps of the routed experts. The weight of expert `e` is the `e`-th block of rows of a stacked matrix.

use super::Route;
use crate::moe::Matrix;
use crate::moe::kernels::{self, Dims};
use streamlease::{Node, Result};

/// Widths of one expert's map, from its stacked weights `[E input, output]`.
fn dims(w: &Matrix, r: &Route) -> Dims {
    Dims { input: w.rows / (r.offsets.len() - 1), output: w.cols }
}

/// Each row of `x [N K, input]` by its expert's matrix: `[N K, output]`.
pub fn experts_linear(cx: &Node<'_>, x: &Matrix, w: &Matrix, r: &Route) -> Result<Matrix> {
    let d = dims(w, r);
    assert_eq!(x.cols, d.input, "the input has another width than the experts take");
    let mut y = Matrix::empty(cx, x.rows, d.output)?;
    let args = (cx.view(&r.offsets)?, cx.view(&x.data)?, cx.view(&w.data)?, cx.view_mut(&mut y.data)?);
    cx.launch(args, move |(offsets, x, w, y)| kernels::grouped(d, offsets, x, w, y))?;
    Ok(y)
}

/// The gradient of [`experts_linear`]'s input.
pub fn experts_backward(cx: &Node<'_>, dy: &Matrix, w: &Matrix, r: &Route) -> Result<Matrix> {
    let d = dims(w, r);
    assert_eq!(dy.cols, d.output, "the gradient has another width than the experts give");
    let mut dx = Matrix::empty(cx, dy.rows, d.input)?;
    let args = (cx.view(&r.offsets)?, cx.view(&dy.data)?, cx.view(&w.data)?, cx.view_mut(&mut dx.data)?);
    cx.launch(args, move |(offsets, dy, w, dx)| kernels::grouped_backward_input(d, offsets, dy, w, dx))?;
    Ok(dx)
}

/// Sets `dw` to the gradient of [`experts_linear`]'s weights.
pub fn experts_gradient(cx: &Node<'_>, x: &Matrix, dy: &Matrix, r: &Route, dw: &mut Matrix) -> Result<()> {
    let d = dims(dw, r);
    assert_eq!((x.rows, x.cols, dy.cols), (dy.rows, d.input, d.output), "shapes of the experts' gradient");
    let args = (cx.view(&r.offsets)?, cx.view(&x.data)?, cx.view(&dy.data)?, cx.view_mut(&mut dw.data)?);
    cx.launch(args, move |(offsets, x, dy, dw)| kernels::grouped_backward_weight(d, offsets, x, dy, dw))
}
