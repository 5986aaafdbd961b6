//! Linear maps, and linear maps of tokens that are grouped by expert.
//!
//! In a grouped map, rows `offsets[e]..offsets[e + 1]` belong to expert `e`, whose matrix is the `e`-th of the
//! weight. The offsets are read when the kernel runs: the host never learns how many tokens an expert has.

use super::{Mat, MatMut, gemm};

/// Widths of a linear map.
#[derive(Clone, Copy, Debug)]
pub struct Dims {
    /// Elements of an input row.
    pub input: usize,
    /// Elements of an output row.
    pub output: usize,
}

impl Dims {
    /// Elements of the weight `[input, output]`.
    pub fn weight(self) -> usize {
        self.input * self.output
    }
}

/// `y = x w`: `x [N, input]`, `w [input, output]`, `y [N, output]`.
pub fn linear(d: Dims, x: &[f32], w: &[f32], y: &mut [f32]) {
    let rows = x.len() / d.input;
    gemm(
        1.0,
        Mat::new(x, rows, d.input),
        Mat::new(w, d.input, d.output),
        0.0,
        MatMut::new(y, rows, d.output),
    );
}

/// `dx = dy w^T`.
pub fn linear_backward_input(d: Dims, dy: &[f32], w: &[f32], dx: &mut [f32]) {
    let rows = dy.len() / d.output;
    let w = Mat::new(w, d.input, d.output);
    gemm(1.0, Mat::new(dy, rows, d.output), w.t(), 0.0, MatMut::new(dx, rows, d.input));
}

/// `dw = x^T dy`.
pub fn linear_backward_weight(d: Dims, x: &[f32], dy: &[f32], dw: &mut [f32]) {
    let rows = dy.len() / d.output;
    let (x, dy) = (Mat::new(x, rows, d.input), Mat::new(dy, rows, d.output));
    gemm(1.0, x.t(), dy, 0.0, MatMut::new(dw, d.input, d.output));
}

/// [`linear`] of each expert's rows by its own matrix: `w [E, input, output]`, `offsets [E + 1]`.
pub fn grouped(d: Dims, offsets: &[u32], x: &[f32], w: &[f32], y: &mut [f32]) {
    for (rows, w) in groups(offsets).zip(w.chunks_exact(d.weight())) {
        linear(d, of(x, &rows, d.input), w, of_mut(y, &rows, d.output));
    }
}

/// [`linear_backward_input`] of each expert's rows.
pub fn grouped_backward_input(d: Dims, offsets: &[u32], dy: &[f32], w: &[f32], dx: &mut [f32]) {
    for (rows, w) in groups(offsets).zip(w.chunks_exact(d.weight())) {
        linear_backward_input(d, of(dy, &rows, d.output), w, of_mut(dx, &rows, d.input));
    }
}

/// [`linear_backward_weight`] of each expert's rows; an expert without rows gets zeros.
pub fn grouped_backward_weight(d: Dims, offsets: &[u32], x: &[f32], dy: &[f32], dw: &mut [f32]) {
    for (rows, dw) in groups(offsets).zip(dw.chunks_exact_mut(d.weight())) {
        linear_backward_weight(d, of(x, &rows, d.input), of(dy, &rows, d.output), dw);
    }
}

type Rows = core::ops::Range<usize>;

fn groups(offsets: &[u32]) -> impl Iterator<Item = Rows> + '_ {
    offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
}

fn of<'a>(x: &'a [f32], rows: &Rows, width: usize) -> &'a [f32] {
    &x[rows.start * width..rows.end * width]
}

fn of_mut<'a>(x: &'a mut [f32], rows: &Rows, width: usize) -> &'a mut [f32] {
    &mut x[rows.start * width..rows.end * width]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::{assert_gradient, dot, random};

    const D: Dims = Dims { input: 6, output: 5 };
    /// The middle one of three experts has no rows.
    const OFFSETS: [u32; 4] = [0, 3, 3, 7];

    fn forward(x: &[f32], w: &[f32]) -> Vec<f32> {
        let mut y = vec![f32::NAN; 7 * D.output];
        grouped(D, &OFFSETS, x, w, &mut y);
        y
    }

    #[test]
    fn grouped_gradients() {
        let (x, w, r) = (random(7 * D.input, 1), random(3 * D.weight(), 2), random(7 * D.output, 3));
        let (mut dx, mut dw) = (vec![f32::NAN; x.len()], vec![f32::NAN; w.len()]);
        grouped_backward_input(D, &OFFSETS, &r, &w, &mut dx);
        grouped_backward_weight(D, &OFFSETS, &x, &r, &mut dw);
        assert_gradient("x", &x, &dx, |x| dot(&forward(x, &w), &r));
        assert_gradient("w", &w, &dw, |w| dot(&forward(&x, w), &r));
    }
}
