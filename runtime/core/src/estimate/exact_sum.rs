//! Sums of probabilities without rounding, so that neither order nor grouping changes a bit.

use super::MAX_DRAWS;

/// Binades that share one level: a 24-bit significand in any of them fits 45 bits of the level's grid.
const BINADES: i32 = 22;
/// The number of levels, enough to reach the smallest positive `f32`, 2^-149.
const LEVELS: usize = 7;
/// The number of bits after the binary point on the grid of level 0.
const GRID: i32 = 45;

/// Adding 2^7 brings an `f64` to the binade whose unit in the last place is 2^-45.
const BIAS: f64 = 128.0;
/// 2^45, the grid of level 0.
const SCALE: f64 = 35_184_372_088_832.0;

/// The exact sum of up to [`MAX_DRAWS`] probabilities, each an `f32` in [0, 1].
///
/// # Formula
/// A probability in [2^-22(l+1), 2^-22l) is an integer multiple of 2^-(45+22l), below 2^45 times it, so 2^18 of them
/// fit a `u64`: level l of seven counts these multiples. The value combines the levels from the smallest up, in `f64`;
/// a sum of n times the same probability is n p exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactSum([u64; LEVELS]);

impl ExactSum {
    /// Adds `count` times `p`.
    ///
    /// # Panics
    /// In a debug build, when `p` is not in [0, 1] or `count` exceeds [`MAX_DRAWS`].
    pub fn add(&mut self, p: f32, count: u64) {
        debug_assert!((0.0..=1.0).contains(&p) && count <= MAX_DRAWS);
        let p = f64::from(p);
        // An f64 holds every f32 as a normal number, and zero falls on the last level.
        let binade = (p.to_bits() >> 52) as i32 - 1023;
        let level = (((-binade).max(1) - 1) / BINADES).min(LEVELS as i32 - 1);
        self.0[level as usize] += (p * power_of_two(GRID + BINADES * level)) as u64 * count;
    }

    /// Returns the sum, rounded to `f64`.
    pub fn value(self) -> f64 {
        let levels = (0..LEVELS as i32).rev();
        levels.fold(0.0, |sum, level| sum + self.0[level as usize] as f64 * power_of_two(-(GRID + BINADES * level)))
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Adds `count` times each of `probs`, all at least 2^-22, to sums that need only level 0 of the grid.
///
/// It has no branch, because this is the innermost loop of the partition estimate.
pub(super) fn add_clipped(sums: &mut [u64], probs: &[f32], count: u64) {
    let units = |p: f32| (f64::from(p) + BIAS).to_bits() - BIAS.to_bits();
    if count == 1 {
        for (sum, &p) in sums.iter_mut().zip(probs) {
            *sum += units(p);
        }
    } else {
        for (sum, &p) in sums.iter_mut().zip(probs) {
            *sum += units(p) * count;
        }
    }
}

/// Returns the value of a sum made by [`add_clipped`].
pub(super) fn clipped_value(sum: u64) -> f64 {
    sum as f64 / SCALE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum_of(probs: &[f32]) -> ExactSum {
        let mut sum = ExactSum::default();
        for &p in probs {
            sum.add(p, 1);
        }
        sum
    }

    #[test]
    fn the_extremes_of_f32_are_exact() {
        for p in [0.0, f32::from_bits(1), f32::MIN_POSITIVE, f32::EPSILON, 0.5, 1.0 - f32::EPSILON / 2.0, 1.0] {
            assert_eq!(sum_of(&[p]).value(), f64::from(p), "{p:e}");
        }
    }

    #[test]
    fn a_small_probability_is_not_lost_beside_a_large_one() {
        let tiny = f32::from_bits(1);
        let mut sum = sum_of(&[1.0, tiny]);
        assert_ne!(sum, sum_of(&[1.0]));
        sum.add(0.5, 1);
        assert_eq!(sum, sum_of(&[0.5, tiny, 1.0]));
    }

    #[test]
    fn the_largest_number_of_draws_does_not_overflow() {
        let mut sum = ExactSum::default();
        sum.add(1.0, MAX_DRAWS);
        assert_eq!(sum.value(), MAX_DRAWS as f64);
        let mut clipped = [0];
        add_clipped(&mut clipped, &[0.999_999_7], MAX_DRAWS);
        assert_eq!(clipped_value(clipped[0]), MAX_DRAWS as f64 * f64::from(0.999_999_7_f32));
    }

    fn probability() -> impl Strategy<Value = f32> {
        (0u32..=1.0_f32.to_bits()).prop_map(f32::from_bits)
    }

    proptest! {
        #[test]
        fn counting_is_adding_again(p in probability(), q in probability(), count in 1u64..50) {
            let mut counted = ExactSum::default();
            counted.add(p, count);
            counted.add(q, 1);
            let mut one_by_one = sum_of(&[q]);
            for _ in 0..count {
                one_by_one.add(p, 1);
            }
            prop_assert_eq!(counted, one_by_one);
        }

        #[test]
        fn n_times_p_is_exact(p in probability(), count in 1..=MAX_DRAWS) {
            let mut sum = ExactSum::default();
            sum.add(p, count);
            prop_assert_eq!(sum.value(), f64::from(p) * count as f64);
        }

        #[test]
        fn order_does_not_matter(mut probs in prop::collection::vec(probability(), 1..40)) {
            let forwards = sum_of(&probs);
            probs.reverse();
            prop_assert_eq!(forwards, sum_of(&probs));
        }

        #[test]
        fn the_clipped_sum_is_the_same_sum(probs in prop::collection::vec(3e-7_f32..0.999_999, 1..40), count in 1u64..9) {
            let mut clipped = vec![0; 1];
            let mut exact = ExactSum::default();
            for &p in &probs {
                add_clipped(&mut clipped, &[p], count);
                exact.add(p, count);
            }
            prop_assert_eq!(clipped_value(clipped[0]), exact.value());
        }
    }
}
