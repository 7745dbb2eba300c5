//! Scores of one agent on one problem, in a form that a journal preserves to the bit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::{DrawError, Partitioning};

pub(crate) mod real;

pub use real::Real;

/// A mean over the N tau-samples of one problem, with its standard error.
///
/// Two scores are equal when their bits are equal, including NaN. In JSON a number that is not finite is a string,
/// "inf", "-inf" or "nan".
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// The mean.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub mean: f64,
    /// The standard error; NaN if there is only one tau-sample or the mean is not finite.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub stderr: f64,
}

/// A joint score: a mean over the N tau-samples of one problem, each estimated from the same M draws.
///
/// In JSON it is written like [`Score`]; two are equal when all bits are equal.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JointScore {
    /// The mean, in nats per tau-sample.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub mean: f64,
    /// The standard error of the mean over tau-samples, in nats per tau-sample; NaN if there is only one or the mean is
    /// not finite.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub stderr: f64,
    /// The standard error of the mean over draws, given the tau-samples, in nats per tau-sample; NaN if there is only
    /// one draw or the mean is not finite.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub draw_error: f64,
    /// The [effective number of draws](DrawError::effective_draws), from 1 to M; NaN if there are several functions and
    /// none gives the labels of any tau-sample a positive probability.
    #[serde(with = "real")]
    #[schemars(with = "Real")]
    pub effective_draws: f64,
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.mean.to_bits() == other.mean.to_bits() && self.stderr.to_bits() == other.stderr.to_bits()
    }
}

impl Eq for Score {}

impl PartialEq for JointScore {
    fn eq(&self, other: &Self) -> bool {
        let bits = |score: &Self| [score.mean, score.stderr, score.draw_error, score.effective_draws].map(f64::to_bits);
        bits(self) == bits(other)
    }
}

impl Eq for JointScore {}

impl JointScore {
    /// Computes the score from the losses of all tau-samples, added in order, and the error over draws of their mean.
    pub fn of(losses: &[f64], errors: &DrawError) -> Self {
        let Score { mean, stderr } = Score::of(losses);
        let draw_error = if mean.is_finite() { canonical(errors.stderr()) } else { f64::NAN };
        Self { mean, stderr, draw_error, effective_draws: errors.effective_draws() }
    }

    /// Returns whether the `draws` draws of the estimate are too few for its tau: fewer are effective than the
    /// [estimator needs](Partitioning::least_effective_draws_of), so that the mean relative variance of the estimated
    /// likelihoods, 1 / effective - 1 / M, exceeds 1 / n; or the effective number is NaN. It is false if all draws are the
    /// same function.
    pub fn needs_more_draws(&self, draws: u32, estimator: Partitioning) -> bool {
        self.effective_draws.is_nan() || self.effective_draws < estimator.least_effective_draws_of(draws)
    }

    /// Returns whether neither the error over draws nor the bias of an estimate by the jackknife exceeds `precision` nats,
    /// given the number of draws. It is true if all draws are the same function.
    ///
    /// The bias of plain Monte Carlo is about (1 / effective - 1 / M) / 2. That bounds the jackknife's only where [enough
    /// draws](Self::needs_more_draws) count, so with fewer no score is precise.
    pub fn is_precise(&self, precision: f64, draws: u32) -> bool {
        let bias = 0.5 * (1.0 / self.effective_draws - 1.0 / f64::from(draws));
        let counts = !self.needs_more_draws(draws, Partitioning::Jackknife);
        let same = self.effective_draws == f64::from(draws);
        same || (counts && self.draw_error <= precision && bias <= precision)
    }
}

impl Score {
    /// Computes the mean and the standard error of `values`, added in order.
    ///
    /// # Formula
    /// mean = (1/N) sum `x_n`; stderr = sqrt(sum (`x_n` - mean)^2 / (N - 1) / N), NaN when N is 1 or a value is not
    /// finite. No values give NaN for both.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let stderr = (squares / (count - 1.0) / count).sqrt();
        Self { mean: canonical(mean), stderr: if mean.is_finite() { canonical(stderr) } else { f64::NAN } }
    }
}

