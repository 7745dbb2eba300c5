//! Matrix products in tiles that fit into registers.
#![expect(clippy::inline_always, reason = "a tile's sums stay in registers only where its loop sees them")]

use crate::simd::{Lanes, Left, NARROW, OCTET, Right, fold, tile};

/// The output of a product: `out[i * stride + j]`; `width` vectors in each of `rows` rows are written.
pub struct Target<'a> {
    pub out: &'a mut [Lanes],
    pub stride: usize,
    pub rows: usize,
    pub width: usize,
}

/// Computes `out[i][j] = finish(start[j] + sum_k left[i][k] * right[k][j], out[i][j])` over `depth` terms; without
/// `start`, sums start at zero.
///
/// A row of the result depends on the same row of `left` alone: its bits do not change with the number of rows.
///
/// # Panics
///
/// Panics if a matrix is too small.
#[inline(always)]
pub fn product<const TRANSPOSED: bool>(
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    depth: usize,
    start: Option<&[Lanes]>,
    target: Target<'_>,
    finish: impl Fn(Lanes, Lanes) -> Lanes + Copy,
) {
    let mut product = Product { left, right, depth, start, target, finish };
    let mut j = 0;
    // In the sandbox, tiles of three vectors are no faster.
    if !cfg!(target_arch = "wasm32") {
        j = product.columns::<4, 3>(j);
    }
    j = product.columns::<4, 2>(j);
    product.columns::<8, 1>(j);
}

/// Rows of the result that are computed together if the left side does not fit into the cache.
const TALL: usize = 16;

/// Gives the same bits as [`product`] without `start` and with the left side read by columns. With many rows, the left
/// side passes through the cache only once.
///
/// # Panics
///
/// Panics under the conditions of [`product`].
#[inline(always)]
pub fn tall_product(values: &[f32], stride: usize, right: Right<'_>, depth: usize, target: Target<'_>) {
    let Target { out, stride: step, rows, width } = target;
    for from in (0..rows).step_by(TALL) {
        let rows = TALL.min(rows - from);
        let target = Target { out: &mut out[from * step..], stride: step, rows, width };
        let left = Left::columns(&values[from.min(values.len())..], stride);
        product(left, right, depth, None, target, |sum, _| sum);
    }
}

/// Computes `out[i][k] = sum_j left[i][j] * columns[k][j]` for at most [`NARROW`] columns. Rows of `left` and columns
/// have `stride` vectors each. As the right side is narrow, the lanes of a vector hold terms of a sum.
///
/// As in [`product`], a row depends on the same row of `left` alone. Each sum is the total of eight sums, each of every
/// eighth term.
///
/// # Panics
///
/// Panics if there are too many columns, or if the target is wider than one vector.
pub fn narrow(left: &[Lanes], stride: usize, columns: &[Lanes], target: Target<'_>) {
    match columns.len() / stride {
        0 | 1 => narrow_rows::<1>(left, stride, columns, target),
        2 => narrow_rows::<2>(left, stride, columns, target),
        3 => narrow_rows::<3>(left, stride, columns, target),
        _ => narrow_rows::<NARROW>(left, stride, columns, target),
    }
}

fn narrow_rows<const K: usize>(left: &[Lanes], stride: usize, columns: &[Lanes], target: Target<'_>) {
    let Target { out, stride: step, rows, width } = target;
    assert!(columns.len() == K * stride && width == 1);
    let columns: [&[Lanes]; K] = std::array::from_fn(|k| &columns[k * stride..][..stride]);
    let columns = columns.map(<[Lanes]>::as_chunks::<OCTET>);
    for (row, out) in left.chunks_exact(stride).zip(out.chunks_exact_mut(step)).take(rows) {
        let mut sums = [[Lanes::splat(0.0); OCTET]; NARROW];
        let (octets, rest) = row.as_chunks::<OCTET>();
        for (i, octet) in octets.iter().enumerate() {
            for (sums, (columns, _)) in sums.iter_mut().zip(&columns) {
                for (sum, (value, weight)) in sums.iter_mut().zip(octet.iter().zip(&columns[i])) {
                    *sum = value.mul_add(*weight, *sum);
                }
            }
        }
        for (sums, (_, columns)) in sums.iter_mut().zip(&columns) {
            for (sum, (value, weight)) in sums.iter_mut().zip(rest.iter().zip(*columns)) {
                *sum = value.mul_add(*weight, *sum);
            }
        }
        out[0] = fold(sums);
    }
}

/// Computes one of the last tiles apart from what finishes it, so that its loop is compiled once for each shape and not for
/// each `finish`.
#[inline(never)]
fn last_tile<const M: usize, const N: usize, const TRANSPOSED: bool>(
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    place: (usize, usize),
    depth: usize,
    start: [Lanes; N],
) -> [[Lanes; N]; M] {
    tile(left, right, place, depth, start)
}

struct Product<'a, F, const TRANSPOSED: bool> {
    left: Left<'a, TRANSPOSED>,
    right: Right<'a>,
    depth: usize,
    start: Option<&'a [Lanes]>,
    target: Target<'a>,
    finish: F,
}

