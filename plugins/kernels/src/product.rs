//! Inner products of rows with rows, from which every larger product is built.
//!
//! The bits of an inner product do not depend on the others that are computed with it. So a draw is one function.

use crate::pair::Pair;
use crate::rows::{Rows, STEP};

/// Rows of the left side that are multiplied with all of the right side at a time; they fit into the cache.
const BLOCK: usize = 64;

/// Returns the inner product; if the lengths differ, that of the common part.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let len = a.len().min(b.len());
    let (a, a_rest) = a[..len].as_chunks::<STEP>();
    let (b, b_rest) = b[..len].as_chunks::<STEP>();
    let mut sum = Pair::zero();
    for (a, b) in a.iter().zip(b) {
        sum = Pair::first(a).mul_add(Pair::first(b), sum);
        sum = Pair::second(a).mul_add(Pair::second(b), sum);
    }
    a_rest.iter().zip(b_rest).fold(sum.sum(), |sum, (a, b)| sum + a * b)
}

/// Adds a multiple of a row to another.
pub fn axpy(factor: f64, row: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(row).for_each(|(to, x)| *to += factor * x);
}

/// Returns the inner products of four rows with two. All rows have the same length, a multiple of [`STEP`]. Eight sums
/// and their six factors are as much as the registers hold.
#[inline]
fn tile(a: [&[f64]; STEP], b: [&[f64]; 2]) -> [[f64; 2]; STEP] {
    let [a0, a1, a2, a3] = a.map(|row| row.as_chunks::<STEP>().0);
    let [b0, b1] = b.map(|row| row.as_chunks::<STEP>().0);
    let mut sums = [[Pair::zero(); 2]; STEP];
    // Zipped, so that no load needs a bounds check.
    for (((((a0, a1), a2), a3), b0), b1) in a0.iter().zip(a1).zip(a2).zip(a3).zip(b0).zip(b1) {
        for part in [Pair::first, Pair::second] {
            let (left, right) = ([part(a0), part(a1), part(a2), part(a3)], [part(b0), part(b1)]);
            for i in 0..STEP {
                for j in 0..2 {
                    sums[i][j] = left[i].mul_add(right[j], sums[i][j]);
                }
            }
        }
    }
    sums.map(|sums| sums.map(Pair::sum))
}

/// Returns the inner products of four rows with four rows, by two tiles that fit into the registers.
#[inline]
pub(crate) fn square(a: [&[f64]; STEP], b: [&[f64]; STEP]) -> [[f64; STEP]; STEP] {
    let [first, second] = [tile(a, [b[0], b[1]]), tile(a, [b[2], b[3]])];
    std::array::from_fn(|i| [first[i][0], first[i][1], second[i][0], second[i][1]])
}

/// Returns A B^T: element (i, j) is the inner product of row i of `a` with row j of `b`.
///
/// # Panics
///
/// Panics if their rows differ in length.
pub fn times_transposed(a: &Rows, b: &Rows) -> Rows {
    assert_eq!(a.cols(), b.cols(), "rows of one length");
    let mut out = Rows::zeros(a.rows(), b.rows());
    for from in (0..a.padded_rows()).step_by(BLOCK) {
        let to = a.padded_rows().min(from + BLOCK);
        for j in (0..b.padded_rows()).step_by(STEP) {
            for i in (from..to).step_by(STEP) {
                let sums = square(four(a, i, 0..a.stride()), four(b, j, 0..a.stride()));
                for (at, sums) in sums.into_iter().enumerate() {
                    out.padded_mut(i + at)[j..j + STEP].copy_from_slice(&sums);
                }
            }
        }
    }
    out
}

/// Returns the numbers in `range` of the four rows from `i` on.
#[inline]
pub(crate) fn four(rows: &Rows, i: usize, range: std::ops::Range<usize>) -> [&[f64]; STEP] {
    std::array::from_fn(|at| &rows.padded(i + at)[range.clone()])
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    fn random(rows: usize, cols: usize, stream: u64) -> Rows {
        let mut rng = Rng::new(3, stream);
        let values: Vec<f64> = (0..rows * cols).map(|_| f64::from(rng.normal())).collect();
        Rows::from_fn(rows, cols, |i, j| values[i * cols + j])
    }

    #[test]
    fn products_are_those_of_plain_loops_and_do_not_depend_on_company() {
        const TOLERANCE: f64 = 1e-12;
        for (m, n, k) in [(0, 3, 2), (1, 1, 1), (5, 7, 9), (70, 6, 13), (3, 130, 4)] {
            let (a, b) = (random(m, k, 0), random(n, k, 1));
            let product = times_transposed(&a, &b);
            for i in 0..m {
                for j in 0..n {
                    let plain: f64 = a.row(i).iter().zip(b.row(j)).map(|(a, b)| a * b).sum();
                    assert!((product.row(i)[j] - plain).abs() < TOLERANCE);
                    let alone = times_transposed(&a.slice(i, i + 1), &b.slice(j, j + 1));
                    assert_eq!(product.row(i)[j].to_bits(), alone.row(0)[0].to_bits());
                }
            }
        }
    }
}
