//! Vectors of four for the sandbox.
//!
//! The host makes NaNs canonical where their bits can be seen, by a compare and a select: where arithmetic is stored or
//! its bits are changed, and not within a chain of arithmetic.

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

    /// The larger of each pair; `self` where one of the two is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(f32x4_pmax(self.0, other.0))
    }

    /// Replaces negative numbers by zero; keeps NaN.
    #[inline(always)]
    pub fn relu(self) -> Self {
        Self(f32x4_pmax(self.0, f32x4_splat(0.0)))
    }

    /// Replaces a number by zero wherever the gate is not positive.
    #[inline(always)]
    pub fn where_positive(self, gate: Self) -> Self {
        Self(v128_and(self.0, f32x4_gt(gate.0, f32x4_splat(0.0))))
    }

    /// Replaces a number by zero wherever `one` and `other` differ.
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

/// A vector of [`LANES`](super::LANES) integers.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[repr(transparent)]
pub struct Integers(v128);

impl Integers {
    #[inline(always)]
    pub fn splat(value: i32) -> Self {
        Self(i32x4_splat(value))
    }

    /// Rounds towards zero.
    #[inline(always)]
    pub fn truncate(lanes: Lanes) -> Self {
        Self(i32x4_trunc_sat_f32x4(lanes.0))
    }

    /// Converts to the nearest floating-point numbers.
    #[inline(always)]
    pub fn to_lanes(self) -> Lanes {
        Lanes(f32x4_convert_i32x4(self.0))
    }

    /// `self + term` if `minus` is 0, `self - term` if it is -1.
    #[inline(always)]
    pub fn add_signed(self, term: Self, minus: Self) -> Self {
        Self(i32x4_sub(i32x4_add(self.0, v128_xor(term.0, minus.0)), minus.0))
    }
}

/// Returns the bits of the portable version by a bit mask, which is no arithmetic.
#[inline(always)]
pub fn signs([a, b, c, d]: [Lanes; SIGNS]) -> u64 {
    let bits = |lanes: Lanes| u64::from(i32x4_bitmask(lanes.0));
    bits(a) | bits(b) << LANES | bits(c) << (2 * LANES) | bits(d) << (3 * LANES)
}

/// Returns the bits of the portable version, sixteen numbers at a time.
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

/// Transposes like the portable version, by shuffles of tiles, which are no arithmetic.
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

/// Sums like the portable version: adds halves, then quarters, and so on.
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
