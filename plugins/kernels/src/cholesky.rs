//! Cholesky factors in double precision, by blocks that fit into the cache, and solutions with them.

use std::fmt;

use jointly_sdk::Failure;

use crate::product::{axpy, dot, four, square};
use crate::rows::{Rows, STEP};

/// The jitters that are tried in turn: added to the diagonal, as a share of its mean, until a factor exists.
pub const JITTERS: [f64; 5] = [0.0, 1e-10, 1e-8, 1e-6, 1e-4];

/// Rows that are factored, or solved for, together.
const BLOCK: usize = 64;

/// The error for a matrix that cannot be factored with any of [`JITTERS`] added to its diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive;

impl fmt::Display for NotPositive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a covariance is not positive definite, even with {:e} of its mean on the diagonal", JITTERS[4])
    }
}

impl From<NotPositive> for Failure {
    fn from(error: NotPositive) -> Self {
        Self::Diverged(error.to_string())
    }
}

/// The lower-triangular L with A = L L^T, for a symmetric positive definite A.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// The diagonal of the padded rows is 1; elements above the diagonal are left over from A and not read.
    factor: Rows,
    jitter: f64,
}

impl Cholesky {
    /// Factors the symmetric matrix, with the smallest of [`JITTERS`] that allows it.
    ///
    /// # Errors
    ///
    /// Fails if the matrix is not positive definite even with the largest jitter, or not finite.
    ///
    /// # Panics
    ///
    /// Panics if the matrix is not square.
    pub fn with_jitter(mut matrix: Rows) -> Result<Self, NotPositive> {
        let size = matrix.rows();
        let diagonal: Vec<f64> = (0..size).map(|i| matrix.row(i)[i]).collect();
        let mean = diagonal.iter().sum::<f64>() / size.max(1) as f64;
        for jitter in JITTERS {
            if jitter > 0.0 {
                // The upper triangle still has the elements of the matrix; a copy would double the memory.
                for (i, variance) in diagonal.iter().enumerate() {
                    for j in 0..i {
                        matrix.row_mut(i)[j] = matrix.row(j)[i];
                    }
                    matrix.row_mut(i)[i] = variance + jitter * mean;
                }
            }
            if factor(&mut matrix) {
                return Ok(Self { factor: matrix, jitter });
            }
        }
        Err(NotPositive)
    }

    /// Factors the matrix, whose lower triangle is read. Returns `None` if it is not positive definite to working
    /// precision.
    ///
    /// # Formula
    ///
    /// L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj below the diagonal, and L_ii is the square root of A_ii - sum_{k<i}
    /// L_ik^2 (Golub and Van Loan, Matrix computations, section 4.2), computed for four rows and columns at a time.
    /// That difference has an error of up to about i times the spacing of numbers at A_ii; if it is no greater than
    /// this error it is noise and has no root.
    ///
    /// # Panics
    ///
    /// Panics if the matrix is not square.
    pub fn new(mut matrix: Rows) -> Option<Self> {
        factor(&mut matrix).then_some(Self { factor: matrix, jitter: 0.0 })
    }

    /// Takes a given lower-triangular L, whose diagonal must not have zeros. Elements above the diagonal are not read.
    ///
    /// # Panics
    ///
    /// Panics if the factor is not square.
    pub fn of_factor(mut factor: Rows) -> Self {
        assert_eq!(factor.rows(), factor.cols(), "a square factor");
        pad(&mut factor);
        Self { factor, jitter: 0.0 }
    }

    /// The jitter that was added to the diagonal, as a share of its mean; one of [`JITTERS`].
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Logs the jitter of the factor of `what`, unless it is zero. For the final factor of a fit.
    pub fn log_jitter(&self, what: &str) {
        log_jitter(self.jitter, what);
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.factor.rows()
    }

