//! Vectors of integers for sums of fixed-point numbers and for random bits. A host need not canonicalise any of them.
#![expect(clippy::inline_always, reason = "a vector that passes through memory is as slow as no vector")]

pub use imp::Ints;

use crate::simd::LANES;

/// Vectors of `i32` of the same length as [`Lanes`](crate::simd::Lanes); sums wrap.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod imp {
    use std::arch::wasm32::*;

    use super::LANES;
    use crate::simd::Lanes;

    /// A vector of [`LANES`] integers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(transparent)]
    pub struct Ints(v128);

    impl Ints {
        #[inline(always)]
        pub fn splat(value: i32) -> Self {
            Self(i32x4_splat(value))
        }

        #[inline(always)]
        pub fn from_array(a: [i32; LANES]) -> Self {
            Self(i32x4(a[0], a[1], a[2], a[3]))
        }

        /// Returns the bit patterns of floating-point numbers.
        #[inline(always)]
        pub fn of_bits(lanes: Lanes) -> Self {
            let a = lanes.to_array();
            Self(f32x4(a[0], a[1], a[2], a[3]))
        }

        /// Returns the floating-point numbers with these bit patterns.
        #[inline(always)]
        pub fn to_bits(self) -> Lanes {
            Lanes::from_array([
                f32x4_extract_lane::<0>(self.0),
                f32x4_extract_lane::<1>(self.0),
                f32x4_extract_lane::<2>(self.0),
                f32x4_extract_lane::<3>(self.0),
            ])
        }

        /// Converts to the nearest floating-point numbers.
        #[inline(always)]
        pub fn to_lanes(self) -> Lanes {
            Self(f32x4_convert_i32x4(self.0)).to_bits()
        }

        #[inline(always)]
        pub(super) fn add(self, other: Self) -> Self {
            Self(i32x4_add(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn sub(self, other: Self) -> Self {
            Self(i32x4_sub(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn bitxor(self, other: Self) -> Self {
            Self(v128_xor(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn bitand(self, other: Self) -> Self {
            Self(v128_and(self.0, other.0))
        }

        #[inline(always)]
        pub(super) fn bitor(self, other: Self) -> Self {
            Self(v128_or(self.0, other.0))
        }

        /// Replaces negative numbers by zero.
        #[inline(always)]
        pub fn relu(self) -> Self {
            Self(i32x4_max(self.0, i32x4_splat(0)))
        }

        #[inline(always)]
        pub fn shl<const BY: u32>(self) -> Self {
            Self(i32x4_shl(self.0, BY))
        }

        /// Shifts right, with zeros from the left.
        #[inline(always)]
        pub fn shr<const BY: u32>(self) -> Self {
            Self(u32x4_shr(self.0, BY))
        }

        /// Shifts right, with copies of the sign from the left.
        #[inline(always)]
        pub fn sar<const BY: u32>(self) -> Self {
            Self(i32x4_shr(self.0, BY))
        }
    }
}

/// Portable vectors; as in [`simd`](crate::simd), the compiler turns the arrays into vector instructions.
#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
mod imp {
    use super::LANES;
    use crate::simd::Lanes;

    /// A vector of [`LANES`] integers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    #[repr(C, align(32))]
    pub struct Ints([i32; LANES]);

    impl Ints {
        #[inline(always)]
        fn zip(self, other: Self, f: impl Fn(i32, i32) -> i32) -> Self {
            Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
        }

        #[inline(always)]
        pub fn splat(value: i32) -> Self {
            Self([value; LANES])
        }

        #[inline(always)]
        pub fn from_array(values: [i32; LANES]) -> Self {
            Self(values)
        }

        /// Returns the bit patterns of floating-point numbers.
        #[inline(always)]
        pub fn of_bits(lanes: Lanes) -> Self {
            Self(lanes.to_array().map(|value| value.to_bits().cast_signed()))
        }

        /// Returns the floating-point numbers with these bit patterns.
        #[inline(always)]
        pub fn to_bits(self) -> Lanes {
            Lanes::from_array(self.0.map(|bits| f32::from_bits(bits.cast_unsigned())))
        }

        /// Converts to the nearest floating-point numbers.
        #[inline(always)]
        pub fn to_lanes(self) -> Lanes {
            Lanes::from_array(self.0.map(|value| value as f32))
        }

        #[inline(always)]
        pub(super) fn add(self, other: Self) -> Self {
            self.zip(other, i32::wrapping_add)
        }

        #[inline(always)]
        pub(super) fn sub(self, other: Self) -> Self {
            self.zip(other, i32::wrapping_sub)
        }

        #[inline(always)]
        pub(super) fn bitxor(self, other: Self) -> Self {
            self.zip(other, |a, b| a ^ b)
        }

        #[inline(always)]
        pub(super) fn bitand(self, other: Self) -> Self {
            self.zip(other, |a, b| a & b)
        }

        #[inline(always)]
        pub(super) fn bitor(self, other: Self) -> Self {
            self.zip(other, |a, b| a | b)
        }

        /// Replaces negative numbers by zero.
        #[inline(always)]
        pub fn relu(self) -> Self {
            Self(self.0.map(|a| a.max(0)))
        }

        #[inline(always)]
        pub fn shl<const BY: u32>(self) -> Self {
            Self(self.0.map(|a| a << BY))
        }

        /// Shifts right, with zeros from the left.
        #[inline(always)]
        pub fn shr<const BY: u32>(self) -> Self {
            Self(self.0.map(|a| (a.cast_unsigned() >> BY).cast_signed()))
        }

        /// Shifts right, with copies of the sign from the left.
        #[inline(always)]
        pub fn sar<const BY: u32>(self) -> Self {
            Self(self.0.map(|a| a >> BY))
        }
    }
}

macro_rules! operators {
    ($($trait:ident::$method:ident)+) => {$(
        impl std::ops::$trait for Ints {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Ints::$method(self, other)
            }
        }
    )+};
}

operators!(Add::add Sub::sub BitXor::bitxor BitAnd::bitand BitOr::bitor);
