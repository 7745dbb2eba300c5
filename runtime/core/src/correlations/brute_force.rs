//! Dense inverses and determinants by elimination, and random beliefs, for tests.

use super::dense::Dense;
use super::moments::{Moments, SampledFunctions};
use crate::stream::stream;

/// Returns the inverse and ln |det|, by Gauss-Jordan elimination with the largest pivot of each column.
///
/// # Panics
/// When the matrix has no rows.
pub fn inverse(matrix: &Dense) -> (Dense, f64) {
    let n = matrix.rows();
    let mut a = matrix.clone();
    let mut inverse = Dense::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let mut ln_det = 0.0;
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).expect("a pivot");
        for m in [&mut a, &mut inverse] {
            for j in 0..n {
                m.values_mut().swap(k * n + j, p * n + j);
            }
        }
        let pivot = a[(k, k)];
        ln_det += pivot.abs().ln();
        for m in [&mut a, &mut inverse] {
            for j in 0..n {
                m[(k, j)] /= pivot;
            }
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[(i, k)];
            for j in 0..n {
                let (a_kj, inverse_kj) = (a[(k, j)], inverse[(k, j)]);
                a[(i, j)] -= factor * a_kj;
                inverse[(i, j)] -= factor * inverse_kj;
            }
        }
    }
    (inverse, ln_det)
}

/// Returns the bilinear form x' M y.
pub fn bilinear(x: &[f64], matrix: &Dense, y: &[f64]) -> f64 {
    let row = |i| matrix.row(i).iter().zip(y).map(|(m, y)| m * y).sum::<f64>();
    x.iter().enumerate().map(|(i, x)| x * row(i)).sum()
}

/// Returns a belief of `draws` smooth random functions at `rows` places, with noise sds between 0.1 and 0.6.
///
/// # Panics
/// When there are no rows or no draws.
pub fn belief(rows: usize, draws: usize, seed: u64) -> SampledFunctions {
    let mut source = stream(seed, "test", "belief", 0);
    let places: Vec<f64> = (0..rows).map(|_| 3.0 * source.normal()).collect();
    let mut means = Vec::new();
    for _ in 0..draws {
        let waves: Vec<[f64; 3]> = (0..4).map(|_| [(); 3].map(|()| source.normal())).collect();
        let value = |x: &f64| waves.iter().map(|[a, b, c]| a * (b * x + 3.0 * c).sin()).sum::<f64>();
        means.extend(places.iter().map(value));
    }
    let sds: Vec<f64> = (0..rows).map(|_| 0.1 + 0.5 * source.uniform()).collect();
    SampledFunctions::new(rows, &means, &sds.repeat(draws)).expect("functions")
}

/// Returns the moments of [`belief`].
pub fn moments(rows: usize, draws: usize, seed: u64) -> Moments {
    belief(rows, draws, seed).moments()
}

/// Draws standard normal numbers.
pub fn targets(rows: usize, seed: u64) -> Vec<f64> {
    let mut source = stream(seed, "test", "targets", 0);
    (0..rows).map(|_| source.normal()).collect()
}
