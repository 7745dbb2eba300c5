//! A dense row-major matrix of `f32`, in which inputs are passed.

use thiserror::Error;

/// The number of values does not match the shape.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a {rows} x {cols} matrix needs {} values, not {found}", *rows as u128 * *cols as u128)]
pub struct ShapeError {
    /// Number of rows claimed.
    pub rows: usize,
    /// Number of columns claimed.
    pub cols: usize,
    /// Number of values given.
    pub found: usize,
}

/// A dense row-major matrix: element (i, j) is `values()[i * cols() + j]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// Wraps `values`, row after row.
    ///
    /// # Errors
    /// When `values` does not hold exactly `rows * cols` numbers.
    pub fn new(rows: usize, cols: usize, values: Vec<f32>) -> Result<Self, ShapeError> {
        if rows.checked_mul(cols) == Some(values.len()) {
            Ok(Self { rows, cols, values })
        } else {
            Err(ShapeError { rows, cols, found: values.len() })
        }
    }

    /// Wraps `values` as rows of `cols` each, for callers that fill whole rows; an incomplete last row is ignored.
    pub fn from_rows(cols: usize, values: Vec<f32>) -> Self {
        debug_assert_eq!(values.len() % cols, 0);
        Self { rows: values.len() / cols, cols, values }
    }

    /// Returns the number of rows, one for each example.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns, one for each feature.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns all elements, row after row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the elements of row `i`.
    ///
    /// # Panics
    /// When there is no row `i`.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Returns the chosen rows, in the given order; a row may occur more than once.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Self { rows: rows.len(), cols: self.cols, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another() {
        let matrix = Matrix::new(2, 3, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(matrix.row(1), [3.0, 4.0, 5.0]);
        assert_eq!((matrix.rows(), matrix.cols()), (2, 3));
    }

    #[test]
    fn rows_are_selected_in_the_order_asked_for() {
        let matrix = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(matrix.select(&[1, 0, 1]), Matrix::new(3, 2, vec![2.0, 3.0, 0.0, 1.0, 2.0, 3.0]).unwrap());
        assert_eq!(matrix.select(&[]), Matrix::new(0, 2, vec![]).unwrap());
    }

    #[test]
    fn a_matrix_may_have_no_rows() {
        assert_eq!(Matrix::new(0, 2, vec![]).unwrap().rows(), 0);
    }

    #[test]
    fn values_must_fill_the_shape() {
        let error = Matrix::new(2, 3, vec![0.0; 5]).unwrap_err();
        assert_eq!(error.to_string(), "a 2 x 3 matrix needs 6 values, not 5");
        assert!(Matrix::new(usize::MAX, 2, vec![]).is_err());
    }
}
