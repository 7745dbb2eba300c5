//! The Cholesky factorisation, with the same bits on every CPU, and with bounded jitter that is always reported.

use thiserror::Error;

use super::dense::Dense;
use super::product::{PANEL, Packed, Part, subtract_product};
use crate::stream::Stream;

/// The jitters that are tried in turn until the matrix is positive definite, relative to the mean of the diagonal.
pub const JITTERS: [f64; 8] = [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6];

/// Why a matrix has no factorisation.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum CholeskyError {
    /// The numbers of rows and columns differ.
    #[error("a matrix of {rows} x {cols} is not square")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
    },
    /// The matrix holds an infinity or a NaN.
    #[error("the matrix holds a value that is not finite at ({row}, {col})")]
    NotFinite {
        /// Row of the first such value.
        row: usize,
        /// The column of that value.
        col: usize,
    },
    /// A pivot is not positive, or not larger than its rounding error, even with the largest jitter.
    #[error("the matrix is not positive definite: pivot {pivot} vanishes with {jitter:e} added to the diagonal")]
    NotPositiveDefinite {
        /// The row at which the last attempt failed.
        pivot: usize,
        /// The largest jitter that was added to the diagonal.
        jitter: f64,
    },
}

/// A symmetric positive definite matrix as L L', with L lower triangular.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// L', stored so that the sums run along rows.
    upper: Dense,
    jitter: f64,
}

impl Cholesky {
    /// Factorises `matrix` + jitter I with the smallest jitter of the ladder that makes it positive definite.
    ///
    /// # Formula
    /// L L' = A + j I, where j is the first of [`JITTERS`] times the mean of the diagonal with which every pivot
    /// exceeds n eps times its diagonal element (eps = 2^-52): a smaller pivot is rounding error.
    /// [`jitter`](Self::jitter) is j. Only the upper half of A is read.
    ///
    /// # Errors
    /// When the matrix is not square, holds a value that is not finite, or is not positive definite with the largest
    /// jitter.
    pub fn new(matrix: &Dense) -> Result<Self, CholeskyError> {
        Self::with_ladder(matrix, &JITTERS)
    }

    /// Factorises `matrix` without jitter, for densities, which jitter would distort.
    ///
    /// # Errors
    /// As [`new`](Self::new), with no jitter.
    pub fn exact(matrix: &Dense) -> Result<Self, CholeskyError> {
        Self::with_ladder(matrix, &JITTERS[..1])
    }

