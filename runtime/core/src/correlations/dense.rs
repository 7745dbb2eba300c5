//! A dense row-major matrix of `f64`, for covariances and correlations.

use std::ops::{Index, IndexMut};

use crate::matrix::ShapeError;

/// A dense row-major matrix: element (i, j) is `values()[i * cols() + j]`, or `matrix[(i, j)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    rows: usize,
    cols: usize,
    values: Vec<f64>,
}

impl Dense {
    /// Wraps `values`, row after row.
    ///
    /// # Errors
    /// When `values` does not hold exactly `rows * cols` numbers.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Result<Self, ShapeError> {
        if rows.checked_mul(cols) == Some(values.len()) {
            Ok(Self { rows, cols, values })
        } else {
            Err(ShapeError { rows, cols, found: values.len() })
        }
    }

    /// Makes a matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, values: vec![0.0; rows * cols] }
    }

    /// Makes a matrix whose element (i, j) is `element(i, j)`, called row by row.
    pub fn from_fn(rows: usize, cols: usize, mut element: impl FnMut(usize, usize) -> f64) -> Self {
        let mut values = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            values.extend((0..cols).map(|j| element(i, j)));
        }
        Self { rows, cols, values }
    }

    /// Makes a symmetric matrix; `element(i, j)` is called only for i <= j.
    pub fn symmetric(rows: usize, mut element: impl FnMut(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(rows, rows);
        for i in 0..rows {
            for j in i..rows {
                matrix[(i, j)] = element(i, j);
            }
        }
        matrix.mirror();
        matrix
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns all elements, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns all elements, row after row, for changes.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Returns the elements of row `i`.
    ///
    /// # Panics
    /// When there is no row `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.cols..(i + 1) * self.cols]
    }

    /// Returns the diagonal: elements (i, i).
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.rows.min(self.cols)).map(|i| self[(i, i)]).collect()
    }

    /// Returns the elements of the chosen rows and columns, in the given order.
    ///
    /// # Panics
    /// When a row or column does not exist.
    #[must_use]
    pub fn block(&self, rows: &[usize], cols: &[usize]) -> Self {
        Self::from_fn(rows.len(), cols.len(), |i, j| self[(rows[i], cols[j])])
    }

    /// Copies the elements above the diagonal of a square matrix to their places below it.
    pub(super) fn mirror(&mut self) {
        debug_assert_eq!(self.rows, self.cols);
        for i in 1..self.rows {
            for j in 0..i {
                self[(i, j)] = self[(j, i)];
            }
        }
    }
}

impl Index<(usize, usize)> for Dense {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        debug_assert!(j < self.cols);
        &self.values[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        debug_assert!(j < self.cols);
        &mut self.values[i * self.cols + j]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_one_another_and_blocks_keep_the_order_chosen() {
        let matrix = Dense::from_fn(2, 3, |i, j| (10 * i + j) as f64);
        assert_eq!(matrix.values(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
        assert_eq!(matrix.row(1), [10.0, 11.0, 12.0]);
        assert_eq!(matrix.block(&[1, 0], &[2, 2]).values(), [12.0, 12.0, 2.0, 2.0]);
        assert_eq!(matrix.diagonal(), [0.0, 11.0]);
    }

    #[test]
    fn the_lower_half_of_a_symmetric_matrix_mirrors_the_upper() {
        let matrix = Dense::symmetric(3, |i, j| (10 * i + j) as f64);
        assert_eq!(matrix.values(), [0.0, 1.0, 2.0, 1.0, 11.0, 12.0, 2.0, 12.0, 22.0]);
    }

    #[test]
    fn values_must_fill_the_shape() {
        assert!(Dense::new(2, 2, vec![0.0; 3]).is_err());
        assert!(Dense::new(usize::MAX, 2, vec![]).is_err());
    }
}
