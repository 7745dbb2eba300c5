//! Products in which many factors are zero, as they are after rectified units.
//!
//! A term with a zero factor changes no sum. With vectors of four, a term of a row takes as many multiply-adds as integer
//! operations take to find it, so it pays to find the zeros first. With wider vectors it does not, and all terms are added.
#![expect(clippy::inline_always, reason = "a row's sums stay in registers only where its loop sees them")]

use crate::product::{Target, product, tall_product};
use crate::simd::{LANES, Lanes, Left, Right, WORD, floats, nonzero, sparse_row};

/// Whether vectors are narrow enough to skip zeros.
const PAYS: bool = cfg!(target_arch = "wasm32");

/// The largest number of rows of the result for which the left side is read column by column through the cache.
const TALL: usize = 1024;

/// The smallest number of vectors in a row of the result for which skipping zeros pays.
const MIN_WIDTH: usize = 4;

/// Values of rectified units, `stride` vectors per row.
#[derive(Clone, Copy)]
pub struct Rectified<'a> {
    pub values: &'a [Lanes],
    pub stride: usize,
}

/// The positions of the non-zero numbers of a matrix.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// The number of columns that were searched.
    looked_at: usize,
    by_row: Bits,
    by_column: Bits,
}

/// One bit for each number: `words` words per row, or per column, with the first number in the lowest bit of the first
/// word.
#[derive(Clone, Debug, Default)]
struct Bits {
    words: usize,
    values: Vec<u64>,
}

impl Pattern {
    /// Multiplies like [`product`], with the values as its left side.
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
            self.find(left, target.rows, depth);
            add_terms(&self.by_row, rows, right, start, target, finish);
        } else {
            product(rows, right, depth, start, target, finish);
        }
    }

    /// Multiplies like [`product`], with the transpose of the last [`Pattern::product`]'s left side as its left side.
    /// One more column, of ones, may follow the values. The right side must be as wide as in that product.
    #[inline(always)]
    pub fn transposed_product(&mut self, left: Rectified<'_>, right: Right<'_>, depth: usize, target: Target<'_>) {
        let columns = Left::columns(floats(left.values), left.stride * LANES);
        if PAYS && target.width >= MIN_WIDTH {
            self.transpose(depth, target.rows);
            add_terms(&self.by_column, columns, right, None, target, |sum, _| sum);
        } else if target.rows > TALL {
            tall_product(floats(left.values), left.stride * LANES, right, depth, target);
        } else {
            product(columns, right, depth, None, target, |sum, _| sum);
        }
    }

    /// Adds the product of the transposed values and the right side to the target.
    #[inline(always)]
    pub fn add_transposed_product(&mut self, left: Rectified<'_>, right: Right<'_>, depth: usize, target: Target<'_>) {
        let columns = Left::columns(floats(left.values), left.stride * LANES);
        let add = |sum: Lanes, before: Lanes| before + sum;
        if PAYS && target.width >= MIN_WIDTH {
            self.find(left, depth, target.rows);
            self.transpose(depth, target.rows);
            add_terms(&self.by_column, columns, right, None, target, add);
        } else {
            product(columns, right, depth, None, target, add);
        }
    }

    /// Finds the non-zero numbers in the first `depth` columns, row by row.
    fn find(&mut self, left: Rectified<'_>, rows: usize, depth: usize) {
        self.looked_at = depth;
        let Bits { words, values } = &mut self.by_row;
        *words = depth.div_ceil(WORD);
        values.clear();
        for row in left.values.chunks_exact(left.stride).take(rows) {
            for (w, part) in row.chunks(WORD / LANES).take(*words).enumerate() {
                let beyond = (w * WORD + WORD).saturating_sub(depth);
                values.push(nonzero(part) & (u64::MAX >> beyond));
            }
        }
    }

    /// Transposes the bits of `rows` rows; a column beyond those searched counts as ones.
    fn transpose(&mut self, rows: usize, columns: usize) {
        let Self { looked_at, by_row, by_column } = self;
        by_column.words = rows.div_ceil(WORD);
        by_column.values.clear();
        by_column.values.resize(columns.max(by_row.words * WORD) * by_column.words, 0);
        for b in 0..by_column.words {
            for w in 0..by_row.words {
                let mut block = [0; WORD];
                let found = by_row.values.iter().skip(b * WORD * by_row.words + w).step_by(by_row.words);
                block.iter_mut().zip(found).for_each(|(to, from)| *to = *from);
                transpose_block(&mut block);
                let columns = by_column.values.iter_mut().skip(w * WORD * by_column.words + b);
                columns.step_by(by_column.words).zip(block).for_each(|(to, from)| *to = from);
            }
            let ones = u64::MAX >> (b * WORD + WORD).saturating_sub(rows);
            let beyond = by_column.values.iter_mut().skip(*looked_at * by_column.words + b);
            beyond.step_by(by_column.words).take(columns - *looked_at).for_each(|to| *to = ones);
        }
    }
}