/// Replaces every NaN by the same NaN, because their sign differs by CPU, and negative zero, which a sum can give, by
/// zero.
fn canonical(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x + 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_carries_its_standard_error() {
        let score = Score::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((score.mean, score.stderr), (2.5, (5.0_f64 / 3.0 / 4.0).sqrt()));
    }

    #[test]
    fn nothing_but_zeros_is_zero_without_error() {
        let score = Score::of(&[-0.0, -0.0]);
        assert_eq!(score.mean.to_bits(), 0.0_f64.to_bits());
        assert_eq!(score.stderr, 0.0);
    }

    #[test]
    fn draws_are_too_few_where_less_than_twenty_count_or_seven_with_the_jackknife() {
        let few = |effective_draws, draws, estimator| {
            JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.1, effective_draws }.needs_more_draws(draws, estimator)
        };
        for estimator in [Partitioning::Planes, Partitioning::KMeans] {
            assert!(few(19.0, 1000, estimator) && !few(20.0, 1000, estimator));
        }
        assert!(few(6.8, 1000, Partitioning::Jackknife) && !few(7.0, 1000, Partitioning::Jackknife));
        for estimator in [Partitioning::Planes, Partitioning::Jackknife] {
            // All draws are one function, or there is only one draw.
            assert!(!few(3.0, 3, estimator) && !few(1.0, 1, estimator));
            assert!(few(1.0, 3, estimator));
            // Several functions, all of which give probability 0.
            assert!(few(f64::NAN, 1000, estimator));
        }
    }

    #[test]
    fn a_score_is_precise_if_error_and_bias_are_small_and_enough_draws_count() {
        let precise = |draw_error, effective_draws, precision| {
            JointScore { mean: 1.0, stderr: 0.1, draw_error, effective_draws }.is_precise(precision, 1000)
        };
        assert!(precise(0.04, 20.0, 0.05));
        assert!(!precise(0.06, 20.0, 0.05), "the error is too large");
        // The bias is (1 / 10 - 1 / 1000) / 2.
        assert!(!precise(0.01, 10.0, 0.049) && precise(0.01, 10.0, 0.05), "the bias is too large");
        assert!(!precise(0.01, 6.0, 10.0), "too few draws count, whatever the precision");
        assert!(!precise(f64::NAN, 20.0, 10.0) && !precise(0.01, f64::NAN, 10.0));
        // All draws are one function, whose loss may be infinite.
        assert!(precise(f64::NAN, 1000.0, 0.05));
    }

    /// The rows of docs/estimators.md on both sides of the limit: effective draws, draws, and the bias over 2,000
    /// tau-samples by Monte Carlo and with the jackknife.
    #[test]
    fn a_large_bias_does_not_go_unreported() {
        let rows = [
            (4.7, 3000, 0.282, 0.079),
            (5.1, 30, 0.115, -0.159),
            (5.4, 30, 0.082, -0.047),
            (6.9, 30, 0.053, -0.018),
            (7.3, 30, 0.068, -0.013),
            (8.9, 300, 0.084, 0.010),
            (12.9, 100, 0.060, 0.012),
            (18.6, 100, 0.013, -0.011),
            (20.3, 1000, 0.030, 0.000),
        ];
        for (effective_draws, draws, plain, corrected) in rows {
            let score = JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.1, effective_draws };
            for (estimator, bias, most) in
                [(Partitioning::Planes, plain, 0.03), (Partitioning::Jackknife, corrected, 0.02)]
            {
                let told = score.needs_more_draws(draws, estimator);
                assert!(told || f64::abs(bias) <= most, "{effective_draws} of {draws} by {}", estimator.name());
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_a_word() {
        let text = serde_json::to_string(&Score { mean: f64::INFINITY, stderr: f64::NAN }).unwrap();
        assert_eq!(text, r#"{"mean":"inf","stderr":"nan"}"#);
        assert!(serde_json::from_str::<Score>(r#"{"mean":"much","stderr":0}"#).is_err());
    }
}
