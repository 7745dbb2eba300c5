//! Computes probabilities from logits, many rows at a time.

use crate::simd::{LANES, Lanes, ROUND};

/// The largest distinguished gap below the greatest logit: e^-80 is 1.8e-35, well above the smallest `f32`.
const MAX_GAP: f32 = 80.0;

/// Returns e^x for x in [-80, 80], within two and a half units in the last place; keeps NaN.
///
/// # Formula
///
/// With n the integer nearest to x / ln 2, e^x = 2^n e^r, where r = x - n ln 2 has an absolute value below 0.35 and e^r
/// is approximated by its Taylor polynomial of degree 6.
#[inline]
pub fn exp(x: Lanes) -> Lanes {
    // ln 2 as a sum of two parts; the product of the first part with any n is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let rounded = x.mul_add(Lanes::splat(std::f32::consts::LOG2_E), Lanes::splat(ROUND));
    let n = rounded - Lanes::splat(ROUND);
    let r = n.mul_add(Lanes::splat(-LN_2_HIGH), x);
    let r = n.mul_add(Lanes::splat(-LN_2_LOW), r);
    let terms = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let sum = terms.into_iter().fold(Lanes::splat(1.0 / 720.0), |sum, term| sum.mul_add(r, Lanes::splat(term)));
    sum.scale_by_rounded(rounded)
}

/// Computes the softmax over classes, separately in each lane: replaces the logits of class k in `columns[k]` by its
/// probabilities.
///
/// Stable for finite logits of any size, and never exactly zero; a lane with a NaN becomes NaN.
pub fn softmax(columns: &mut [Lanes]) {
    let sum = match columns {
        [one, other] => shares_of_two(one, other),
        _ => shares(columns),
    };
    for column in columns {
        *column = *column / sum;
    }
}

/// Replaces logits by their exponentials over the greatest, and returns the sum.
fn shares(columns: &mut [Lanes]) -> Lanes {
    let max = columns.iter().copied().reduce(Lanes::max).unwrap_or(Lanes::splat(0.0));
    let mut sum = Lanes::splat(0.0);
    for column in &mut *columns {
        let gap = *column - max;
        // This order of the operands keeps a NaN.
        *column = exp(gap.max(Lanes::splat(-MAX_GAP)));
        sum = sum + *column;
    }
    sum
}

/// Does the same as [`shares`] for two classes, to the bit, by one exponential: the greater logit's is 1.
fn shares_of_two(one: &mut Lanes, other: &mut Lanes) -> Lanes {
    let max = one.max(*other);
    let gaps = [*one - max, *other - max];
    // One of the gaps is zero. The order of the operands keeps a NaN, here and below.
    let least = exp((gaps[0] + gaps[1]).max(Lanes::splat(-MAX_GAP)));
    let share = |gap: Lanes| least.max(Lanes::splat(1.0).where_equal(gap, Lanes::splat(0.0)));
    [*one, *other] = gaps.map(share);
    *one + *other
}

/// Returns column `k` of the first [`LANES`] rows of `matrix`, with zeros past its end.
#[inline]
pub fn column(matrix: &[f32], stride: usize, k: usize) -> Lanes {
    if matrix.len() >= LANES * stride {
        return Lanes::from_array(std::array::from_fn(|r| matrix[r * stride + k]));
    }
    Lanes::from_array(std::array::from_fn(|r| matrix.get(r * stride + k).copied().unwrap_or(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two and a half units in the last place.
    const EXP_TOLERANCE: f64 = 3e-7;
    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn exponential_is_accurate() {
        for i in 0..=1_000_000 {
            let x = MAX_GAP * (i as f32 / 5e5 - 1.0);
            let expected = f64::from(x).exp();
            let relative = (f64::from(exp(Lanes::splat(x)).to_array()[0]) - expected).abs() / expected;
            assert!(relative < EXP_TOLERANCE, "{x}: {relative}");
        }
    }

    #[test]
    fn known_values() {
        let mut columns = [Lanes::splat(0.0), Lanes::splat(3f32.ln())];
        softmax(&mut columns);
        assert!((columns[0].to_array()[0] - 0.25).abs() < TOLERANCE);
        assert!((columns[1].to_array()[LANES - 1] - 0.75).abs() < TOLERANCE);
    }

    #[test]
    fn extreme_logits_give_no_zero() {
        let mut columns = [1e30, -1e30, f32::NEG_INFINITY].map(Lanes::splat);
        softmax(&mut columns);
        assert!(columns.iter().all(|column| column.to_array()[0] > 0.0));
    }

    #[test]
    fn a_nan_is_not_hidden() {
        for logits in [[0.0, f32::NAN], [f32::NAN, 0.0], [0.0, f32::INFINITY]] {
            let mut columns = logits.map(Lanes::splat);
            softmax(&mut columns);
            assert!(columns.iter().any(|column| column.to_array()[0].is_nan()), "{logits:?}");
        }
    }

    #[test]
    fn two_classes_have_the_bits_of_the_general_case() {
        let special = [0.0, -0.0, 1e-45, -1e-30, 1e30, -1e30, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let near = (0..2000).map(|i| (i - 1000) as f32 * 0.1);
        let tiny = (0..40).map(|i| -(2f32.powi(-i)));
        let logits: Vec<f32> = special.into_iter().chain(near).chain(tiny).collect();
        let bits = |column: &Lanes| column.to_array().map(f32::to_bits);
        for (i, a) in logits.iter().enumerate() {
            for b in logits.iter().skip(i % 7).step_by(if i < special.len() { 1 } else { 7 }) {
                let (mut two, mut several) = ([*a, *b].map(Lanes::splat), [*a, *b].map(Lanes::splat));
                let [one, other] = &mut two;
                let sums = [shares_of_two(one, other), shares(&mut several)];
                // All NaNs are one to the host.
                let nan = sums.iter().all(|sum| sum.to_array()[0].is_nan());
                assert!(nan || two.iter().map(bits).eq(several.iter().map(bits)), "{a} {b}");
                assert!(nan || bits(&sums[0]) == bits(&sums[1]), "{a} {b}");
            }
        }
    }
}
