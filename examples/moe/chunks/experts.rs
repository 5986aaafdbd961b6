//! The experts' half of a layer: `x + shared(n) + routed(n)` with `n = rmsnorm(x)`.

use crate::moe::ops::{
    Route, add, combine, combine_backward, dispatch, dispatch_backward, experts_gradient, experts_linear,
    gate_backward, linear, linear_backward, rmsnorm, rmsnorm_backward, router, router_backward, swiglu,
    swiglu_backward, weight_gradient,
};
use crate::moe::{Experts, Matrix, ops};
use streamlease::{Buffer, Cx, Result, model_chunk};

/// What [`experts_forward()`] leaves for [`experts_backward()`].
#[derive(Debug)]
pub struct ExpertsActs {
    x: Matrix,
    inv: Buffer<f32>,
    normed: Matrix,
    route: Route,
    shared_up: Matrix,
    shared_act: Matrix,
    sent: Matrix,
    up: Matrix,
    act: Matrix,
    y: Matrix,
}

/// `x [N, D]` to `[N, D]`.
///
/// The shared expert runs while the tokens travel to the routed experts, and its answer is added to the residual
/// while theirs travel back.
#[model_chunk(streams(compute, comm))]
pub fn experts_forward(cx: &Cx<'_>, w: &Experts, x: Matrix) -> Result<(Matrix, ExpertsActs)> {
    #[on(compute)]
    let (normed, inv) = rmsnorm(cx, &x, &w.norm)?;
    #[on(compute)]
    let route = router(cx, &normed, &w.router)?;
    #[on(comm)]
    let sent = dispatch(cx, &normed, &route)?;
    #[on(compute)]
    let shared_up = linear(cx, &normed, &w.shared_up)?;
    #[on(compute)]
    let shared_act = swiglu(cx, &shared_up)?;
    #[on(compute)]
    let shared = linear(cx, &shared_act, &w.shared_down)?;
    #[on(compute)]
    let up = experts_linear(cx, &sent, &w.up, &route)?;
    #[on(compute)]
    let act = swiglu(cx, &up)?;
    #[on(compute)]
    let y = experts_linear(cx, &act, &w.down, &route)?;
    #[on(comm)]
    let routed = combine(cx, &y, &route)?;
    #[on(compute)]
    let out = add(cx, shared, &x)?;
    #[on(compute)]
    let out = add(cx, out, &routed)?;
    Ok((out, ExpertsActs { x, inv, normed, route, shared_up, shared_act, sent, up, act, y }))
}

/// The gradient of the input from that of the output, `[N, D]`; sets all of `g`.
///
/// The shared expert's gradients are worked out while the output's travels to the routed experts, and the routed
/// experts' weights get theirs while the tokens' travels back.
#[model_chunk(streams(compute, comm))]
pub fn experts_backward(
    cx: &Cx<'_>,
    w: &Experts,
    g: &mut Experts,
    acts: ExpertsActs,
    dout: Matrix,
) -> Result<Matrix> {
    let ExpertsActs { x, inv, normed, route, shared_up, shared_act, sent, up, act, y } = acts;
    #[on(comm)]
    let dy = combine_backward(cx, &dout, &route)?;
    #[on(compute)]
    let dgate = gate_backward(cx, &dout, &y, &route)?;
    #[on(compute)]
    let dshared_act = linear_backward(cx, &dout, &w.shared_down)?;
    #[on(compute)]
    weight_gradient(cx, &shared_act, &dout, &mut g.shared_down)?;
    #[on(compute)]
    let dshared_up = swiglu_backward(cx, &shared_up, &dshared_act)?;
    #[on(compute)]
    weight_gradient(cx, &normed, &dshared_up, &mut g.shared_up)?;
    #[on(compute)]
    let dnormed = linear_backward(cx, &dshared_up, &w.shared_up)?;
    #[on(compute)]
    let dact = ops::experts_backward(cx, &dy, &w.down, &route)?;
    #[on(compute)]
    let dup = swiglu_backward(cx, &up, &dact)?;
    #[on(compute)]
    let dsent = ops::experts_backward(cx, &dup, &w.up, &route)?;
    #[on(comm)]
    let returned = dispatch_backward(cx, &dsent, &route)?;
    #[on(compute)]
    experts_gradient(cx, &act, &dy, &route, &mut g.down)?;
    #[on(compute)]
    experts_gradient(cx, &sent, &dup, &route, &mut g.up)?;
    #[on(compute)]
    let dlogits = router_backward(cx, &route, &dgate)?;
    #[on(compute)]
    weight_gradient(cx, &normed, &dlogits, &mut g.router)?;
    #[on(compute)]
    let by_router = linear_backward(cx, &dlogits, &w.router)?;
    #[on(compute)]
    let dnormed = add(cx, dnormed, &by_router)?;
    #[on(compute)]
    let dnormed = add(cx, dnormed, &returned)?;
    #[on(compute)]
    let dx = rmsnorm_backward(cx, (&x, &inv), &w.norm, &dnormed, dout, &mut g.norm)?;
    Ok(dx)
}
