//! Routing and the exchange of tokens between their own rows and their experts'.

use crate::moe::Matrix;
use crate::moe::kernels::{self, Dims, TOP_K};
use streamlease::{Buffer, Node, Result};

/// Where each token goes. Made and used on the device; the host never sees it.
#[derive(Debug)]
pub struct Route {
    /// Weight of each of a token's experts, `[N, K]`.
    pub gate: Matrix,
    /// Number of each of a token's experts, `[N, K]`.
    pub choice: Buffer<u32>,
    /// Row of each choice among the rows sorted by expert, `[N, K]`.
    pub slot: Buffer<u32>,
    /// First row of each expert, and the end of the last, `[E + 1]`.
    pub offsets: Buffer<u32>,
}

/// Chooses the experts of each token of `x [N, D]` by the router's weight `w [D, E]`.
pub fn router(cx: &Node<'_>, x: &Matrix, w: &Matrix) -> Result<Route> {
    let (d, rows, experts) = (Dims { input: w.rows, output: w.cols }, x.rows, w.cols);
    let mut logits = Matrix::empty(cx, rows, experts)?;
    let args = (cx.view(&x.data)?, cx.view(&w.data)?, cx.view_mut(&mut logits.data)?);
    cx.launch(args, move |(x, w, logits)| kernels::linear(d, x, w, logits))?;

    let (mut gate, mut choice) = (Matrix::empty(cx, rows, TOP_K)?, cx.empty(rows * TOP_K)?);
    let args = (cx.view(&logits.data)?, cx.view_mut(&mut choice)?, cx.view_mut(&mut gate.data)?);
    cx.launch(args, move |(logits, choice, gate)| kernels::route(experts, logits, choice, gate))?;

    let (mut offsets, mut slot) = (cx.empty(experts + 1)?, cx.empty(rows * TOP_K)?);
    let args = (cx.view(&choice)?, cx.view_mut(&mut offsets)?, cx.view_mut(&mut slot)?);
    cx.launch(args, |(choice, offsets, slot)| kernels::assign(choice, offsets, slot))?;
    Ok(Route { gate, choice, slot, offsets })
}

/// The gradient of the router's logits `[N, E]` from that of the gates `[N, K]`.
pub fn router_backward(cx: &Node<'_>, r: &Route, dgate: &Matrix) -> Result<Matrix> {
    let experts = r.offsets.len() - 1;
    let mut dlogits = Matrix::empty(cx, dgate.rows, experts)?;
    let args =
        (cx.view(&r.choice)?, cx.view(&r.gate.data)?, cx.view(&dgate.data)?, cx.view_mut(&mut dlogits.data)?);
    cx.launch(args, move |(choice, gate, dgate, dlogits)| {
        kernels::route_backward(experts, choice, gate, dgate, dlogits);
    })?;
    Ok(dlogits)
}

/// Copies each token of `x [N, D]` to its experts' rows `[N K, D]`.
pub fn dispatch(cx: &Node<'_>, x: &Matrix, r: &Route) -> Result<Matrix> {
    let width = x.cols;
    let mut sent = Matrix::empty(cx, x.rows * TOP_K, width)?;
    let args = (cx.view(&x.data)?, cx.view(&r.slot)?, cx.view_mut(&mut sent.data)?);
    cx.launch(args, move |(x, slot, sent)| kernels::dispatch(width, x, slot, sent))?;
    Ok(sent)
}

/// Brings the gradients of the sent copies back to their token: `dsent [N K, D]` to `[N, D]`.
pub fn dispatch_backward(cx: &Node<'_>, dsent: &Matrix, r: &Route) -> Result<Matrix> {
    let width = dsent.cols;
    let mut dx = Matrix::empty(cx, dsent.rows / TOP_K, width)?;
    let args = (cx.view(&dsent.data)?, cx.view(&r.slot)?, cx.view_mut(&mut dx.data)?);
    cx.launch(args, move |(dsent, slot, dx)| kernels::dispatch_backward(width, dsent, slot, dx))?;
    Ok(dx)
}

/// Brings the experts' answers `y [N K, D]` back to their token, weighted by its gates: `[N, D]`.
pub fn combine(cx: &Node<'_>, y: &Matrix, r: &Route) -> Result<Matrix> {
    let width = y.cols;
    let mut out = Matrix::empty(cx, y.rows / TOP_K, width)?;
    let args = (cx.view(&y.data)?, cx.view(&r.gate.data)?, cx.view(&r.slot)?, cx.view_mut(&mut out.data)?);
    cx.launch(args, move |(y, gate, slot, out)| kernels::combine(width, y, gate, slot, out))?;
    Ok(out)
}

/// Sends the gradient `dout [N, D]` of [`combine`] to the experts' rows `[N K, D]`.
pub fn combine_backward(cx: &Node<'_>, dout: &Matrix, r: &Route) -> Result<Matrix> {
    let width = dout.cols;
    let mut dy = Matrix::empty(cx, dout.rows * TOP_K, width)?;
    let args = (cx.view(&dout.data)?, cx.view(&r.gate.data)?, cx.view(&r.slot)?, cx.view_mut(&mut dy.data)?);
    cx.launch(args, move |(dout, gate, slot, dy)| kernels::combine_backward(width, dout, gate, slot, dy))?;
    Ok(dy)
}

/// The gradient of the gates `[N, K]`.
pub fn gate_backward(cx: &Node<'_>, dout: &Matrix, y: &Matrix, r: &Route) -> Result<Matrix> {
    let width = dout.cols;
    let mut dgate = r.gate.like(cx)?;
    let args = (cx.view(&dout.data)?, cx.view(&y.data)?, cx.view(&r.slot)?, cx.view_mut(&mut dgate.data)?);
    cx.launch(args, move |(dout, y, slot, dgate)| kernels::gate_backward(width, dout, y, slot, dgate))?;
    Ok(dgate)
}
