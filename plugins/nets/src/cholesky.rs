//! Cholesky factors in double precision, and solutions with them.

/// The lower-triangular L with A = L L^T, for a symmetric positive definite A.
#[derive(Clone, Debug)]
pub struct Cholesky {
    size: usize,
    /// Element (i, j) is at `i * size + j`; elements above the diagonal are left over from A and not read.
    factor: Vec<f64>,
}

impl Cholesky {
    /// Factors the matrix, whose lower triangle is read row by row. Returns `None` if it is not positive definite to
    /// working precision.
    ///
    /// # Formula
    ///
    /// L_ij = (A_ij - sum_{k<j} L_ik L_jk) / L_jj below the diagonal, and L_ii is the square root of A_ii - sum_{k<i}
    /// L_ik^2 (Golub and Van Loan, Matrix computations, section 4.2). That difference has an error of up to about i
    /// times the spacing of numbers at A_ii. If it is no greater than this error it is noise, and dividing by its root
    /// would be meaningless.
    ///
    /// # Panics
    ///
    /// Panics if the matrix is not `size` by `size`.
    pub fn new(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        assert_eq!(matrix.len(), size * size, "a matrix of {size} rows");
        for i in 0..size {
            let (above, row) = matrix.split_at_mut(i * size);
            for j in 0..i {
                let other = &above[j * size..][..=j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let square = row[i] - dot(&row[..i], &row[..i]);
            let noise = i as f64 * f64::EPSILON * row[i].abs();
            // Written such that a NaN is refused.
            if !(square > noise && square.is_finite()) {
                return None;
            }
            row[i] = square.sqrt();
        }
        Some(Self { size, factor: matrix })
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns L^-1, lower-triangular, row by row; A^-1 is its transpose times itself.
    ///
    /// # Formula
    ///
    /// Row i is (e_i - sum_{k<i} L_ik row k) / L_ii, with e_i row i of the identity matrix.
    pub fn inverse_factor(&self) -> Vec<f64> {
        let size = self.size;
        let mut inverse = vec![0.0; size * size];
        for i in 0..size {
            let (above, row) = inverse.split_at_mut(i * size);
            let factor = &self.factor[i * size..][..=i];
            for (k, l) in factor[..i].iter().enumerate() {
                for (out, value) in row[..=k].iter_mut().zip(&above[k * size..]) {
                    *out -= l * value;
                }
            }
            row[i] = 1.0;
            row[..=i].iter_mut().for_each(|value| *value /= factor[i]);
        }
        inverse
    }

    /// Replaces b by the x with L^T x = b. If b is standard normal, x has the covariance A^-1.
    ///
    /// # Panics
    ///
    /// Panics if the length of b is not the number of rows.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size, "a right side of {} numbers", self.size);
        for (i, row) in self.factor.chunks_exact(self.size).enumerate().rev() {
            b[i] /= row[i];
            let x = b[i];
            for (b, l) in b[..i].iter_mut().zip(row) {
                *b -= l * x;
            }
        }
    }
}

/// Returns the inner product, added in a fixed order as four independent sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<4>();
    let (b, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Relative tolerance for matrices of at most a dozen rows that are far from singular.
    const TOLERANCE: f64 = 1e-10;

    /// Returns B B^T + I.
    fn positive_definite(b: &[f64], size: usize) -> Vec<f64> {
        let element = |i: usize, j: usize| {
            let sum: f64 = (0..size).map(|k| b[i * size + k] * b[j * size + k]).sum();
            sum + f64::from(u8::from(i == j))
        };
        (0..size * size).map(|at| element(at / size, at % size)).collect()
    }

    proptest! {
        #[test]
        fn the_factor_times_its_transpose_is_the_matrix(
            (size, b, right) in (1usize..12).prop_flat_map(|size| (
                Just(size),
                prop::collection::vec(-1f64..1.0, size * size),
                prop::collection::vec(-1f64..1.0, size),
            )),
        ) {
            let matrix = positive_definite(&b, size);
            let cholesky = Cholesky::new(matrix.clone(), size).unwrap();
            let l = |i: usize, j: usize| if j <= i { cholesky.factor[i * size + j] } else { 0.0 };
            for (at, expected) in matrix.iter().enumerate() {
                let product: f64 = (0..size).map(|k| l(at / size, k) * l(at % size, k)).sum();
                prop_assert!((product - expected).abs() < TOLERANCE * (1.0 + expected.abs()));
            }
            let inverse = cholesky.inverse_factor();
            for at in 0..size * size {
                let product: f64 = (0..size).map(|k| l(at / size, k) * inverse[k * size + at % size]).sum();
                prop_assert!((product - f64::from(u8::from(at / size == at % size))).abs() < TOLERANCE);
            }
            let mut x = right.clone();
            cholesky.solve_transposed(&mut x);
            for (i, expected) in right.iter().enumerate() {
                let product: f64 = (0..size).map(|k| l(k, i) * x[k]).sum();
                prop_assert!((product - expected).abs() < TOLERANCE);
            }
        }
    }

    #[test]
    fn by_hand() {
        let cholesky = Cholesky::new(vec![4.0, 0.0, 2.0, 10.0], 2).unwrap();
        assert_eq!((cholesky.factor[0], cholesky.factor[2], cholesky.factor[3]), (2.0, 1.0, 3.0));
        let mut x = [5.0, 6.0];
        cholesky.solve_transposed(&mut x);
        assert_eq!(x, [1.5, 2.0]);
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        let nearly = [1.0, 0.0, 1.0, 1.0 + f64::EPSILON];
        for matrix in [[1.0, 0.0, 2.0, 4.0], [0.0; 4], [1.0, 0.0, f64::NAN, 1.0], [-1.0, 0.0, 0.0, 1.0], nearly] {
            assert!(Cholesky::new(matrix.to_vec(), 2).is_none(), "{matrix:?}");
        }
    }
}