    /// Returns the logarithm of A's determinant.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.size()).map(|i| libm::log(self.factor.row(i)[i])).sum::<f64>()
    }

    /// Returns L x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size()).map(|i| dot(&self.factor.row(i)[..=i], &x[..=i])).collect()
    }

    /// Replaces b by the x with L x = b.
    ///
    /// # Panics
    ///
    /// Panics if the length of b is not the number of rows.
    pub fn solve_lower(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size(), "a right side of {} numbers", self.size());
        for i in 0..b.len() {
            let row = self.factor.row(i);
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
    }

    /// Replaces b by the x with L^T x = b. If b is standard normal, x has the covariance A^-1.
    ///
    /// # Panics
    ///
    /// Panics if the length of b is not the number of rows.
    pub fn solve_upper(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size(), "a right side of {} numbers", self.size());
        for i in (0..b.len()).rev() {
            let row = self.factor.row(i);
            b[i] /= row[i];
            let (before, rest) = b.split_at_mut(i);
            axpy(-rest[0], &row[..i], before);
        }
    }

    /// Replaces b by the x with A x = b.
    ///
    /// # Panics
    ///
    /// Panics if the length of b is not the number of rows.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// Replaces every row b by the x with L x = b. The bits of a row's solution do not depend on the other rows.
    ///
    /// # Panics
    ///
    /// Panics if the rows do not have as many numbers as A has rows.
    pub fn solve_rows(&self, rows: &mut Rows) {
        self.solve_from(rows, |_| 0);
    }

    /// Returns the transpose of L^-1: row j holds column j of L^-1, which is zero to the left of element j.
    pub fn inverse_factor(&self) -> Rows {
        let mut rows = Rows::from_fn(self.size(), self.size(), |i, j| f64::from(u8::from(i == j)));
        self.solve_from(&mut rows, |row| row);
        rows
    }

    /// Solves for rows that start with zeros: for the four rows from `i` on, the first `first(i)` numbers.
    fn solve_from(&self, rows: &mut Rows, first: impl Fn(usize) -> usize) {
        assert_eq!(rows.cols(), self.size(), "rows of {} numbers", self.size());
        let padded = rows.padded_rows();
        for from in (0..padded).step_by(BLOCK) {
            let to = padded.min(from + BLOCK);
            for j in (first(from)..self.factor.padded_rows()).step_by(STEP) {
                for i in (from..to).step_by(STEP).take_while(|i| first(*i) <= j) {
                    let known = first(i)..j;
                    let sums = square(four(rows, i, known.clone()), four(&self.factor, j, known));
                    for (at, sums) in sums.iter().enumerate() {
                        let mut row = corner_row(rows, i + at, j);
                        for k in 0..STEP {
                            let factor = &self.factor.padded(j + k)[j..];
                            let known: f64 = (0..k).map(|l| row[l] * factor[l]).sum();
                            row[k] = (row[k] - sums[k] - known) / factor[k];
                        }
                        rows.padded_mut(i + at)[j..j + STEP].copy_from_slice(&row);
                    }
                }
            }
        }
    }

    /// Returns A^-1, both triangles.
    pub fn inverse(&self) -> Rows {
        let factor = self.inverse_factor();
        let mut out = Rows::zeros(self.size(), self.size());
        let (padded, stride) = (factor.padded_rows(), factor.stride());
        for from in (0..padded).step_by(BLOCK) {
            let to = padded.min(from + BLOCK);
            for j in (0..to).step_by(STEP) {
                for i in (from.max(j)..to).step_by(STEP) {
                    let sums = square(four(&factor, i, i..stride), four(&factor, j, i..stride));
                    for (at, sums) in sums.into_iter().enumerate() {
                        out.padded_mut(i + at)[j..j + STEP].copy_from_slice(&sums);
                        for (k, sum) in sums.into_iter().enumerate() {
                            out.padded_mut(j + k)[i + at] = sum;
                        }
                    }
                }
            }
        }
        out
    }
}

/// Logs a jitter that is not zero.
pub fn log_jitter(jitter: f64, what: &str) {
    if let Some(line) = line(jitter, what) {
        jointly_sdk::log(&line);
    }
}

fn line(jitter: f64, what: &str) -> Option<String> {
    (jitter > 0.0).then(|| format!("{jitter:e} of its mean was added to the diagonal of {what}"))
}

/// Writes the factor to the lower triangle and the diagonal; returns false if there is none.
fn factor(matrix: &mut Rows) -> bool {
    assert_eq!(matrix.rows(), matrix.cols(), "a square matrix");
    pad(matrix);
    let padded = matrix.padded_rows();
    for from in (0..padded).step_by(BLOCK) {
        let to = padded.min(from + BLOCK);
        for j in (0..to).step_by(STEP) {
            for i in (from.max(j)..to).step_by(STEP) {
                let sums = square(four(matrix, i, 0..j), four(matrix, j, 0..j));
                let mut corner: [[f64; STEP]; STEP] = std::array::from_fn(|at| corner_row(matrix, j + at, j));
                for at in 0..STEP {
                    let mut row = corner_row(matrix, i + at, j);
                    let below = if i == j { at } else { STEP };
                    for k in 0..below {
                        let known: f64 = (0..k).map(|l| row[l] * corner[k][l]).sum();
                        row[k] = (row[k] - sums[at][k] - known) / corner[k][k];
                    }
                    if i == j {
                        let diagonal = row[at];
                        let known: f64 = (0..at).map(|l| row[l] * row[l]).sum();
                        let square = diagonal - sums[at][at] - known;
                        let noise = (i + at) as f64 * f64::EPSILON * diagonal.abs();
                        // Written such that a NaN is refused.
                        if !(square > noise && square.is_finite()) {
                            return false;
                        }
                        row[at] = square.sqrt();
                        corner[at] = row;
                    }
                    matrix.padded_mut(i + at)[j..j + STEP].copy_from_slice(&row);
                }
            }
        }
    }
    true
}

