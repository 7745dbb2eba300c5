//! Vectors of `f32` and the inner loop of a matrix product: the one file with intrinsics and unchecked access.
//!
//! An element of a result never depends on the lane in which it was computed, so a vector of four in the sandbox and
//! a vector of eight outside it give the same bits wherever both multiply and add with a single rounding.
#![expect(unsafe_code, reason = "a bounds check a load would cost more than the product; `tile` checks once")]
#![expect(clippy::inline_always, reason = "a vector that passes through memory is as slow as no vector")]

use std::ops::{Add, Div, Mul, Sub};

pub use imp::{Integers, Lanes, fold, nonzero, signs, transpose};

/// Numbers in a vector: what the hardware holds in a register.
pub const LANES: usize = imp::LANES;

/// The most columns of a narrow matrix.
pub const NARROW: usize = 4;

/// How many vectors hold the sixteen numbers of [`signs`].
pub const SIGNS: usize = 16 / LANES;

/// How many vectors hold the eight sums of [`fold`].
pub const OCTET: usize = 8 / LANES;

/// How many vectors hold `n` numbers.
pub const fn vectors(n: usize) -> usize {
    n.div_ceil(LANES)
}

/// The sandbox has vectors of four. A host that canonicalises NaNs adds a compare and a select to every arithmetic
/// operation but not to compares, bit operations and moves, so whatever can be one of those is.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod imp {
    use std::arch::wasm32::*;

    use super::{NARROW, SIGNS};

    pub(super) const LANES: usize = 4;

    /// A vector of [`LANES`](super::LANES) numbers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(transparent)]
    pub struct Lanes(v128);

    impl Lanes {
        #[inline(always)]
        pub fn splat(value: f32) -> Self {
            Self(f32x4_splat(value))
        }

        #[inline(always)]
        pub fn from_array(a: [f32; LANES]) -> Self {
            Self(f32x4(a[0], a[1], a[2], a[3]))
        }

        #[inline(always)]
        pub fn to_array(self) -> [f32; LANES] {
            [
                f32x4_extract_lane::<0>(self.0),
                f32x4_extract_lane::<1>(self.0),
                f32x4_extract_lane::<2>(self.0),
                f32x4_extract_lane::<3>(self.0),
            ]
        }

        #[inline(always)]
        pub(super) fn add(self, other: Self) -> Self {
            Self(f32x4_add(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn sub(self, other: Self) -> Self {
            Self(f32x4_sub(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn mul(self, other: Self) -> Self {
            Self(f32x4_mul(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn div(self, other: Self) -> Self {
            Self(f32x4_div(self.0, other.0))
        }

        /// `self * factor + term`, rounded once.
        #[inline(always)]
        pub fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(f32x4_relaxed_madd(self.0, factor.0, term.0))
        }

        #[inline(always)]
        pub fn sqrt(self) -> Self {
            Self(f32x4_sqrt(self.0))
        }

        /// The larger of each pair; `self` where they do not compare.
        #[inline(always)]
        pub fn max(self, other: Self) -> Self {
            Self(f32x4_pmax(self.0, other.0))
        }

        /// Zero in place of what is negative; a NaN stays.
        #[inline(always)]
        pub fn relu(self) -> Self {
            Self(f32x4_pmax(self.0, f32x4_splat(0.0)))
        }

        /// Zero wherever the gate is not positive.
        #[inline(always)]
        pub fn where_positive(self, gate: Self) -> Self {
            Self(v128_and(self.0, f32x4_gt(gate.0, f32x4_splat(0.0))))
        }

        /// Zero wherever the two are not equal.
        #[inline(always)]
        pub fn where_equal(self, one: Self, other: Self) -> Self {
            Self(v128_and(self.0, f32x4_eq(one.0, other.0)))
        }

        #[inline(always)]
        pub fn abs(self) -> Self {
            Self(f32x4_abs(self.0))
        }

        /// `self * 2^n`, where `n` was rounded by adding it to [`ROUND`](super::ROUND).
        #[inline(always)]
        pub fn scale_by_rounded(self, rounded: Self) -> Self {
            Self(i32x4_add(self.0, i32x4_shl(rounded.0, 23)))
        }
    }

    /// A vector of as many integers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(transparent)]
    pub struct Integers(v128);

    impl Integers {
        #[inline(always)]
        pub fn splat(value: i32) -> Self {
            Self(i32x4_splat(value))
        }

        /// What is left of the numbers without their fractions.
        #[inline(always)]
        pub fn truncate(lanes: Lanes) -> Self {
            Self(i32x4_trunc_sat_f32x4(lanes.0))
        }

        /// The nearest numbers.
        #[inline(always)]
        pub fn to_lanes(self) -> Lanes {
            Lanes(f32x4_convert_i32x4(self.0))
        }

        /// `self + term` where `minus` is 0, `self - term` where it is -1.
        #[inline(always)]
        pub fn add_signed(self, term: Self, minus: Self) -> Self {
            Self(i32x4_sub(i32x4_add(self.0, v128_xor(term.0, minus.0)), minus.0))
        }
    }

    /// As the other, which is no arithmetic.
    #[inline(always)]
    pub fn signs([a, b, c, d]: [Lanes; SIGNS]) -> u64 {
        let bits = |lanes: Lanes| u64::from(i32x4_bitmask(lanes.0));
        bits(a) | bits(b) << LANES | bits(c) << (2 * LANES) | bits(d) << (3 * LANES)
    }

    /// As the other, sixteen numbers at a time.
    #[inline(always)]
    pub fn nonzero(row: &[Lanes]) -> u64 {
        let is = |lanes: &Lanes| f32x4_ne(lanes.0, f32x4_splat(0.0));
        let (quads, rest) = row.as_chunks::<4>();
        let rest = rest.iter().rev().fold(0, |bits, lanes| bits << LANES | u64::from(i32x4_bitmask(is(lanes))));
        quads.iter().rev().fold(rest, |bits, [a, b, c, d]| {
            let halves = (i16x8_narrow_i32x4(is(a), is(b)), i16x8_narrow_i32x4(is(c), is(d)));
            bits << 16 | u64::from(i8x16_bitmask(i8x16_narrow_i16x8(halves.0, halves.1)))
        })
    }

    /// As the other, tile by tile: a shuffle is no arithmetic.
    pub fn transpose(weights: &[Lanes], rows: usize, cols: usize, out: &mut [Lanes]) {
        let (from, to) = (cols.div_ceil(LANES), rows.div_ceil(LANES));
        for i in 0..to {
            for j in 0..from {
                let row = |r: usize| (i * LANES + r < rows).then(|| weights[(i * LANES + r) * from + j]);
                let tile = std::array::from_fn(|r| row(r).unwrap_or(Lanes::splat(0.0)));
                let columns = out.chunks_exact_mut(to).skip(j * LANES).take(cols - j * LANES);
                columns.zip(transpose_tile(tile)).for_each(|(out, column)| out[i] = column);
            }
        }
    }

    /// As the other: a sum of halves, then of quarters, and so on.
    #[inline(always)]
    pub fn fold(sums: [[Lanes; 2]; NARROW]) -> Lanes {
        let [a, b, c, d] = transpose_tile(sums.map(|[low, high]| low.add(high)));
        a.add(c).add(b.add(d))
    }

    #[inline(always)]
    fn transpose_tile([a, b, c, d]: [Lanes; LANES]) -> [Lanes; LANES] {
        let (ab, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
        let (cd, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
        [
            Lanes(i64x2_shuffle::<0, 2>(ab, cd)),
            Lanes(i64x2_shuffle::<1, 3>(ab, cd)),
            Lanes(i64x2_shuffle::<0, 2>(ab_high, cd_high)),
            Lanes(i64x2_shuffle::<1, 3>(ab_high, cd_high)),
        ]
    }
}

/// Elsewhere the compiler makes vector instructions of arrays: one register where there is AVX, two where not.
#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
mod imp {
    use super::{NARROW, SIGNS};

    pub(super) const LANES: usize = 8;

    /// A vector of [`LANES`](super::LANES) numbers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(C, align(32))]
    pub struct Lanes([f32; LANES]);

    impl Lanes {
        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
            Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
        }

        #[inline(always)]
        pub fn splat(value: f32) -> Self {
            Self([value; LANES])
        }

        #[inline(always)]
        pub fn from_array(values: [f32; LANES]) -> Self {
            Self(values)
        }

        #[inline(always)]
        pub fn to_array(self) -> [f32; LANES] {
            self.0
        }

        #[inline(always)]
        pub(super) fn add(self, other: Self) -> Self {
            self.zip(other, |a, b| a + b)
        }

        #[inline(always)]
        pub(super) fn sub(self, other: Self) -> Self {
            self.zip(other, |a, b| a - b)
        }

        #[inline(always)]
        pub(super) fn mul(self, other: Self) -> Self {
            self.zip(other, |a, b| a * b)
        }

        #[inline(always)]
        pub(super) fn div(self, other: Self) -> Self {
            self.zip(other, |a, b| a / b)
        }

        /// `self * factor + term`, rounded once where the hardware does so; elsewhere a single rounding would be
        /// a call into the mathematical library.
        #[inline(always)]
        pub fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(std::array::from_fn(|i| {
                if cfg!(target_feature = "fma") {
                    self.0[i].mul_add(factor.0[i], term.0[i])
                } else {
                    self.0[i] * factor.0[i] + term.0[i]
                }
            }))
        }

        #[inline(always)]
        pub fn sqrt(self) -> Self {
            Self(self.0.map(f32::sqrt))
        }

        /// The larger of each pair; `self` where they do not compare.
        #[inline(always)]
        pub fn max(self, other: Self) -> Self {
            self.zip(other, |a, b| if a < b { b } else { a })
        }

        /// Zero in place of what is negative; a NaN stays.
        #[inline(always)]
        pub fn relu(self) -> Self {
            Self(self.0.map(|a| if a < 0.0 { 0.0 } else { a }))
        }

        /// Zero wherever the gate is not positive.
        #[inline(always)]
        pub fn where_positive(self, gate: Self) -> Self {
            self.zip(gate, |a, gate| if gate > 0.0 { a } else { 0.0 })
        }

        /// Zero wherever the two are not equal.
        #[inline(always)]
        pub fn where_equal(self, one: Self, other: Self) -> Self {
            Self(std::array::from_fn(|i| if one.0[i] == other.0[i] { self.0[i] } else { 0.0 }))
        }

        /// `self * 2^n`, where `n` was rounded by adding it to [`ROUND`](super::ROUND).
        #[inline(always)]
        pub fn scale_by_rounded(self, rounded: Self) -> Self {
            self.zip(rounded, |a, n| f32::from_bits(a.to_bits().wrapping_add(n.to_bits() << 23)))
        }

        #[inline(always)]
        pub fn abs(self) -> Self {
            Self(self.0.map(f32::abs))
        }
    }

    /// A vector of as many integers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(C, align(32))]
    pub struct Integers([i32; LANES]);

    impl Integers {
        #[inline(always)]
        pub fn splat(value: i32) -> Self {
            Self([value; LANES])
        }

        /// What is left of the numbers without their fractions.
        #[inline(always)]
        pub fn truncate(lanes: Lanes) -> Self {
            Self(lanes.0.map(|value| value as i32))
        }

        /// The nearest numbers.
        #[inline(always)]
        pub fn to_lanes(self) -> Lanes {
            Lanes(self.0.map(|value| value as f32))
        }

        /// `self + term` where `minus` is 0, `self - term` where it is -1.
        #[inline(always)]
        pub fn add_signed(self, term: Self, minus: Self) -> Self {
            Self(std::array::from_fn(|i| self.0[i].wrapping_add(term.0[i] ^ minus.0[i]).wrapping_sub(minus.0[i])))
        }
    }

    /// A bit for each of sixteen numbers whose sign is negative, a zero's too.
    #[inline(always)]
    pub fn signs(numbers: [Lanes; SIGNS]) -> u64 {
        super::floats(&numbers).iter().rev().fold(0, |bits, value| bits << 1 | u64::from(value.is_sign_negative()))
    }

    /// For each eight sums their total, always in the same order.
    #[inline(always)]
    pub fn fold(sums: [[Lanes; 1]; NARROW]) -> Lanes {
        let mut totals = [0.0; LANES];
        for (total, [Lanes([a, b, c, d, e, f, g, h])]) in totals.iter_mut().zip(sums) {
            *total = ((a + e) + (c + g)) + ((b + f) + (d + h));
        }
        Lanes(totals)
    }

    /// A bit for each number of up to 64 that is not zero.
    #[inline(always)]
    pub fn nonzero(row: &[Lanes]) -> u64 {
        super::floats(row).iter().rev().fold(0, |bits, value| bits << 1 | u64::from(*value != 0.0))
    }

    /// Exchanges the rows and columns of a matrix; both sides are padded with zeros to whole vectors.
    ///
    /// Tile by tile, and down the matrix, so that few lines of the result are written at a time.
    pub fn transpose(weights: &[Lanes], rows: usize, cols: usize, out: &mut [Lanes]) {
        let (from, to) = (cols.div_ceil(LANES), rows.div_ceil(LANES));
        for j in 0..from {
            let columns = (cols - j * LANES).min(LANES);
            for i in 0..to {
                let mut tile = [Lanes::splat(0.0); LANES];
                for (r, row) in tile.iter_mut().enumerate().take(rows - i * LANES) {
                    *row = weights[(i * LANES + r) * from + j];
                }
                for c in 0..columns {
                    out[(j * LANES + c) * to + i] = Lanes(std::array::from_fn(|r| tile[r].0[c]));
                }
            }
        }
    }
}

/// Adding it rounds a small number to an integer, which then sits in the lowest bits of the sum.
pub const ROUND: f32 = 12_582_912.0;

macro_rules! operators {
    ($($trait:ident::$method:ident)+) => {$(
        impl $trait for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes::$method(self, other)
            }
        }
    )+};
}

operators!(Add::add Sub::sub Mul::mul Div::div);

/// The numbers in a row of vectors.
pub fn floats(vectors: &[Lanes]) -> &[f32] {
    // SAFETY: a vector is exactly its numbers, one after the other, and is aligned at least as they are.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * LANES) }
}

/// The numbers in a row of vectors.
pub fn floats_mut(vectors: &mut [Lanes]) -> &mut [f32] {
    // SAFETY: as in `floats`; every pattern of bits is a number.
    unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len() * LANES) }
}

/// A matrix read number by number: the left side of a product.
#[derive(Clone, Copy)]
pub struct Left<'a, const TRANSPOSED: bool> {
    values: &'a [f32],
    stride: usize,
}

impl<'a> Left<'a, false> {
    /// Element (i, k) is `values[i * stride + k]`.
    pub fn rows(values: &'a [f32], stride: usize) -> Self {
        Self { values, stride }
    }
}

impl<'a> Left<'a, true> {
    /// Element (i, k) is `values[k * stride + i]`.
    pub fn columns(values: &'a [f32], stride: usize) -> Self {
        Self { values, stride }
    }
}

impl<const TRANSPOSED: bool> Left<'_, TRANSPOSED> {
    #[inline(always)]
    const fn offset(stride: usize, i: usize, k: usize) -> usize {
        if TRANSPOSED { k * stride + i } else { i * stride + k }
    }
}

/// A matrix read vector by vector, `stride` of them a row: the right side of a product.
#[derive(Clone, Copy)]
pub struct Right<'a> {
    pub values: &'a [Lanes],
    pub stride: usize,
}

