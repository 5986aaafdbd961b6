//! Matrix product over strided views: the one place where `matrixmultiply`'s raw pointers appear.

/// A matrix read from a slice: element `(i, j)` is `data[i * row_stride + j * col_stride]`.
///
/// Invariant: that index is in bounds for every `i < rows`, `j < cols`.
#[derive(Clone, Copy)]
pub struct Mat<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> Mat<'a> {
    /// The first `rows x cols` elements of `data`, row-major and dense.
    pub fn new(data: &'a [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// Rows of `cols` elements, each `row_stride` after the last: a block of columns of a wider matrix.
    ///
    /// # Panics
    /// If `data` is too short.
    pub fn strided(data: &'a [f32], rows: usize, cols: usize, row_stride: usize) -> Self {
        assert!(fits(data.len(), rows, cols, row_stride), "{rows} x {cols} exceeds {} elements", data.len());
        Mat { data, rows, cols, row_stride, col_stride: 1 }
    }

    /// The transpose, without moving anything.
    #[must_use]
    pub fn t(self) -> Self {
        Mat {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }
}

/// A matrix written in a slice: element `(i, j)` is `data[i * row_stride + j]`.
///
/// Invariant: that index is in bounds for every `i < rows`, `j < cols`, and `row_stride >= cols`, so no two
/// elements share a place.
pub struct MatMut<'a> {
    data: &'a mut [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
}

impl<'a> MatMut<'a> {
    /// The first `rows x cols` elements of `data`, row-major and dense.
    pub fn new(data: &'a mut [f32], rows: usize, cols: usize) -> Self {
        Self::strided(data, rows, cols, cols)
    }

    /// Rows of `cols` elements, each `row_stride` after the last.
    ///
    /// # Panics
    /// If `data` is too short or rows would overlap.
    pub fn strided(data: &'a mut [f32], rows: usize, cols: usize, row_stride: usize) -> Self {
        assert!(row_stride >= cols, "rows of {cols} overlap at stride {row_stride}");
        assert!(fits(data.len(), rows, cols, row_stride), "{rows} x {cols} exceeds {} elements", data.len());
        MatMut { data, rows, cols, row_stride }
    }
}

/// Whether `rows` rows of `cols` elements, `row_stride` apart, lie within `len` elements.
fn fits(len: usize, rows: usize, cols: usize, row_stride: usize) -> bool {
    if rows == 0 || cols == 0 {
        return true;
    }
    (rows - 1).checked_mul(row_stride).and_then(|start| start.checked_add(cols)).is_some_and(|end| end <= len)
}

/// `c = alpha * a * b + beta * c`; with `beta == 0` the old content of `c` is never read.
///
/// # Panics
/// If the shapes do not fit together.
pub fn gemm(alpha: f32, a: Mat<'_>, b: Mat<'_>, beta: f32, c: MatMut<'_>) {
    assert_eq!(a.cols, b.rows, "inner dimensions differ");
    assert_eq!((a.rows, b.cols), (c.rows, c.cols), "the product has another shape than its output");
    let stride = |s: usize| isize::try_from(s).expect("a stride within a slice fits isize");
    let (a_strides, b_strides) =
        ((stride(a.row_stride), stride(a.col_stride)), (stride(b.row_stride), stride(b.col_stride)));
    let c_stride = stride(c.row_stride);
    // SAFETY: `sgemm` reads `m x k` elements of `a`, `k x n` of `b` and reads or writes `m x n` of `c`, at the
    // given strides. The invariants of `Mat` and `MatMut` put each of those within its slice, and the shape
    // checks above make `m`, `k`, `n` the same for all three. `c` is an exclusive borrow, so it overlaps neither
    // `a` nor `b`, and its elements do not overlap each other.
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.cols,
            b.cols,
            alpha,
            a.data.as_ptr(),
            a_strides.0,
            a_strides.1,
            b.data.as_ptr(),
            b_strides.0,
            b_strides.1,
            beta,
            c.data.as_mut_ptr(),
            c_stride,
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moe::gradcheck::random;

    #[test]
    fn matches_a_plain_loop_for_transposes_and_strides() {
        let (m, k, n, wide) = (5, 7, 3, 11);
        let (a, b) = (random(m * wide, 1), random(n * k, 2));
        let mut c = vec![f32::NAN; m * wide];
        gemm(
            0.5,
            Mat::strided(&a, m, k, wide),
            Mat::new(&b, n, k).t(),
            0.0,
            MatMut::strided(&mut c, m, n, wide),
        );
        for i in 0..m {
            for j in 0..n {
                let sum: f32 = (0..k).map(|x| a[i * wide + x] * b[j * k + x]).sum();
                assert!((c[i * wide + j] - 0.5 * sum).abs() < 1e-5);
            }
            assert!(i + 1 == m || c[i * wide + n].is_nan(), "wrote outside of its columns");
        }
    }

    #[test]
    fn an_empty_inner_dimension_gives_zeros() {
        let mut c = vec![f32::NAN; 4];
        gemm(1.0, Mat::new(&[], 2, 0), Mat::new(&[], 0, 2), 0.0, MatMut::new(&mut c, 2, 2));
        assert_eq!(c, [0.0; 4]);
    }

    #[test]
    #[should_panic(expected = "exceeds")]
    fn a_short_slice_is_refused() {
        let _ = Mat::new(&[0.0; 5], 2, 3);
    }
}
