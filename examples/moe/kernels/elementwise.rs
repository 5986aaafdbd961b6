//! Sums and the gated activation.

/// `x += y`.
pub fn add(x: &mut [f32], y: &[f32]) {
    assert_eq!(x.len(), y.len());
    for (x, y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// SwiGLU: a row of `up [N, 2 F]` is a gate `a` and a value `b`; `act [N, F] = a sigmoid(a) b`.
pub fn swiglu(hidden: usize, up: &[f32], act: &mut [f32]) {
    for (up, act) in up.chunks_exact(2 * hidden).zip(act.chunks_exact_mut(hidden)) {
        let (gate, value) = up.split_at(hidden);
        for ((act, a), b) in act.iter_mut().zip(gate).zip(value) {
            *act = a * sigmoid(*a) * b;
        }
    }
}

/// `dup [N, 2 F]` from `dact [N, F]`.
pub fn swiglu_backward(hidden: usize, up: &[f32], dact: &[f32], dup: &mut [f32]) {
    let rows =
        up.chunks_exact(2 * hidden).zip(dact.chunks_exact(hidden)).zip(dup.chunks_exact_mut(2 * hidden));
    for ((up, dact), dup) in rows {
        let (gate, value) = up.split_at(hidden);
        let (dgate, dvalue) = dup.split_at_mut(hidden);
        for i in 0..hidden {
            let (a, b, s) = (gate[i], value[i], sigmoid(gate[i]));
            dvalue[i] = dact[i] * a * s;
            dgate[i] = dact[i] * b * s * (1.0 + a * (1.0 - s));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    #[test]
    fn swiglu_gradient() {
        let (up, r) = (random(3 * 10, 1), random(3 * 5, 2));
        let mut dup = vec![f32::NAN; up.len()];
        swiglu_backward(5, &up, &r, &mut dup);
        assert_gradient("up", &up, &dup, |up| {
            let mut act = vec![f32::NAN; r.len()];
            swiglu(5, up, &mut act);
            dot(&act, &r)
        });
    }
}
