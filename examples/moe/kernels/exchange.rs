//! The all-to-all: tokens to the rows of their experts and back. `slot [N, K]` says which row.

use super::TOP_K;

/// Row `r` of a matrix of `width` columns.
fn row(x: &[f32], r: u32, width: usize) -> &[f32] {
    &x[r as usize * width..][..width]
}

fn row_mut(x: &mut [f32], r: u32, width: usize) -> &mut [f32] {
    &mut x[r as usize * width..][..width]
}

/// A copy of each token to the row of each of its experts: `x [N, D]`, `sent [N K, D]`.
pub fn dispatch(width: usize, x: &[f32], slot: &[u32], sent: &mut [f32]) {
    for (x, slots) in x.chunks_exact(width).zip(slot.chunks_exact(TOP_K)) {
        for s in slots {
            row_mut(sent, *s, width).copy_from_slice(x);
        }
    }
}

/// Sums what came back for each token: `dsent [N K, D]`, `dx [N, D]`.
pub fn dispatch_backward(width: usize, dsent: &[f32], slot: &[u32], dx: &mut [f32]) {
    for (dx, slots) in dx.chunks_exact_mut(width).zip(slot.chunks_exact(TOP_K)) {
        let (first, second) = (row(dsent, slots[0], width), row(dsent, slots[1], width));
        for ((dx, a), b) in dx.iter_mut().zip(first).zip(second) {
            *dx = a + b;
        }
    }
}

/// The experts' answers weighted by `gate [N, K]`: `y [N K, D]`, `out [N, D]`.
pub fn combine(width: usize, y: &[f32], gate: &[f32], slot: &[u32], out: &mut [f32]) {
    for ((out, slots), gate) in
        out.chunks_exact_mut(width).zip(slot.chunks_exact(TOP_K)).zip(gate.chunks_exact(TOP_K))
    {
        let (first, second) = (row(y, slots[0], width), row(y, slots[1], width));
        for ((out, a), b) in out.iter_mut().zip(first).zip(second) {
            *out = gate[0] * a + gate[1] * b;
        }
    }
}

/// Sends each token's gradient to its experts: `dout [N, D]`, `dy [N K, D]`.
pub fn combine_backward(width: usize, dout: &[f32], gate: &[f32], slot: &[u32], dy: &mut [f32]) {
    for ((dout, slots), gate) in
        dout.chunks_exact(width).zip(slot.chunks_exact(TOP_K)).zip(gate.chunks_exact(TOP_K))
    {
        for (s, g) in slots.iter().zip(gate) {
            for (dy, d) in row_mut(dy, *s, width).iter_mut().zip(dout) {
                *dy = g * d;
            }
        }
    }
}

/// `dgate [N, K]`: how much each expert's answer points along the token's gradient.
pub fn gate_backward(width: usize, dout: &[f32], y: &[f32], slot: &[u32], dgate: &mut [f32]) {
    for ((dout, slots), dgate) in
        dout.chunks_exact(width).zip(slot.chunks_exact(TOP_K)).zip(dgate.chunks_exact_mut(TOP_K))
    {
        for (dg, s) in dgate.iter_mut().zip(slots) {
            *dg = dout.iter().zip(row(y, *s, width)).map(|(d, y)| d * y).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    const WIDTH: usize = 4;
    const SLOT: [u32; 6] = [4, 0, 1, 5, 2, 3];

    #[test]
    fn dispatch_gradient() {
        let (x, r) = (random(3 * WIDTH, 1), random(6 * WIDTH, 2));
        let mut dx = vec![f32::NAN; x.len()];
        dispatch_backward(WIDTH, &r, &SLOT, &mut dx);
        assert_gradient("x", &x, &dx, |x| {
            let mut sent = vec![f32::NAN; r.len()];
            dispatch(WIDTH, x, &SLOT, &mut sent);
            dot(&sent, &r)
        });
    }

    #[test]
    fn combine_gradients() {
        let (y, gate, r) = (random(6 * WIDTH, 1), random(6, 2), random(3 * WIDTH, 3));
        let forward = |y: &[f32], gate: &[f32]| {
            let mut out = vec![f32::NAN; r.len()];
            combine(WIDTH, y, gate, &SLOT, &mut out);
            dot(&out, &r)
        };
        let (mut dy, mut dgate) = (vec![f32::NAN; y.len()], vec![f32::NAN; gate.len()]);
        combine_backward(WIDTH, &r, &gate, &SLOT, &mut dy);
        gate_backward(WIDTH, &r, &y, &SLOT, &mut dgate);
        assert_gradient("y", &y, &dy, |y| forward(y, &gate));
        assert_gradient("gate", &gate, &dgate, |gate| forward(&y, gate));
    }
}