/// Puts ones on the diagonal of the padding, so that it needs no special case.
fn pad(matrix: &mut Rows) {
    for i in matrix.rows()..matrix.padded_rows() {
        matrix.padded_mut(i)[i] = 1.0;
    }
}

fn corner_row(rows: &Rows, i: usize, j: usize) -> [f64; STEP] {
    *rows.padded(i)[j..].first_chunk().expect("four numbers")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::product::times_transposed;

    /// Relative tolerance for matrices that are far from singular.
    const TOLERANCE: f64 = 1e-9;

    fn positive_definite(size: usize, values: &[f64]) -> Rows {
        let b = Rows::from_fn(size, size, |i, j| values[(i * size + j) % values.len()]);
        let product = times_transposed(&b, &b);
        Rows::from_fn(size, size, |i, j| product.row(i)[j] + f64::from(u8::from(i == j)))
    }

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < TOLERANCE * (1.0 + expected.abs())
    }

    proptest! {
        #[test]
        fn factors_solutions_and_inverse_undo_the_matrix(
            size in prop_oneof![0usize..13, 60usize..70, Just(131)],
            values in prop::collection::vec(-1f64..1.0, 211),
        ) {
            let matrix = positive_definite(size, &values);
            let cholesky = Cholesky::new(matrix.clone()).unwrap();
            let l = Rows::from_fn(size, size, |i, j| if j <= i { cholesky.factor.row(i)[j] } else { 0.0 });
            let back = times_transposed(&l, &l);
            let inverse = cholesky.inverse();
            let identity = times_transposed(&inverse, &matrix);
            for i in 0..size {
                for j in 0..size {
                    prop_assert!(near(back.row(i)[j], matrix.row(i)[j]));
                    prop_assert!(near(identity.row(i)[j], f64::from(u8::from(i == j))));
                }
            }
            let right: Vec<f64> = (0..size).map(|i| values[i % 7]).collect();
            let mut rows = Rows::from_fn(3, size, |i, j| right[j] * i as f64);
            cholesky.solve_rows(&mut rows);
            let mut lower = right.clone();
            cholesky.solve_lower(&mut lower);
            prop_assert!(rows.row(1).iter().zip(&lower).all(|(a, b)| near(*a, *b)));
            prop_assert!(cholesky.times(&lower).iter().zip(&right).all(|(a, b)| near(*a, *b)));
            let mut x = right.clone();
            cholesky.solve(&mut x);
            for (i, right) in right.iter().enumerate() {
                prop_assert!(near(dot(matrix.row(i), &x), *right));
            }
        }
    }

    #[test]
    fn by_hand() {
        let matrix = Rows::from_fn(2, 2, |i, j| [[4.0, 2.0], [2.0, 10.0]][i][j]);
        let cholesky = Cholesky::new(matrix).unwrap();
        assert_eq!((cholesky.factor.row(0)[0], cholesky.factor.row(1)), (2.0, &[1.0, 3.0][..]));
        assert!((cholesky.log_det() - 36f64.ln()).abs() < 1e-14);
    }

    #[test]
    fn jitter_helps_what_is_singular_and_nothing_helps_what_is_negative() {
        let ones = Rows::from_fn(9, 9, |_, _| 1.0);
        assert!(Cholesky::new(ones.clone()).is_none());
        let helped = Cholesky::with_jitter(ones).unwrap();
        // The smallest jitter above the rounding errors of nine rows; the factor is that of the matrix with it.
        assert_eq!(helped.jitter(), JITTERS[1]);
        assert!((helped.factor.row(0)[0] - (1.0 + JITTERS[1]).sqrt()).abs() < 1e-15);
        assert_eq!(line(helped.jitter(), "ones").unwrap(), "1e-10 of its mean was added to the diagonal of ones");
        let none = Cholesky::with_jitter(Rows::from_fn(2, 2, |i, j| f64::from(u8::from(i == j)))).unwrap();
        assert_eq!((none.jitter(), line(none.jitter(), "it")), (0.0, None));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let matrix = Rows::from_fn(3, 3, |i, j| if i == j { bad } else { 0.0 });
            assert_eq!(Cholesky::with_jitter(matrix).unwrap_err(), NotPositive);
        }
        assert!(Failure::from(NotPositive).to_string().contains("not positive definite"));
    }
}
