//! Portable vectors of eight. The compiler turns the arrays into vector instructions: one register with AVX, two
//! without.

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

    /// `self * factor + term`, rounded once if the hardware can; a single rounding in software would need a library
    /// call.
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

    /// The larger of each pair; `self` where one of the two is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { b } else { a })
    }

    /// Replaces negative numbers by zero; keeps NaN.
    #[inline(always)]
    pub fn relu(self) -> Self {
        Self(self.0.map(|a| if a < 0.0 { 0.0 } else { a }))
    }

    /// Replaces a number by zero wherever the gate is not positive.
    #[inline(always)]
    pub fn where_positive(self, gate: Self) -> Self {
        self.zip(gate, |a, gate| if gate > 0.0 { a } else { 0.0 })
    }

    /// Replaces a number by zero wherever `one` and `other` differ.
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

/// A vector of [`LANES`](super::LANES) integers.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[repr(C, align(32))]
pub struct Integers([i32; LANES]);

impl Integers {
    #[inline(always)]
    pub fn splat(value: i32) -> Self {
        Self([value; LANES])
    }

    /// Rounds towards zero.
    #[inline(always)]
    pub fn truncate(lanes: Lanes) -> Self {
        Self(lanes.0.map(|value| value as i32))
    }

    /// Converts to the nearest floating-point numbers.
    #[inline(always)]
    pub fn to_lanes(self) -> Lanes {
        Lanes(self.0.map(|value| value as f32))
    }

    /// `self + term` if `minus` is 0, `self - term` if it is -1.
    #[inline(always)]
    pub fn add_signed(self, term: Self, minus: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i].wrapping_add(term.0[i] ^ minus.0[i]).wrapping_sub(minus.0[i])))
    }
}

/// Returns one bit for each of sixteen numbers: 1 if its sign is negative, also for negative zero.
#[inline(always)]
pub fn signs(numbers: [Lanes; SIGNS]) -> u64 {
    super::floats(&numbers).iter().rev().fold(0, |bits, value| bits << 1 | u64::from(value.is_sign_negative()))
}

/// Returns the total of each group of eight sums, added in a fixed order.
#[inline(always)]
pub fn fold(sums: [[Lanes; 1]; NARROW]) -> Lanes {
    let mut totals = [0.0; LANES];
    for (total, [Lanes([a, b, c, d, e, f, g, h])]) in totals.iter_mut().zip(sums) {
        *total = ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
    Lanes(totals)
}

/// Returns one bit for each of up to 64 numbers: 1 if it is not zero.
#[inline(always)]
pub fn nonzero(row: &[Lanes]) -> u64 {
    super::floats(row).iter().rev().fold(0, |bits, value| bits << 1 | u64::from(*value != 0.0))
}

/// Transposes a matrix; both sides are padded with zeros to whole vectors.
///
/// Works tile by tile down the matrix, so that it writes to few lines of the result at a time.
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
