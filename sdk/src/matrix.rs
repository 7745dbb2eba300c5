//! Dense matrices, the form in which numbers cross the interface.

/// A dense row-major matrix of `f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// Creates a matrix of `rows * cols` values, row after row; returns `None` if `values` has another length.
    pub fn new(rows: usize, cols: usize, values: Vec<f32>) -> Option<Self> {
        (rows.checked_mul(cols) == Some(values.len())).then_some(Self { rows, cols, values })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns all values, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns row `i`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }
}

#[cfg(test)]
mod tests {
    use super::Matrix;

    #[test]
    fn rows_are_contiguous_and_shapes_are_checked() {
        let matrix = Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(matrix.row(1), [4.0, 5.0, 6.0]);
        assert_eq!(Matrix::new(2, 3, vec![0.0; 5]), None);
        assert_eq!(Matrix::new(usize::MAX, 2, vec![]), None);
    }
}