/// Transposes a block of bits: exchanges bit c of word r with bit r of word c, first by halves of the block, then by
/// quarters, and so on.
fn transpose_block(block: &mut [u64; WORD]) {
    let mut width = WORD / 2;
    let mut low = u64::MAX >> width;
    while width > 0 {
        for r in (0..WORD).filter(|r| r & width == 0) {
            let differs = (block[r] >> width ^ block[r + width]) & low;
            block[r] ^= differs << width;
            block[r + width] ^= differs;
        }
        width /= 2;
        low ^= low << width;
    }
}

#[inline(always)]
fn add_terms<const TRANSPOSED: bool>(
    terms: &Bits,
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    start: Option<&[Lanes]>,
    target: Target<'_>,
    finish: impl Fn(Lanes, Lanes) -> Lanes + Copy,
) {
    let Target { out, stride, rows, width } = target;
    for i in 0..rows {
        let out = &mut out[i * stride..][..width];
        let mut row = Row { left, right, i, terms: &terms.values[i * terms.words..][..terms.words], start, out };
        let mut j = 0;
        while j < width {
            j += match width - j {
                7.. => row.band::<7>(j, finish),
                6.. => row.band::<6>(j, finish),
                4.. => row.band::<4>(j, finish),
                2.. => row.band::<2>(j, finish),
                _ => row.band::<1>(j, finish),
            };
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
    /// Computes N vectors from column `j` on and returns N.
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
                pattern.find(left, rows, depth);
                let left = Left::rows(floats(left.values), left.stride * LANES);
                add_terms(&pattern.by_row, left, right, None, target, |sum, _| sum);
            });
            run(&|target| {
                let left = Rectified { values: &by_column, stride: vectors(rows) };
                let mut pattern = Pattern::default();
                pattern.find(left, depth, rows);
                pattern.transpose(depth, rows);
                let left = Left::columns(floats(left.values), left.stride * LANES);
                add_terms(&pattern.by_column, left, right, None, target, |sum, _| sum);
            });
            prop_assert_eq!(&results[0], &results[1]);
            prop_assert_eq!(&results[0], &results[2]);
        }
    }

    #[test]
    fn a_column_beyond_those_looked_at_is_of_ones() {
        // Seventy rows with different numbers of ones, so that both a full and a partial block occur.
        let is_one = |i: usize, k: usize| (i + k).is_multiple_of(3);
        let values = matrix(70, 66, |i, k| f32::from(u8::from(is_one(i, k))));
        let mut pattern = Pattern::default();
        pattern.find(Rectified { values: &values, stride: vectors(66) }, 70, 66);
        pattern.transpose(70, 67);
        let Bits { words, values } = &pattern.by_column;
        for k in 0..67 {
            for i in 0..words * WORD {
                let bit = values[k * words + i / WORD] >> (i % WORD) & 1 == 1;
                assert_eq!(bit, i < 70 && (k == 66 || is_one(i, k)), "row {i}, column {k}");
            }
        }
    }
}
