//! The entropy of predictions, which does not depend on labels.

use super::rows::rows;
use crate::score::Score;

/// The entropies of marginal predictions. They need no labels, so rows may be out of distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct PredictiveEntropy {
    rows: Vec<f64>,
    num_classes: usize,
}

impl PredictiveEntropy {
    /// Computes the entropy of each row.
    ///
    /// # Formula
    /// `h_r` = -sum over k of `p_{r,k}` ln `p_{r,k}`, nats, where 0 ln 0 is 0: 0 for a certain prediction, ln K for a
    /// uniform one. `probs` is R x K row-major. Lakshminarayanan et al., "Simple and Scalable Predictive Uncertainty
    /// Estimation using Deep Ensembles" (2017), section 3.5.
    ///
    /// # Panics
    /// When `probs` does not hold whole rows of `num_classes`, at least two, or a probability is not in [0, 1].
    pub fn of(probs: &[f64], num_classes: usize) -> Self {
        let surprise = |&p: &f64| if p > 0.0 { -p * libm::log(p) } else { 0.0 };
        // A term with p = 1 is a negative zero.
        let entropy = |row: &[f64]| row.iter().map(surprise).sum::<f64>() + 0.0;
        Self { rows: rows(probs, num_classes).map(entropy).collect(), num_classes }
    }

    /// Returns the entropy of each row, in nats.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Returns the mean over rows in nats, with its standard error; NaN without rows.
    pub fn mean(&self) -> Score {
        Score::of(&self.rows)
    }

    /// Returns the largest entropy, ln K, at which the histogram ends.
    pub fn largest(&self) -> f64 {
        libm::log(self.num_classes as f64)
    }

    /// Returns the numbers of rows in `bins` bins of equal width over [0, ln K].
    ///
    /// # Formula
    /// Row r falls in bin b of B when `h_r` / ln K lies in [b/B, (b+1)/B). The last bin also includes ln K and larger
    /// values, which can result from rounding or a row sum slightly above 1.
    ///
    /// # Panics
    /// When `bins` is 0.
    pub fn histogram(&self, bins: usize) -> Vec<u64> {
        assert!(bins > 0, "a histogram has at least one bin");
        let largest = self.largest();
        let mut counts = vec![0; bins];
        for entropy in &self.rows {
            let bin = (entropy / largest * bins as f64) as usize;
            counts[bin.min(bins - 1)] += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_2;

    use proptest::prelude::*;

    use super::*;
    use crate::metric::samples::shuffled;

    /// Tolerance for rounding in a sum of a few terms of size 1.
    const ROUNDING: f64 = 1e-14;

    #[test]
    fn three_rows_on_paper() {
        let entropy = PredictiveEntropy::of(&[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.25, 0.25, 0.25, 0.25], 4);
        let expected = [0.0, LN_2, 2.0 * LN_2];
        assert!(entropy.rows().iter().zip(expected).all(|(found, expected)| (found - expected).abs() < ROUNDING));
        assert_eq!(entropy.rows()[0].to_bits(), 0);
        assert!((entropy.mean().mean - LN_2).abs() < ROUNDING);
        assert!((entropy.mean().stderr - LN_2 / 3.0_f64.sqrt()).abs() < ROUNDING);
        // 0 is in the first of three bins, 1/2 in the second, 1 in the last.
        assert_eq!(entropy.histogram(3), [1, 1, 1]);
    }

    #[test]
    fn the_histogram_ends_at_uniform_rows() {
        for num_classes in 2..50 {
            let entropy = PredictiveEntropy::of(&vec![1.0 / num_classes as f64; num_classes], num_classes);
            assert_eq!(entropy.histogram(7), [0, 0, 0, 0, 0, 0, 1], "{num_classes} classes");
        }
    }

    #[test]
    fn no_rows_have_an_empty_histogram_and_no_mean() {
        let entropy = PredictiveEntropy::of(&[], 3);
        assert_eq!(entropy.histogram(2), [0, 0]);
        assert!(entropy.mean().mean.is_nan());
    }

    proptest! {
        #[test]
        fn it_lies_in_its_range_and_every_row_in_a_bin((sample, order) in shuffled()) {
            let entropy = PredictiveEntropy::of(&sample.probs, sample.num_classes);
            prop_assert!(entropy.rows().iter().all(|&h| (0.0..=entropy.largest() + ROUNDING).contains(&h)));
            let histogram = entropy.histogram(5);
            prop_assert_eq!(histogram.iter().sum::<u64>(), sample.labels.len() as u64);
            let other = PredictiveEntropy::of(&sample.reordered(&order).probs, sample.num_classes);
            prop_assert_eq!(other.histogram(5), histogram);
        }
    }
}
