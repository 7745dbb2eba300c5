//! The Brier score, the squared error of predicted probabilities, and its decomposition.

use super::accuracy::top_class;
use super::rows::{labelled, share};
use crate::score::Score;

/// A Brier score and its parts: score = uncertainty - resolution + reliability + remainder, to rounding.
///
/// Lower is better in score and reliability, higher in resolution; no prediction can change the uncertainty. See
/// [`brier`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrierScore {
    /// The mean over rows, in [0, 2], with its standard error.
    pub score: Score,
    /// The uncertainty of the labels: the score of predicting their shares for every row, in [0, 1 - 1/K].
    pub uncertainty: f64,
    /// How far the labels of a group differ from those of all rows, at least 0.
    pub resolution: f64,
    /// How far predictions differ from the label shares of their group, at least 0.
    pub reliability: f64,
    /// The effect of varying predictions within a group, below 0 if they improve the score.
    pub remainder: f64,
}

/// Computes the Brier score of marginal predictions, decomposed by predicted class.
///
/// # Formula
/// With `e_r` the one-hot vector of the label `y_r`, the score is (1/R) sum over r of |`p_r` - `e_r`|^2, the sum over
/// classes of squared differences. Rows are grouped by their most probable class g, the lowest among equals. With `w_g`
/// the share of rows in group g, `o_g` the label shares in it and o those of all rows,
///
///   uncertainty = 1 - |o|^2,
///   resolution  = sum over g of `w_g` |`o_g` - o|^2,
///   reliability = (1/R) sum over r of |`p_r` - `o_g(r)`|^2,
///   remainder   = (2/R) sum over r of (`p_r` - `o_g(r)`) . (`o_g(r)` - `e_r`),
///
/// and score = uncertainty - resolution + reliability + remainder. Each part is computed from its own formula, so they
/// add up except for rounding.
///
/// The remainder is -2 times the mean covariance, within groups, of predictions and labels. It is 0 if all rows of a
/// group have the same prediction, and does not vanish as rows are added: uniformly distributed, calibrated predictions
/// p of two classes have 1/2 - 1/8 + 1/24 - 1/12 = 1/3. For the same reason their reliability is not 0: it includes the
/// variance of predictions within their group. The mean prediction of a group is not separated from the variation of
/// its rows, so reliability alone compares agents only as far as these vary alike.
///
/// Brier, "Verification of forecasts expressed in terms of probability" (1950); Bröcker, "Reliability, sufficiency, and
/// the decomposition of proper scores" (2009); for the covariance, Stephenson et al., "Two extra components in the
/// Brier score decomposition" (2008). Groups, resolution and reliability are as in Ovadia et al., "Can You Trust Your
/// Model's Uncertainty?" (2019), and the code released with it, which differs in three ways: score and uncertainty are
/// less by 1; there is no remainder; and its resolution subtracts the share of class g in all rows from all label
/// shares of group g. Here the share of each label is subtracted from its own; otherwise the parts add up only if
/// classes are equally frequent.
///
/// `probs` is R x K row-major, `labels` has length R. No rows give NaN in every part. Only the score is a mean over
/// rows and has a standard error.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1] or a
/// label is not a class.
pub fn brier(probs: &[f64], labels: &[u32], num_classes: usize) -> BrierScore {
    let groups = Groups::of(probs, labels, num_classes);
    let mut scores = Vec::with_capacity(labels.len());
    let (mut reliability, mut covariance) = (0.0, 0.0);
    for (row, label) in labelled(probs, labels, num_classes) {
        let observed = groups.observed(top_class(row).0);
        let mut score = 0.0;
        for (class, (&p, observed)) in row.iter().zip(observed).enumerate() {
            let outcome = if class == label as usize { 1.0 } else { 0.0 };
            score += (p - outcome) * (p - outcome);
            reliability += (p - observed) * (p - observed);
            covariance += (p - observed) * (observed - outcome);
        }
        scores.push(score);
    }
    let count = labels.len() as u64;
    BrierScore {
        score: Score::of(&scores),
        uncertainty: groups.uncertainty(),
        resolution: groups.resolution(),
        reliability: share(reliability, count),
        remainder: share(2.0 * covariance, count),
    }
}

/// The numbers of rows by predicted class and label, from which uncertainty and resolution follow.
struct Groups {
    /// K x K row-major: element (g, k) counts the rows with predicted class g and label k.
    counts: Vec<u64>,
    num_classes: usize,
}

impl Groups {
    fn of(probs: &[f64], labels: &[u32], num_classes: usize) -> Self {
        let mut counts = vec![0; num_classes * num_classes];
        for (row, label) in labelled(probs, labels, num_classes) {
            counts[top_class(row).0 as usize * num_classes + label as usize] += 1;
        }
        Self { counts, num_classes }
    }

    /// Returns the share of each label in a group that has rows.
    fn observed(&self, group: u32) -> impl Iterator<Item = f64> {
        let counts = &self.counts[group as usize * self.num_classes..][..self.num_classes];
        let size: u64 = counts.iter().sum();
        counts.iter().map(move |&count| share(count as f64, size))
    }

    /// Returns the number of rows with each label.
    fn labels(&self) -> Vec<u64> {
        let of = |class: usize| self.counts.iter().skip(class).step_by(self.num_classes).sum();
        (0..self.num_classes).map(of).collect()
    }

    fn uncertainty(&self) -> f64 {
        let labels = self.labels();
        let rows: u64 = labels.iter().sum();
        // Computed in integers, so that identical labels give exactly 0.
        let square = |n: u64| u128::from(n) * u128::from(n);
        let alike: u128 = labels.iter().map(|&n| square(n)).sum();
        if rows == 0 { f64::NAN } else { (square(rows) - alike) as f64 / square(rows) as f64 }
    }

