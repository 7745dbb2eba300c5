//! Products of which half the factors are zero, as they are behind rectified units.
//!
//! A term with a factor of zero changes no sum. Under a host that canonicalises NaNs a multiply-add costs as much as
//! ten operations on integers, so it pays to look for the zeros first; elsewhere it does not, and all terms are added.
#![expect(clippy::inline_always, reason = "a row's sums stay in registers only where its loop sees them")]

use crate::product::{Target, product};
use crate::simd::{LANES, Lanes, Left, Right, WORD, floats, sparse_row};

/// Whether arithmetic is dear enough here.
const PAYS: bool = cfg!(target_arch = "wasm32");

/// The fewest vectors in a row of the result for which it pays.
const MIN_WIDTH: usize = 4;

/// Values of rectified units, `stride` vectors a row.
#[derive(Clone, Copy)]
pub struct Rectified<'a> {
    pub values: &'a [Lanes],
    pub stride: usize,
}

/// Which numbers of a matrix are not zero.
#[derive(Debug, Default)]
pub struct Pattern {
    bits: Vec<u64>,
    /// Words of a row of the product's left side.
    words: usize,
}

impl Pattern {
    /// As [`product`] with the values as its left side.
    #[inline(always)]
    pub fn product(
        &mut self,
        left: Rectified<'_>,
        right: Right<'_>,
        depth: usize,
        start: Option<&[Lanes]>,
        target: Target<'_>,
        finish: impl Fn(Lanes, Lanes) -> Lanes + Copy,
    ) {
        let rows = Left::rows(floats(left.values), left.stride * LANES);
        if PAYS && target.width >= MIN_WIDTH {
            self.find_in_rows(left, target.rows, depth);
            self.add_terms(rows, right, start, target, finish);
        } else {
            product(rows, right, depth, start, target, finish);
        }
    }

    /// As [`product`] with the values, rows and columns exchanged, as its left side.
    #[inline(always)]
    pub fn transposed_product(&mut self, left: Rectified<'_>, right: Right<'_>, depth: usize, target: Target<'_>) {
        let columns = Left::columns(floats(left.values), left.stride * LANES);
        if PAYS && target.width >= MIN_WIDTH {
            self.find_in_columns(left, depth);
            self.add_terms(columns, right, None, target, |sum, _| sum);
        } else {
            product(columns, right, depth, None, target, |sum, _| sum);
        }
    }

    /// Finds the numbers in the first `depth` columns, row by row.
    fn find_in_rows(&mut self, left: Rectified<'_>, rows: usize, depth: usize) {
        self.words = depth.div_ceil(WORD);
        self.bits.clear();
        for row in left.values.chunks_exact(left.stride).take(rows) {
            for (w, part) in row.chunks(WORD / LANES).take(self.words).enumerate() {
                let bits = part.iter().rev().fold(0, |bits, lanes| bits << LANES | lanes.nonzero());
                let beyond = (w * WORD + WORD).saturating_sub(depth);
                self.bits.push(bits & (u64::MAX >> beyond));
            }
        }
    }

    /// Finds the numbers in the first `depth` rows, column by column.
    fn find_in_columns(&mut self, left: Rectified<'_>, depth: usize) {
        self.words = depth.div_ceil(WORD);
        self.bits.clear();
        self.bits.resize(left.stride * LANES * self.words, 0);
        for (k, row) in left.values.chunks_exact(left.stride).take(depth).enumerate() {
            for (lanes, columns) in row.iter().zip(self.bits.chunks_exact_mut(LANES * self.words)) {
                let bits = lanes.nonzero();
                for c in 0..LANES {
                    columns[c * self.words + k / WORD] |= (bits >> c & 1) << (k % WORD);
                }
            }
        }
    }

