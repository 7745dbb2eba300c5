//! The softmax of logits.

/// The largest gap below the greatest logit that still matters: e^-80 is 1.8e-35, well above the smallest `f32`.
const MAX_GAP: f32 = 80.0;

/// Turns logits into probabilities in place: p_k = exp(z_k - max z) / sum_j exp(z_j - max z).
///
/// Stable for logits of any size, and never exactly zero: if a class had probability zero, a single example with that
/// label would have an infinite loss. A row with a NaN stays NaN.
pub fn softmax(row: &mut [f32]) {
    let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in &mut *row {
        // This form lets a NaN pass through.
        let gap = *value - max;
        *value = if gap < -MAX_GAP { -MAX_GAP } else { gap }.exp();
        sum += *value;
    }
    for value in row {
        *value /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::softmax;
    use proptest::prelude::*;

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn known_values() {
        let mut row = [0.0, f32::ln(3.0)];
        softmax(&mut row);
        assert!((row[0] - 0.25).abs() < TOLERANCE && (row[1] - 0.75).abs() < TOLERANCE);
    }

    #[test]
    fn extreme_logits_give_no_zero() {
        let mut row = [1e30, -1e30, 0.0];
        softmax(&mut row);
        assert!(row.iter().all(|p| *p > 0.0) && row[0] == 1.0, "{row:?}");
    }

    #[test]
    fn a_nan_is_not_hidden() {
        let mut row = [0.0, f32::NAN];
        softmax(&mut row);
        assert!(row[1].is_nan());
    }

    proptest! {
        #[test]
        fn positive_and_sums_to_one(mut row in prop::collection::vec(-1e6f32..1e6, 1..40)) {
            softmax(&mut row);
            prop_assert!(row.iter().all(|p| *p > 0.0 && *p <= 1.0));
            prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
}
