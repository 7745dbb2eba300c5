//! Vectors of `f32` and the inner loop of a matrix product. This is the only file with intrinsics and unchecked access.
//!
//! An element of a result never depends on the lane in which it was computed. So the vectors of four in the sandbox and
//! the vectors of eight outside give the same bits if both round a multiply-add once.
#![expect(unsafe_code, reason = "a bounds check a load would cost more than the product; `tile` checks once")]
#![expect(clippy::inline_always, reason = "a vector that passes through memory is as slow as no vector")]

use std::ops::{Add, Div, Mul, Sub};

#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod sandbox;
mod sparse_row;
mod tile;

#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
use portable as imp;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
use sandbox as imp;

pub use imp::{Integers, Lanes, fold, nonzero, signs, transpose};
pub use sparse_row::{WORD, sparse_row};
pub use tile::{Left, Right, tile};

/// Numbers in a vector: as many as a register of the hardware holds.
pub const LANES: usize = imp::LANES;

/// The largest number of columns of a narrow matrix.
pub const NARROW: usize = 4;

/// Vectors that hold the sixteen numbers of [`signs`].
pub const SIGNS: usize = 16 / LANES;

/// Vectors that hold the eight sums of [`fold`].
pub const OCTET: usize = 8 / LANES;

/// Returns the number of vectors that hold `n` numbers.
pub const fn vectors(n: usize) -> usize {
    n.div_ceil(LANES)
}

/// Adding this constant to a small number rounds it to an integer, which then occupies the lowest bits of the sum.
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

/// Views vectors as their numbers.
pub fn floats(vectors: &[Lanes]) -> &[f32] {
    // SAFETY: a vector consists of exactly its numbers, in order, and is aligned at least as strictly as they are.
    unsafe { std::slice::from_raw_parts(vectors.as_ptr().cast(), vectors.len() * LANES) }
}

/// Views vectors as their numbers, mutably.
pub fn floats_mut(vectors: &mut [Lanes]) -> &mut [f32] {
    // SAFETY: as in `floats`; every bit pattern is a valid number.
    unsafe { std::slice::from_raw_parts_mut(vectors.as_mut_ptr().cast(), vectors.len() * LANES) }
}
