//! Dense matrices in double precision, for products of rows with rows.

use jointly_sdk::Matrix;

/// In memory, numbers of rows and columns are rounded up to a multiple of this, with zeros.
pub const STEP: usize = 4;

/// A row-major matrix of `f64`, padded with zeros to the right and below, so that products need no special case for
/// remainders.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "rows and columns are what a matrix has")]
pub struct Rows {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl Rows {
    /// Makes a matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let len = rows.next_multiple_of(STEP) * cols.next_multiple_of(STEP);
        Self { rows, cols, values: vec![0.0; len] }
    }

    /// Converts the numbers that an agent gets.
    pub fn of(matrix: &Matrix) -> Self {
        Self::from_fn(matrix.rows(), matrix.cols(), |i, j| f64::from(matrix.row(i)[j]))
    }

    /// Makes a matrix element by element.
    pub fn from_fn(rows: usize, cols: usize, element: impl Fn(usize, usize) -> f64) -> Self {
        let mut out = Self::zeros(rows, cols);
        for i in 0..rows {
            for (j, value) in out.row_mut(i).iter_mut().enumerate() {
                *value = element(i, j);
            }
        }
        out
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of rows with padding.
    pub(crate) fn padded_rows(&self) -> usize {
        self.rows.next_multiple_of(STEP)
    }

    /// Distance from one row to the next.
    pub(crate) fn stride(&self) -> usize {
        self.cols.next_multiple_of(STEP)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride()..][..self.cols]
    }

    /// Row `i`, for writing.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let (stride, cols) = (self.stride(), self.cols);
        &mut self.values[i * stride..][..cols]
    }

    /// Row `i` with its padding; `i` may be a row of the padding.
    pub(crate) fn padded(&self, i: usize) -> &[f64] {
        let stride = self.stride();
        &self.values[i * stride..][..stride]
    }

    pub(crate) fn padded_mut(&mut self, i: usize) -> &mut [f64] {
        let stride = self.stride();
        &mut self.values[i * stride..][..stride]
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.rows).map(|i| self.row(i))
    }

    /// Returns rows `from..to`.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        Self::from_fn(to - from, self.cols, |i, j| self.row(from + i)[j])
    }

    /// Returns the transpose.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let mut out = Self::zeros(self.cols, self.rows);
        let stride = out.stride();
        for (i, row) in self.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                out.values[j * stride + i] = *value;
            }
        }
        out
    }

    /// Returns the elements without padding, row by row.
    pub fn to_vec(&self) -> Vec<f64> {
        self.iter().flatten().copied().collect()
    }
}