    #[inline(always)]
    fn add_terms<const TRANSPOSED: bool>(
        &self,
        left: Left<'_, TRANSPOSED>,
        right: Right<'_>,
        start: Option<&[Lanes]>,
        target: Target<'_>,
        finish: impl Fn(Lanes, Lanes) -> Lanes + Copy,
    ) {
        let Target { out, stride, rows, width } = target;
        for i in 0..rows {
            let out = &mut out[i * stride..][..width];
            let mut row = Row { left, right, i, terms: &self.bits[i * self.words..][..self.words], start, out };
            let mut j = 0;
            while j < width {
                j += match width - j {
                    13.. => row.band::<13>(j, finish),
                    8.. => row.band::<8>(j, finish),
                    4.. => row.band::<4>(j, finish),
                    2.. => row.band::<2>(j, finish),
                    _ => row.band::<1>(j, finish),
                };
            }
        }
    }
}

/// One row of a product.
struct Row<'a, const TRANSPOSED: bool> {
    left: Left<'a, TRANSPOSED>,
    right: Right<'a>,
    i: usize,
    terms: &'a [u64],
    start: Option<&'a [Lanes]>,
    out: &'a mut [Lanes],
}

impl<const TRANSPOSED: bool> Row<'_, TRANSPOSED> {
    /// N vectors from column `j` on; returns how many these were.
    #[inline(always)]
    fn band<const N: usize>(&mut self, j: usize, finish: impl Fn(Lanes, Lanes) -> Lanes) -> usize {
        let mut start = [Lanes::splat(0.0); N];
        if let Some(biases) = self.start {
            start.copy_from_slice(&biases[j..j + N]);
        }
        let sums = sparse_row(self.left, self.right, (self.i, j), self.terms, start);
        for (out, sum) in self.out[j..j + N].iter_mut().zip(sums) {
            *out = finish(sum, *out);
        }
        N
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::{floats_mut, vectors};

    prop_compose! {
        fn case()(depth in 0usize..150, cols in 1usize..60, rows in 1usize..20)(
            left in prop::collection::vec((-1f32..1.0).prop_map(|value| value.max(0.0)), rows * depth),
            right in prop::collection::vec(-1f32..1.0, depth * cols),
            shape in Just((rows, depth, cols)),
        ) -> (Vec<f32>, Vec<f32>, (usize, usize, usize)) {
            (left, right, shape)
        }
    }

    fn matrix(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f32) -> Vec<Lanes> {
        let stride = vectors(cols).max(1);
        let mut matrix = vec![Lanes::splat(0.0); rows * stride];
        for (i, row) in floats_mut(&mut matrix).chunks_exact_mut(stride * LANES).enumerate() {
            row.iter_mut().take(cols).enumerate().for_each(|(j, out)| *out = value(i, j));
        }
        matrix
    }

    proptest! {
        #[test]
        fn leaving_out_zeros_changes_no_bit((left, right, (rows, depth, cols)) in case()) {
            let width = vectors(cols);
            let right_vectors = matrix(depth, cols, |k, j| right[k * cols + j]);
            let right = Right { values: &right_vectors, stride: width };
            let by_row = matrix(rows, depth, |i, k| left[i * depth + k]);
            let by_column = matrix(depth, rows, |k, i| left[i * depth + k]);
            let mut results = Vec::new();
            let mut run = |multiply: &dyn Fn(Target<'_>)| {
                let mut out = vec![Lanes::splat(0.0); rows * width];
                multiply(Target { out: &mut out, stride: width, rows, width });
                results.push(floats(&out).to_vec());
            };
            let dense = Left::rows(&left, depth);
            run(&|target| product(dense, right, depth, None, target, |sum, _| sum));
            run(&|target| {
                let left = Rectified { values: &by_row, stride: vectors(depth).max(1) };
                let mut pattern = Pattern::default();
                pattern.find_in_rows(left, rows, depth);
                let left = Left::rows(floats(left.values), left.stride * LANES);
                pattern.add_terms(left, right, None, target, |sum, _| sum);
            });
            run(&|target| {
                let left = Rectified { values: &by_column, stride: vectors(rows) };
                let mut pattern = Pattern::default();
                pattern.find_in_columns(left, depth);
                let left = Left::columns(floats(left.values), left.stride * LANES);
                pattern.add_terms(left, right, None, target, |sum, _| sum);
            });
            prop_assert_eq!(&results[0], &results[1]);
            prop_assert_eq!(&results[0], &results[2]);
        }
    }
}
