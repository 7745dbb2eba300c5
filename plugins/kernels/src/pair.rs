//! Pairs of numbers, as many as a register of the sandbox holds.

pub use imp::Pair;

/// The sandbox multiplies and adds in one operation, which halves the number of results that a host that canonicalises
/// NaNs has to check.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod imp {
    use std::arch::wasm32::{f64x2, f64x2_extract_lane, f64x2_relaxed_madd, f64x2_splat, v128};

    /// A pair of numbers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    pub struct Pair(v128);

    impl Pair {
        /// A pair of zeros.
        #[inline]
        pub fn zero() -> Self {
            Self(f64x2_splat(0.0))
        }

        /// The first two of four numbers.
        #[inline]
        pub fn first(numbers: &[f64; 4]) -> Self {
            Self(f64x2(numbers[0], numbers[1]))
        }

        /// The last two of four numbers.
        #[inline]
        pub fn second(numbers: &[f64; 4]) -> Self {
            Self(f64x2(numbers[2], numbers[3]))
        }

        /// Returns `self * factor + term`.
        #[inline]
        pub fn mul_add(self, factor: Self, term: Self) -> Self {
            Self(f64x2_relaxed_madd(self.0, factor.0, term.0))
        }

        /// Returns the first number plus the second.
        #[inline]
        pub fn sum(self) -> f64 {
            f64x2_extract_lane::<0>(self.0) + f64x2_extract_lane::<1>(self.0)
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
mod imp {
    /// A pair of numbers.
    #[derive(Clone, Copy, Debug)]
    #[must_use]
    pub struct Pair([f64; 2]);

    impl Pair {
        /// A pair of zeros.
        #[inline]
        pub fn zero() -> Self {
            Self([0.0; 2])
        }

        /// The first two of four numbers.
        #[inline]
        pub fn first(numbers: &[f64; 4]) -> Self {
            Self([numbers[0], numbers[1]])
        }

        /// The last two of four numbers.
        #[inline]
        pub fn second(numbers: &[f64; 4]) -> Self {
            Self([numbers[2], numbers[3]])
        }

        /// Returns `self * factor + term`.
        #[inline]
        pub fn mul_add(self, factor: Self, term: Self) -> Self {
            // Without the instruction, a single rounding would need a library call.
            if cfg!(target_feature = "fma") {
                let each = |i: usize| self.0[i].mul_add(factor.0[i], term.0[i]);
                return Self([each(0), each(1)]);
            }
            Self([self.0[0] * factor.0[0] + term.0[0], self.0[1] * factor.0[1] + term.0[1]])
        }

        /// Returns the first number plus the second.
        #[inline]
        pub fn sum(self) -> f64 {
            self.0[0] + self.0[1]
        }
    }
}
