//! Tiles of a matrix product, and the unchecked access in their inner loop.

use super::Lanes;

/// The left side of a product: a matrix that is read number by number.
#[derive(Clone, Copy)]
pub struct Left<'a, const TRANSPOSED: bool> {
    pub(super) values: &'a [f32],
    pub(super) stride: usize,
}

impl<'a> Left<'a, false> {
    /// A matrix whose element (i, k) is `values[i * stride + k]`.
    pub fn rows(values: &'a [f32], stride: usize) -> Self {
        Self { values, stride }
    }
}

impl<'a> Left<'a, true> {
    /// A matrix whose element (i, k) is `values[k * stride + i]`.
    pub fn columns(values: &'a [f32], stride: usize) -> Self {
        Self { values, stride }
    }
}

impl<const TRANSPOSED: bool> Left<'_, TRANSPOSED> {
    #[inline(always)]
    pub(super) const fn offset(stride: usize, i: usize, k: usize) -> usize {
        if TRANSPOSED { k * stride + i } else { i * stride + k }
    }
}

/// The right side of a product: a matrix that is read vector by vector, with `stride` vectors per row.
#[derive(Clone, Copy)]
pub struct Right<'a> {
    pub values: &'a [Lanes],
    pub stride: usize,
}

/// Terms that the inner loop adds between two tests for its end, which this amortises.
const UNROLLED: usize = 2;

/// Computes rows `i..i + M` and vectors `j..j + N` of the product of `left` and `right` over `depth` terms, added to
/// `start`.
///
/// Each element is a chain of multiply-adds in the order of the terms, whatever M and N are.
///
/// # Panics
///
/// Panics if a matrix ends before the tile does.
#[inline(always)]
pub fn tile<const M: usize, const N: usize, const TRANSPOSED: bool>(
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    (i, j): (usize, usize),
    depth: usize,
    start: [Lanes; N],
) -> [[Lanes; N]; M] {
    let mut sums = [start; M];
    if depth == 0 {
        return sums;
    }
    let offset = Left::<TRANSPOSED>::offset;
    assert!(offset(left.stride, i + M - 1, depth - 1) < left.values.len());
    assert!((depth - 1) * right.stride + j + N <= right.values.len());
    let mut terms = Terms::<M, N> {
        left: left.values[offset(left.stride, i, 0)..].as_ptr(),
        right: right.values[j..].as_ptr(),
        rows: if TRANSPOSED { 1 } else { left.stride },
        step: if TRANSPOSED { left.stride } else { 1 },
        right_step: right.stride,
    };
    // SAFETY: the assertions place the last row of the last term inside both slices, and offsets grow with row and
    // term.
    unsafe {
        for _ in 0..depth / UNROLLED {
            terms.add::<UNROLLED>(&mut sums);
        }
        for _ in 0..depth % UNROLLED {
            terms.add::<1>(&mut sums);
        }
    }
    sums
}

/// The terms of a tile that remain to be added.
struct Terms<const M: usize, const N: usize> {
    left: *const f32,
    right: *const Lanes,
    /// Distance from one row of the left side to the next, and from one term to the next.
    rows: usize,
    step: usize,
    right_step: usize,
}

impl<const M: usize, const N: usize> Terms<M, N> {
    /// Adds the next COUNT terms.
    ///
    /// # Safety
    ///
    /// At least COUNT terms must remain.
    #[inline(always)]
    unsafe fn add<const COUNT: usize>(&mut self, sums: &mut [[Lanes; N]; M]) {
        for k in 0..COUNT {
            let mut row = [Lanes::splat(0.0); N];
            for (n, value) in row.iter_mut().enumerate() {
                // SAFETY: the caller guarantees the term, and a term has N vectors.
                *value = unsafe { *self.right.add(k * self.right_step + n) };
            }
            for (m, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the caller guarantees the term, and a term has M rows.
                let factor = Lanes::splat(unsafe { *self.left.add(m * self.rows + k * self.step) });
                for (sum, value) in sums.iter_mut().zip(row) {
                    *sum = value.mul_add(factor, *sum);
                }
            }
        }
        self.left = self.left.wrapping_add(COUNT * self.step);
        self.right = self.right.wrapping_add(COUNT * self.right_step);
    }
}