impl<F: Fn(Lanes, Lanes) -> Lanes + Copy, const TRANSPOSED: bool> Product<'_, F, TRANSPOSED> {
    /// Computes as many bands of N vectors as fit from column `j` on, and returns where they end.
    #[inline(always)]
    fn columns<const M: usize, const N: usize>(&mut self, mut j: usize) -> usize {
        while j + N <= self.target.width {
            let i = self.rows::<M, N, false>(0, j);
            let i = if M > 4 { self.rows::<4, N, true>(i, j) } else { i };
            match self.target.rows - i {
                1 => self.rows::<1, N, true>(i, j),
                2 => self.rows::<2, N, true>(i, j),
                _ => self.rows::<3, N, true>(i, j),
            };
            j += N;
        }
        j
    }

    /// Computes as many tiles of M rows as fit from row `i` on, and returns where they end. The last tiles, which are fewer
    /// and smaller, cost a call each.
    #[inline(always)]
    fn rows<const M: usize, const N: usize, const LAST: bool>(&mut self, mut i: usize, j: usize) -> usize {
        let start = std::array::from_fn(|n| self.start.map_or(Lanes::splat(0.0), |start| start[j + n]));
        while i + M <= self.target.rows {
            let (left, right, depth) = (self.left, self.right, self.depth);
            let sums: [[Lanes; N]; M] = if LAST {
                last_tile(left, right, (i, j), depth, start)
            } else {
                tile(left, right, (i, j), depth, start)
            };
            for (m, sums) in sums.into_iter().enumerate() {
                let from = (i + m) * self.target.stride + j;
                let out = &mut self.target.out[from..from + N];
                for (out, sum) in out.iter_mut().zip(sums) {
                    *out = (self.finish)(sum, *out);
                }
            }
            i += M;
        }
        i
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::{LANES, floats, floats_mut, vectors};

    /// Tolerance for sums of at most 40 products of numbers below 1.
    const TOLERANCE: f32 = 1e-5;

    fn matrix(values: &[f32], rows: usize, cols: usize) -> Vec<Lanes> {
        let stride = vectors(cols);
        let mut matrix = vec![Lanes::splat(0.0); rows * stride];
        for i in 0..rows {
            floats_mut(&mut matrix)[i * stride * LANES..][..cols].copy_from_slice(&values[i * cols..][..cols]);
        }
        matrix
    }

    prop_compose! {
        fn case()(rows in 1usize..20, depth in 0usize..40, cols in 1usize..40)(
            left in prop::collection::vec(-1f32..1.0, rows * depth),
            right in prop::collection::vec(-1f32..1.0, depth * cols),
            start in prop::collection::vec(-1f32..1.0, cols),
            shape in Just((rows, depth, cols)),
        ) -> (Vec<f32>, Vec<f32>, Vec<f32>, (usize, usize, usize)) {
            (left, right, start, shape)
        }
    }

    proptest! {
        #[test]
        fn agrees_with_three_loops((left, right, start, (rows, depth, cols)) in case()) {
            let width = vectors(cols);
            let starts = matrix(&start, 1, cols);
            let right_vectors = matrix(&right, depth, cols);
            let columns: Vec<f32> = (0..depth * rows).map(|at| left[at % rows * depth + at / rows]).collect();
            let run = |transposed: bool, rows: usize| {
                let mut out = vec![Lanes::splat(0.0); rows * width];
                let right = Right { values: &right_vectors, stride: width };
                let target = Target { out: &mut out, stride: width, rows, width };
                if transposed {
                    product(Left::columns(&columns, columns.len() / depth.max(1)), right, depth, Some(&starts), target, |sum, _| sum);
                } else {
                    product(Left::rows(&left, depth), right, depth, Some(&starts), target, |sum, _| sum);
                }
                floats(&out).to_vec()
            };
            let out = run(false, rows);
            for i in 0..rows {
                for j in 0..cols {
                    let expected = start[j] + (0..depth).map(|k| left[i * depth + k] * right[k * cols + j]).sum::<f32>();
                    prop_assert!((out[i * width * LANES + j] - expected).abs() < TOLERANCE);
                }
            }
            prop_assert_eq!(&out, &run(true, rows));
            for fewer in 1..rows {
                prop_assert_eq!(&out[..fewer * width * LANES], &run(false, fewer)[..]);
            }
        }

        #[test]
        fn narrow_products_agree_with_three_loops((left, right, _, (rows, depth, cols)) in case()) {
            prop_assume!(depth > 0);
            let (columns, stride) = (cols.min(NARROW), vectors(depth));
            let lefts = matrix(&left, rows, depth);
            let by_column: Vec<f32> = (0..columns * depth).map(|at| right[at % depth * cols + at / depth]).collect();
            let by_column = matrix(&by_column, columns, depth);
            let run = |from: usize, rows: usize| {
                let mut out = vec![Lanes::splat(f32::NAN); 2 * rows];
                let target = Target { out: &mut out, stride: 2, rows, width: 1 };
                narrow(&lefts[from * stride..], stride, &by_column, target);
                floats(&out).to_vec()
            };
            let out = run(0, rows);
            for i in 0..rows {
                for k in 0..columns {
                    let expected = (0..depth).map(|j| left[i * depth + j] * right[j * cols + k]).sum::<f32>();
                    prop_assert!((out[2 * i * LANES + k] - expected).abs() < TOLERANCE);
                }
                prop_assert_eq!(&out[2 * i * LANES..][..columns], &run(i, 1)[..columns]);
            }
        }
    }
}