    fn with_ladder(matrix: &Dense, ladder: &[f64]) -> Result<Self, CholeskyError> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if rows != cols {
            return Err(CholeskyError::NotSquare { rows, cols });
        }
        if let Some(place) = matrix.values().iter().position(|x| !x.is_finite()) {
            return Err(CholeskyError::NotFinite { row: place / cols, col: place % cols });
        }
        let scale = matrix.diagonal().iter().map(|d| d / rows as f64).sum::<f64>().max(0.0);
        let mut failure = CholeskyError::NotPositiveDefinite { pivot: 0, jitter: 0.0 };
        for rung in ladder {
            let jitter = rung * scale;
            let mut upper = matrix.clone();
            for i in 0..rows {
                upper[(i, i)] += jitter;
            }
            match factorise(&mut upper) {
                Ok(()) => return Ok(Self { upper, jitter }),
                Err(pivot) => failure = CholeskyError::NotPositiveDefinite { pivot, jitter },
            }
        }
        Err(failure)
    }

    /// Returns the jitter that was added to each element of the diagonal; 0 for most matrices.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.upper.rows()
    }

    /// Returns L', upper triangular with zeros below.
    pub fn upper(&self) -> &Dense {
        &self.upper
    }

    /// Returns ln det A, twice the sum of the logarithms of L's diagonal.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.upper.diagonal().iter().map(|&x| libm::log(x)).sum::<f64>()
    }

    /// Replaces b by L^-1 b, where b has a row for each row of L.
    ///
    /// # Panics
    /// When the number of rows differs.
    pub fn half_solve(&self, b: &mut Dense) {
        let (n, m) = (self.rows(), b.cols());
        assert_eq!(b.rows(), n, "one row of the right side for each of the matrix");
        if m == 0 {
            return;
        }
        for start in (0..n).step_by(PANEL) {
            let end = (start + PANEL).min(n);
            let (solved, rest) = b.values_mut().split_at_mut(end * m);
            let panel = &mut solved[start * m..];
            for k in start..end {
                let (row, below) = panel[(k - start) * m..].split_at_mut(m);
                divide(row, self.upper[(k, k)]);
                for (i, other) in (k + 1..end).zip(below.chunks_exact_mut(m)) {
                    subtract_multiple(other, self.upper[(k, i)], row);
                }
            }
            let factor = Packed::new(&self.upper.values()[start * n..end * n], n, end, n - end);
            subtract_product(&factor, &Packed::new(panel, m, 0, m), rest, m, 0, Part::All);
        }
    }

    /// Solves A x = b and returns x = A^-1 b.
    ///
    /// # Panics
    /// When `b` has another length than the matrix has rows.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut column = Dense::new(b.len(), 1, b.to_vec()).expect("one column");
        self.half_solve(&mut column);
        let mut x = column.values().to_vec();
        for i in (0..x.len()).rev() {
            let known = self.upper.row(i)[i + 1..].iter().zip(&x[i + 1..]);
            let value = known.fold(x[i], |sum, (u, x)| sum - u * x);
            x[i] = value / self.upper[(i, i)];
        }
        x
    }

    /// Returns L z, which has covariance A if z is standard normal.
    ///
    /// # Panics
    /// When `z` has another length than the matrix has rows.
    pub fn multiply(&self, z: &[f64]) -> Vec<f64> {
        assert_eq!(z.len(), self.rows(), "one number for each row of the matrix");
        let mut product = vec![0.0; z.len()];
        for (k, z) in z.iter().enumerate() {
            for (sum, u) in product[k..].iter_mut().zip(&self.upper.row(k)[k..]) {
                *sum += z * u;
            }
        }
        product
    }

    /// Draws from N(mean, A).
    ///
    /// # Panics
    /// When `mean` has another length than the matrix has rows.
    pub fn sample(&self, mean: &[f64], stream: &mut Stream) -> Vec<f64> {
        let z: Vec<f64> = (0..self.rows()).map(|_| stream.normal()).collect();
        assert_eq!(mean.len(), z.len(), "one mean for each row of the matrix");
        self.multiply(&z).iter().zip(mean).map(|(deviation, mean)| mean + deviation).collect()
    }
}

/// Replaces the upper half by L' and the rest by zeros; fails with the first bad pivot.
///
/// Element (i, j) subtracts `u_ki u_kj` for k = 0, 1, ... in order: panels of rows are finished one by one, and each is
/// then subtracted from everything below it.
fn factorise(a: &mut Dense) -> Result<(), usize> {
    let n = a.rows();
    let least: Vec<f64> = a.diagonal().iter().map(|d| n as f64 * f64::EPSILON * d).collect();
    for start in (0..n).step_by(PANEL) {
        let end = (start + PANEL).min(n);
        let (above, rest) = a.values_mut().split_at_mut(end * n);
        let panel = &mut above[start * n..];
        for k in start..end {
            let (row, below) = panel[(k - start) * n..].split_at_mut(n);
            if !(row[k] > least[k] && row[k] > 0.0 && row[k].is_finite()) {
                return Err(k);
            }
            let root = row[k].sqrt();
            divide(&mut row[k..], root);
            row[k] = root;
            row[..k].fill(0.0);
            for (i, other) in (k + 1..end).zip(below.chunks_exact_mut(n)) {
                subtract_multiple(&mut other[i..], row[i], &row[i..]);
            }
        }
        let packed = Packed::new(panel, n, end, n - end);
        subtract_product(&packed, &packed, rest, n, end, Part::Upper);
    }
    Ok(())
}

fn divide(row: &mut [f64], divisor: f64) {
    for x in row {
        *x /= divisor;
    }
}

fn subtract_multiple(row: &mut [f64], factor: f64, other: &[f64]) {
    for (x, y) in row.iter_mut().zip(other) {
        *x -= factor * y;
    }
}

#[cfg(test)]
mod tests;
