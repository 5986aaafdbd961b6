//! The model's own tensor: a buffer and its shape.

use streamlease::{Buffer, Context, Result};

/// A row-major matrix on the device. Any struct around a [`Buffer`] does; this one is all that the model needs.
#[derive(Debug)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub cols: usize,
    /// The `rows * cols` elements.
    pub data: Buffer<f32>,
}

impl Matrix {
    /// A matrix of arbitrary content.
    pub fn empty(cx: &impl Context, rows: usize, cols: usize) -> Result<Self> {
        Ok(Matrix { rows, cols, data: cx.empty(rows * cols)? })
    }

    /// A matrix of zeros.
    pub fn zeros(cx: &impl Context, rows: usize, cols: usize) -> Result<Self> {
        Ok(Matrix { rows, cols, data: cx.zeros(rows * cols)? })
    }

    /// A matrix with a copy of `values`.
    ///
    /// # Panics
    /// If there are not `rows * cols` values.
    pub fn upload(cx: &impl Context, rows: usize, cols: usize, values: Vec<f32>) -> Result<Self> {
        assert_eq!(values.len(), rows * cols, "values of a {rows} x {cols} matrix");
        Ok(Matrix { rows, cols, data: cx.upload(values)? })
    }

    /// A matrix of arbitrary content and of the shape of `self`.
    pub fn like(&self, cx: &impl Context) -> Result<Self> {
        Self::empty(cx, self.rows, self.cols)
    }
}
