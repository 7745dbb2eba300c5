//! The marginal negative log-likelihood of labels.

use super::rows::labelled;
use crate::score::Score;

/// A marginal negative log-likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeLogLikelihood {
    /// The mean over rows in nats per row, with its standard error; infinite, without an error, if a row's value is
    /// infinite.
    pub score: Score,
    /// The number of rows whose label has probability 0.
    pub infinite: u64,
}

/// Computes the negative log-likelihood of the labels under marginal predictions.
///
/// # Formula
/// -(1/R) sum over rows r of ln `p_{r,y_r}`, in nats per row; at least 0. A label with probability 0 makes the mean
/// infinite and is counted, never clipped. (The code released with Ovadia et al., "Can You Trust Your Model's
/// Uncertainty?" (2019), first mixes 1e-8 of the uniform distribution into each row of ImageNet, so that no row has
/// more than 25.4 nats.) `probs` is R x K row-major, `labels` has length R. No rows give NaN. Gneiting and Raftery,
/// "Strictly Proper Scoring Rules, Prediction, and Estimation" (2007), section 3.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1] or a
/// label is not a class.
pub fn nll(probs: &[f64], labels: &[u32], num_classes: usize) -> NegativeLogLikelihood {
    let loss = |(row, label): (&[f64], u32)| -libm::log(row[label as usize]);
    let losses: Vec<f64> = labelled(probs, labels, num_classes).map(loss).collect();
    let infinite = losses.iter().filter(|loss| loss.is_infinite()).count() as u64;
    NegativeLogLikelihood { score: Score::of(&losses), infinite }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_2;

    use proptest::prelude::*;

    use super::*;
    use crate::metric::samples::shuffled;

    /// Tolerance for rounding in a mean of a few dozen logarithms.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn two_rows_on_paper() {
        // ln 2 and 2 ln 2: the mean is 3/2 ln 2, and its standard error half their difference.
        let found = nll(&[0.5, 0.5, 0.75, 0.25], &[0, 1], 2);
        assert!((found.score.mean - 1.5 * LN_2).abs() < ROUNDING);
        assert!((found.score.stderr - 0.5 * LN_2).abs() < ROUNDING);
        assert_eq!(found.infinite, 0);
    }

    #[test]
    fn an_impossible_label_is_infinite_and_counted() {
        let found = nll(&[1.0, 0.0, 0.5, 0.5, 0.0, 1.0], &[1, 0, 0], 2);
        assert_eq!(found.score.mean, f64::INFINITY);
        assert!(found.score.stderr.is_nan());
        assert_eq!(found.infinite, 2);
    }

    #[test]
    fn the_smallest_probability_is_not_clipped() {
        let tiny = f64::from(f32::from_bits(1));
        let found = nll(&[tiny, 1.0], &[0], 2);
        assert!((found.score.mean - 149.0 * LN_2).abs() < ROUNDING);
        assert_eq!(found.infinite, 0);
    }

    #[test]
    fn certain_and_right_is_0_and_no_rows_are_nan() {
        assert_eq!(nll(&[1.0, 0.0], &[0], 2).score.mean.to_bits(), 0);
        assert!(nll(&[], &[], 2).score.mean.is_nan());
    }

    proptest! {
        #[test]
        fn the_order_of_rows_does_not_matter((sample, order) in shuffled()) {
            let other = sample.reordered(&order);
            let a = nll(&sample.probs, &sample.labels, sample.num_classes);
            let b = nll(&other.probs, &other.labels, other.num_classes);
            prop_assert_eq!(a.infinite, b.infinite);
            prop_assert!(a.score.mean == b.score.mean || (a.score.mean - b.score.mean).abs() < ROUNDING);
        }
    }
}
