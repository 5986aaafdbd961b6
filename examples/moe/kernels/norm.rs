//! Root-mean-square normalisation.

/// Added to the mean square: keeps a row of zeros finite.
const EPSILON: f32 = 1e-5;

/// `y = x / rms(x) * w` for each row: `x, y [N, D]`, `w [D]`; `inv [N]` keeps `1 / rms` for the backward.
pub fn rmsnorm(x: &[f32], w: &[f32], y: &mut [f32], inv: &mut [f32]) {
    let width = w.len();
    for ((x, y), inv) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)).zip(inv) {
        let mean = x.iter().map(|x| x * x).sum::<f32>() / width as f32;
        *inv = 1.0 / (mean + EPSILON).sqrt();
        for ((y, x), w) in y.iter_mut().zip(x).zip(w) {
            *y = x * *inv * w;
        }
    }
}

/// Adds the gradient of `x` to `dx` (which holds that of the residual path) and sets `dw`.
pub fn rmsnorm_backward(x: &[f32], w: &[f32], inv: &[f32], dy: &[f32], dx: &mut [f32], dw: &mut [f32]) {
    let width = w.len();
    dw.fill(0.0);
    let rows = x.chunks_exact(width).zip(dy.chunks_exact(width)).zip(dx.chunks_exact_mut(width)).zip(inv);
    for (((x, dy), dx), inv) in rows {
        let mut along = 0.0;
        for (((x, dy), w), dw) in x.iter().zip(dy).zip(w).zip(&mut *dw) {
            along += x * dy * w;
            *dw += dy * x * inv;
        }
        let pull = along * inv * inv * inv / width as f32;
        for (((dx, x), dy), w) in dx.iter_mut().zip(x).zip(dy).zip(w) {
            *dx += dy * w * inv - x * pull;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    fn forward(x: &[f32], w: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let (mut y, mut inv) = (vec![f32::NAN; x.len()], vec![f32::NAN; x.len() / w.len()]);
        rmsnorm(x, w, &mut y, &mut inv);
        (y, inv)
    }

    #[test]
    fn gradients() {
        let (x, w, r) = (random(24, 1), random(8, 2), random(24, 3));
        let (_, inv) = forward(&x, &w);
        let (mut dx, mut dw) = (vec![0.0; x.len()], vec![f32::NAN; w.len()]);
        rmsnorm_backward(&x, &w, &inv, &r, &mut dx, &mut dw);
        assert_gradient("x", &x, &dx, |x| dot(&forward(x, &w).0, &r));
        assert_gradient("w", &w, &dw, |w| dot(&forward(&x, w).0, &r));
    }

    #[test]
    fn the_residual_gradient_is_kept() {
        let (x, w, dy) = (random(8, 1), random(8, 2), random(8, 3));
        let inv = forward(&x, &w).1;
        let (mut alone, mut onto, mut dw) = (vec![0.0; 8], vec![1.0; 8], vec![0.0; 8]);
        rmsnorm_backward(&x, &w, &inv, &dy, &mut alone, &mut dw);
        rmsnorm_backward(&x, &w, &inv, &dy, &mut onto, &mut dw);
        assert!(alone.iter().zip(&onto).all(|(a, b)| (a + 1.0 - b).abs() < 1e-6));
    }
}