    fn resolution(&self) -> f64 {
        let labels = self.labels();
        let rows: u64 = labels.iter().sum();
        let mut sum = 0.0;
        for (group, counts) in self.counts.chunks_exact(self.num_classes).enumerate() {
            let size: u64 = counts.iter().sum();
            if size > 0 {
                let gaps = self.observed(group as u32).zip(&labels).map(|(o, &n)| o - share(n as f64, rows));
                sum += size as f64 * gaps.map(|gap| gap * gap).sum::<f64>();
            }
        }
        share(sum, rows)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::samples::{calibrated, shuffled};

    /// Tolerance for rounding in sums of a few hundred terms of size 1.
    const ROUNDING: f64 = 1e-12;
    /// Tolerance of five standard errors of a part, each that of a mean over `ROWS` terms that vary by less than 1/2.
    const SAMPLING: f64 = 0.008;
    const ROWS: usize = 100_000;

    fn total(b: &BrierScore) -> f64 {
        b.uncertainty - b.resolution + b.reliability + b.remainder
    }

    #[test]
    fn five_rows_on_paper() {
        // Group 0: (0.8, 0.2) and (0.6, 0.4), labels 0 and 1, so that o_0 = (1/2, 1/2). Group 1: (0.1, 0.9), (0.1,
        // 0.9), (0.4, 0.6), labels 1, 1, 0, so that o_1 = (1/3, 2/3). All rows: o = (2/5, 3/5).
        let probs = [0.8, 0.2, 0.6, 0.4, 0.1, 0.9, 0.1, 0.9, 0.4, 0.6];
        let b = brier(&probs, &[0, 1, 1, 1, 0], 2);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < ROUNDING, "{found} {expected}");
        near(b.score.mean, 2.0 * (0.04 + 0.36 + 0.01 + 0.01 + 0.36) / 5.0);
        near(b.uncertainty, 12.0 / 25.0);
        near(b.resolution, 2.0 * (2.0 / 5.0 * 0.01 + 3.0 / 5.0 / 225.0));
        let gaps = [0.3, 0.1, 0.7 / 3.0, 0.7 / 3.0, 0.2 / 3.0];
        near(b.reliability, 2.0 / 5.0 * gaps.iter().map(|gap| gap * gap).sum::<f64>());
        // For class 0: (p - o) (o - e) for each row; class 1 gives the same.
        let products = [-0.3 * 0.5, 0.1 * 0.5, -0.7 / 9.0, -0.7 / 9.0, -0.4 / 9.0];
        near(b.remainder, 2.0 * 2.0 / 5.0 * products.iter().sum::<f64>());
        near(total(&b), b.score.mean);
    }

    #[test]
    fn certain_and_right_is_0_certain_and_wrong_2() {
        let probs = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let right = brier(&probs, &[0, 1], 3);
        assert_eq!((right.score.mean, right.score.stderr), (0.0, 0.0));
        assert_eq!((right.uncertainty, right.resolution, right.reliability, right.remainder), (0.5, 0.5, 0.0, 0.0));
        let wrong = brier(&probs, &[2, 2], 3);
        assert_eq!((wrong.score.mean, wrong.uncertainty, wrong.resolution), (2.0, 0.0, 0.0));
        assert_eq!((wrong.reliability, wrong.remainder), (2.0, 0.0));
    }

    #[test]
    fn predicting_the_labels_shares_leaves_the_uncertainty() {
        let b = brier(&[0.25, 0.75].repeat(4), &[0, 1, 1, 1], 2);
        assert_eq!(b.score.mean, 0.375);
        assert_eq!((b.uncertainty, b.resolution, b.reliability, b.remainder), (0.375, 0.0, 0.0, 0.0));
    }

    #[test]
    fn of_calibrated_predictions_the_remainder_is_no_matter_of_few_rows() {
        let sample = calibrated(ROWS);
        let b = brier(&sample.probs, &sample.labels, 2);
        for (found, expected) in [
            (b.score.mean, 1.0 / 3.0),
            (b.uncertainty, 1.0 / 2.0),
            (b.resolution, 1.0 / 8.0),
            (b.reliability, 1.0 / 24.0),
            (b.remainder, -1.0 / 12.0),
        ] {
            assert!((found - expected).abs() < SAMPLING, "{found} {expected}");
        }
    }

    #[test]
    fn no_rows_give_nan() {
        let b = brier(&[], &[], 2);
        assert!(b.score.mean.is_nan() && total(&b).is_nan());
        assert!([b.uncertainty, b.resolution, b.reliability, b.remainder].iter().all(|part| part.is_nan()));
    }

    proptest! {
        #[test]
        fn the_parts_add_up((sample, _) in shuffled()) {
            let b = brier(&sample.probs, &sample.labels, sample.num_classes);
            prop_assert!((total(&b) - b.score.mean).abs() < ROUNDING, "{b:?}");
            prop_assert!(b.uncertainty >= 0.0 && b.resolution >= 0.0 && b.reliability >= 0.0);
        }

        #[test]
        fn the_order_of_rows_does_not_matter((sample, order) in shuffled()) {
            let other = sample.reordered(&order);
            let a = brier(&sample.probs, &sample.labels, sample.num_classes);
            let b = brier(&other.probs, &other.labels, other.num_classes);
            // Counts are integers, so these are the same to the bit.
            prop_assert_eq!((a.uncertainty, a.resolution), (b.uncertainty, b.resolution));
            for (a, b) in [(a.score.mean, b.score.mean), (a.reliability, b.reliability), (a.remainder, b.remainder)] {
                prop_assert!((a - b).abs() < ROUNDING);
            }
        }
    }
}