/// How many terms the inner loop adds before it tests for its end: the test, and the constants that a canonicalising
/// host loads at the head of a loop, then cost little.
const UNROLLED: usize = 2;

/// Rows `i..i + M` and vectors `j..j + N` of the product of `left` and `right` over `depth` terms, added to `start`.
///
/// Each element is a chain of multiply-adds in the order of the terms, whatever M and N are.
///
/// # Panics
///
/// Where a matrix ends before the tile does.
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
    // SAFETY: the assertions place the last row of the last term inside both slices, and an offset grows with both.
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

/// The terms of a tile that are still to be added.
struct Terms<const M: usize, const N: usize> {
    left: *const f32,
    right: *const Lanes,
    /// From a row of the left side to the next, and from a term to the next.
    rows: usize,
    step: usize,
    right_step: usize,
}

impl<const M: usize, const N: usize> Terms<M, N> {
    /// Adds the next COUNT terms.
    ///
    /// # Safety
    ///
    /// There are so many.
    #[inline(always)]
    unsafe fn add<const COUNT: usize>(&mut self, sums: &mut [[Lanes; N]; M]) {
        for k in 0..COUNT {
            let mut row = [Lanes::splat(0.0); N];
            for (n, value) in row.iter_mut().enumerate() {
                // SAFETY: the caller vouches for the term, and a term has N vectors.
                *value = unsafe { *self.right.add(k * self.right_step + n) };
            }
            for (m, sums) in sums.iter_mut().enumerate() {
                // SAFETY: the caller vouches for the term, and a term has M rows.
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

/// Bits of a word of [`sparse_row`].
pub const WORD: usize = u64::BITS as usize;

/// Vectors `j..j + N` of row `i` of the product of `left` and `right`, added to `start`, with those terms alone whose
/// bit is set: term k is bit `k % 64` of word `k / 64`.
///
/// # Panics
///
/// Where a matrix ends before the terms do.
#[inline(always)]
pub fn sparse_row<const N: usize, const TRANSPOSED: bool>(
    left: Left<'_, TRANSPOSED>,
    right: Right<'_>,
    (i, j): (usize, usize),
    terms: &[u64],
    start: [Lanes; N],
) -> [Lanes; N] {
    let mut sums = start;
    let Some(last) = terms.iter().rposition(|word| *word != 0) else {
        return sums;
    };
    let last = last * WORD + terms[last].ilog2() as usize;
    let offset = Left::<TRANSPOSED>::offset;
    assert!(offset(left.stride, i, last) < left.values.len());
    assert!(last * right.stride + j + N <= right.values.len());
    let mut turn = Turn {
        left: left.values[offset(left.stride, i, 0)..].as_ptr(),
        step: if TRANSPOSED { left.stride } else { 1 },
        right: right.values[j..].as_ptr(),
        right_step: right.stride,
        forced: [Lanes::splat(0.0); N],
    };
    for (w, word) in terms.iter().enumerate() {
        let count = word.count_ones();
        let mut rest = Rest { word: *word, first: w * WORD };
        // SAFETY: the assertions place the last term inside both sides, and an offset grows with the term; there are as
        // many terms as bits.
        unsafe {
            for _ in 0..count / 8 {
                turn.eight(&mut rest, &mut sums);
            }
            if count & 4 != 0 {
                turn.four(&mut rest, &mut sums);
            }
            if count & 2 != 0 {
                turn.two(&mut rest, &mut sums);
            }
            if count & 1 != 0 {
                turn.one(&mut rest, &mut sums);
            }
        }
    }
    sums
}

/// The terms of a word that are still to be added.
struct Rest {
    word: u64,
    first: usize,
}

impl Rest {
    #[inline(always)]
    fn next(&mut self) -> usize {
        let term = self.first + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        term
    }
}

/// Where a sparse row's terms are found.
struct Turn<const N: usize> {
    left: *const f32,
    step: usize,
    right: *const Lanes,
    right_step: usize,
    forced: [Lanes; N],
}

impl<const N: usize> Turn<N> {
    /// Adds the next term.
    ///
    /// The sandbox's compiler loads a loop's sums from memory in every turn, because its head may call the host, and
    /// does so with all vectors of a turn before it adds the first, unless a sum is stored: it then does what the sum
    /// needs. So a turn is of many terms, and each stores its sums, although nobody reads them.
    ///
    /// # Safety
    ///
    /// There is a term, and both sides have it.
    #[inline(always)]
    unsafe fn one(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        let k = rest.next();
        // SAFETY: the caller vouches for the term.
        let (factor, row) = unsafe { (*self.left.add(k * self.step), self.right.add(k * self.right_step)) };
        let factor = Lanes::splat(factor);
        for (n, (sum, forced)) in sums.iter_mut().zip(&mut self.forced).enumerate() {
            // SAFETY: the caller vouches for the term, and a term has N vectors.
            *sum = unsafe { *row.add(n) }.mul_add(factor, *sum);
            if cfg!(target_arch = "wasm32") {
                // SAFETY: it is a reference.
                unsafe { std::ptr::from_mut(forced).write_volatile(*sum) };
            }
        }
    }

    /// As `one`, twice.
    #[inline(always)]
    unsafe fn two(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller vouches for as many.
        unsafe {
            self.one(rest, sums);
            self.one(rest, sums);
        }
    }

    /// As `one`, four times.
    #[inline(always)]
    unsafe fn four(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller vouches for as many.
        unsafe {
            self.two(rest, sums);
            self.two(rest, sums);
        }
    }

    /// As `one`, eight times.
    #[inline(always)]
    unsafe fn eight(&mut self, rest: &mut Rest, sums: &mut [Lanes; N]) {
        // SAFETY: the caller vouches for as many.
        unsafe {
            self.four(rest, sums);
            self.four(rest, sums);
        }
    }
}
