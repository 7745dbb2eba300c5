//! The product underlying the dense algorithms here: c -= a' b, with each element a single plain sum.
//!
//! Element (i, j) subtracts a(k, i) b(k, j) for k = 0, 1, 2, ... in that order; each product is rounded, then each
//! difference. Tiles, panels and threads only group elements, so no bit of the result depends on them or on the width
//! of the CPU's vectors.

use std::ops::Range;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::dense::Dense;

/// The side of a tile: 4 x 4 accumulators fit the sixteen registers of every x86-64.
const SIDE: usize = 4;

/// The number of rows of a and b that are packed at a time, small enough that a strip fits the first-level cache.
pub(super) const PANEL: usize = 64;

/// The number of multiplications that justify a task on another thread: some tens of microseconds.
const TASK: usize = 1 << 17;

/// Rows of a matrix cut into strips of `SIDE` columns, each strip contiguous; columns beyond the last are 0.
pub(super) struct Packed {
    depth: usize,
    width: usize,
    strips: Vec<[f64; SIDE]>,
}

impl Packed {
    /// Packs `width` columns from column `first` of rows that are `stride` long.
    pub(super) fn new(rows: &[f64], stride: usize, first: usize, width: usize) -> Self {
        let depth = rows.len() / stride.max(1);
        let mut strips = vec![[0.0; SIDE]; depth * width.div_ceil(SIDE)];
        for (k, row) in rows.chunks_exact(stride.max(1)).enumerate() {
            for (s, columns) in row[first..first + width].chunks(SIDE).enumerate() {
                strips[s * depth + k][..columns.len()].copy_from_slice(columns);
            }
        }
        Self { depth, width, strips }
    }

    fn strip(&self, s: usize) -> &[[f64; SIDE]] {
        &self.strips[s * self.depth..(s + 1) * self.depth]
    }

    fn count(&self) -> usize {
        self.width.div_ceil(SIDE)
    }
}

/// The elements of c that are computed; the others are unspecified afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    All,
    /// The elements on and above the diagonal of a square c.
    Upper,
}

/// Subtracts a' b from c. Row i of c is `c[i * stride + first..]`, with the width of b.
pub(super) fn subtract_product(a: &Packed, b: &Packed, c: &mut [f64], stride: usize, first: usize, part: Part) {
    debug_assert!(a.depth == b.depth && c.len() == a.width * stride && first + b.width <= stride);
    if b.width == 0 {
        return;
    }
    let least = TASK.div_ceil(SIDE * b.width * a.depth.max(1));
    c.par_chunks_mut(SIDE * stride).with_min_len(least).enumerate().for_each(|(ti, rows)| {
        let start = if part == Part::Upper { ti } else { 0 };
        for tj in start..b.count() {
            let columns = first + tj * SIDE..first + ((tj + 1) * SIDE).min(b.width);
            let mut tile = [[0.0; SIDE]; SIDE];
            for (sums, row) in tile.iter_mut().zip(rows.chunks_exact(stride)) {
                sums[..columns.len()].copy_from_slice(&row[columns.clone()]);
            }
            subtract_tile(&mut tile, a.strip(ti), b.strip(tj));
            for (sums, row) in tile.iter().zip(rows.chunks_exact_mut(stride)) {
                row[columns.clone()].copy_from_slice(&sums[..columns.len()]);
            }
        }
    });
}

/// Subtracts a' b from c, where a is k x n, b is k x m and c is n x m.
pub fn subtract_transposed_product(a: &Dense, b: &Dense, c: &mut Dense) {
    debug_assert!(a.rows() == b.rows() && c.rows() == a.cols() && c.cols() == b.cols());
    let (n, m) = (a.cols(), b.cols());
    for (a, b) in a.values().chunks((PANEL * n).max(1)).zip(b.values().chunks((PANEL * m).max(1))) {
        subtract_product(&Packed::new(a, n, 0, n), &Packed::new(b, m, 0, m), c.values_mut(), m, 0, Part::All);
    }
}

/// Returns a' b over ranges of the columns of one matrix: element (i, j) is the sum over rows k of
/// `m[k][rows.start + i] m[k][cols.start + j]`, in the order of k.
pub(super) fn cross_product(m: &Dense, rows: Range<usize>, cols: Range<usize>) -> Dense {
    let mut product = Dense::zeros(rows.len(), cols.len());
    let part = if rows == cols { Part::Upper } else { Part::All };
    for panel in m.values().chunks((PANEL * m.cols()).max(1)) {
        let a = Packed::new(panel, m.cols(), rows.start, rows.len());
        let b = Packed::new(panel, m.cols(), cols.start, cols.len());
        subtract_product(&a, &b, product.values_mut(), cols.len(), 0, part);
    }
    if part == Part::Upper {
        product.mirror();
    }
    for value in product.values_mut() {
        // Rounding is symmetric, so the negative of the difference is exactly the sum.
        *value = -*value;
    }
    product
}

fn subtract_tile(tile: &mut [[f64; SIDE]; SIDE], a: &[[f64; SIDE]], b: &[[f64; SIDE]]) {
    let mut sums = *tile;
    for (a, b) in a.iter().zip(b) {
        for (row, factor) in sums.iter_mut().zip(a) {
            for (sum, value) in row.iter_mut().zip(b) {
                *sum -= factor * value;
            }
        }
    }
    *tile = sums;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    fn random(rows: usize, cols: usize, index: u64) -> Dense {
        let mut source = stream(0, "test", "product", index);
        Dense::from_fn(rows, cols, |_, _| source.normal())
    }

    #[test]
    fn no_bit_depends_on_tiles_panels_and_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        // The last case is large enough for several threads.
        for (index, (depth, n, m)) in
            [(1, 1, 1), (3, 5, 2), (65, 4, 9), (130, 11, 8), (7, 0, 3), (100, 60, 121)].into_iter().enumerate()
        {
            let a = random(depth, n, 2 * index as u64);
            let b = random(depth, m, 2 * index as u64 + 1);
            // A border on both sides, which must not change.
            let mut c = random(n, m + 2, 99);
            let mut plain = c.clone();
            for k in 0..depth {
                for i in 0..n {
                    for j in 0..m {
                        plain[(i, j + 1)] -= a[(k, i)] * b[(k, j)];
                    }
                }
            }
            for (a, b) in a.values().chunks((PANEL * n).max(1)).zip(b.values().chunks(PANEL * m)) {
                let (a, b) = (Packed::new(a, n, 0, n), Packed::new(b, m, 0, m));
                pool.install(|| subtract_product(&a, &b, c.values_mut(), m + 2, 1, Part::All));
            }
            assert_eq!(c, plain);
        }
    }

    #[test]
    fn a_matrix_times_itself_is_the_plain_sum_in_order() {
        let m = random(150, 13, 7);
        let plain = |rows: Range<usize>, cols: Range<usize>| {
            let sum = |i: usize, j: usize| (0..150).fold(0.0, |sum, k| sum + m[(k, i)] * m[(k, j)]);
            Dense::from_fn(rows.len(), cols.len(), |i, j| sum(rows.start + i, cols.start + j))
        };
        for (rows, cols) in [(0..13, 0..13), (0..4, 4..13), (2..9, 1..3), (0..0, 0..13)] {
            assert_eq!(cross_product(&m, rows.clone(), cols.clone()), plain(rows, cols));
        }
    }
}
