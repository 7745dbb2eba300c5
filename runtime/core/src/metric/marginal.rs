//! Accuracy and calibration of marginal predictions, accumulated one tau-sample at a time.

use super::accuracy::accuracy;
use super::calibration::CalibrationGaps;
use super::calibration_bins::CalibrationBin;
use super::gather::Gather;
use super::marginal_metric::{self, MarginalValues};
use crate::score::Score;

/// The accumulated state of the scores of marginal predictions.
#[derive(Debug)]
pub struct MarginalScores {
    gaps: CalibrationGaps,
    /// The accuracy of each tau-sample.
    accuracies: Vec<f64>,
    metrics: Vec<Box<dyn Gather>>,
}

impl Default for MarginalScores {
    fn default() -> Self {
        Self { gaps: CalibrationGaps::default(), accuracies: Vec::new(), metrics: marginal_metric::begin() }
    }
}

impl MarginalScores {
    /// Adds a tau-sample: `probs` is tau x K row-major.
    pub fn add(&mut self, probs: &[f64], labels: &[u32], num_classes: usize) {
        for (row, &label) in probs.chunks_exact(num_classes).zip(labels) {
            self.gaps.add(row, label);
            for metric in &mut self.metrics {
                metric.add(row, label);
            }
        }
        self.accuracies.push(accuracy(probs, labels, num_classes));
    }

    /// Returns the share of correct predictions among all rows. Rows of one tau-sample may depend on one another, so
    /// the standard error is that of the mean of the tau-samples' accuracies.
    pub fn accuracy(&self) -> Score {
        Score { mean: self.gaps.accuracy(), stderr: Score::of(&self.accuracies).stderr }
    }

    /// Returns the expected calibration error over all rows.
    pub fn ece(&self) -> f64 {
        self.gaps.error()
    }

    /// Returns the bins of the calibration error, from the lowest confidence up.
    pub fn bins(&self) -> Vec<CalibrationBin> {
        self.gaps.bins().to_vec()
    }

    /// Returns the values of all [`MARGINAL_METRICS`](super::MARGINAL_METRICS) over all rows.
    pub fn values(&self) -> MarginalValues {
        MarginalValues::gathered(&self.metrics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_clustered_by_tau_sample() {
        let mut scores = MarginalScores::default();
        let row = [0.75, 0.25];
        // Two tau-samples are all right, one is all wrong: three independent units, however many rows.
        for label in [0, 0, 1] {
            scores.add(&row.repeat(100), &[label; 100], 2);
        }
        let accuracy = scores.accuracy();
        assert_eq!(accuracy.mean, 2.0 / 3.0);
        assert_eq!(accuracy.stderr, Score::of(&[1.0, 1.0, 0.0]).stderr);
    }

    #[test]
    fn one_tau_sample_has_no_standard_error() {
        let mut scores = MarginalScores::default();
        scores.add(&[0.75, 0.25, 0.5, 0.5], &[0, 1], 2);
        assert_eq!(scores.accuracy().mean, 0.5);
        assert!(scores.accuracy().stderr.is_nan());
    }
}
