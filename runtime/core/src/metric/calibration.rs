//! Expected calibration error: the difference between confidence and accuracy, in bins of confidence.

use super::accuracy::top_class;
use super::calibration_bins::CalibrationBin;

/// The number of bins of confidence, with equal widths.
pub const CALIBRATION_BINS: usize = 15;

/// Computes the expected calibration error of marginal predictions.
///
/// # Formula
/// The confidence `c_r` of row r is its largest probability, and its prediction the class with that probability (the
/// lowest among equals). Row r falls in bin b of B = 15 when `c_r` lies in (b/B, (b+1)/B]. Then
///
///   ECE = sum over bins b of |(number of right predictions in b) - (sum of confidences in b)| / R,
///
/// which is the mean gap between accuracy and confidence, weighted by the rows in each bin; in [0, 1]. `probs` is R x K
/// row-major, `labels` has length R. No rows give NaN. Guo et al., "On Calibration of Modern Neural Networks" (2017),
/// equation 3. For other bins, and for more than the largest probability of each row, see
/// [`reliability_diagram`](super::reliability_diagram).
///
/// # Panics
/// When `probs` does not hold a row of `num_classes` for each label.
pub fn expected_calibration_error(probs: &[f64], labels: &[u32], num_classes: usize) -> f64 {
    assert_eq!(probs.len(), labels.len() * num_classes, "one row of probabilities a label");
    let mut gaps = CalibrationGaps::default();
    for (row, &label) in probs.chunks_exact(num_classes).zip(labels) {
        gaps.add(row, label);
    }
    gaps.error()
}

/// Returns the bin, out of `bins` with equal width, that contains `confidence`; a bin includes its upper edge, the
/// first also 0.
pub(super) fn bin_of(confidence: f64, bins: usize) -> usize {
    let edge = (confidence * bins as f64).ceil() as usize;
    edge.clamp(1, bins) - 1
}

/// The bins, filled row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct CalibrationGaps {
    rows: u64,
    bins: [CalibrationBin; CALIBRATION_BINS],
}

impl CalibrationGaps {
    pub(crate) fn add(&mut self, probs: &[f64], label: u32) {
        let (class, confidence) = top_class(probs);
        let bin = bin_of(confidence, CALIBRATION_BINS);
        self.rows += 1;
        self.bins[bin].inputs += 1;
        self.bins[bin].right += u64::from(class == label);
        self.bins[bin].confidence += confidence;
    }

    pub(crate) fn accuracy(&self) -> f64 {
        self.bins.iter().map(|bin| bin.right).sum::<u64>() as f64 / self.rows as f64
    }

    pub(crate) fn error(&self) -> f64 {
        let gap = |bin: &CalibrationBin| (bin.right as f64 - bin.confidence).abs();
        self.bins.iter().map(gap).sum::<f64>() / self.rows as f64
    }

    pub(crate) fn bins(&self) -> &[CalibrationBin; CALIBRATION_BINS] {
        &self.bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// Tolerance for rounding in sums of a hundred confidences.
    const ROUNDING: f64 = 1e-12;
    /// Tolerance of three standard errors of the calibration error of `ROWS` sampled rows.
    const SAMPLING: f64 = 0.02;
    const ROWS: usize = 100_000;

    #[test]
    fn where_every_confident_prediction_is_right_it_is_0() {
        let probs: Vec<f64> = (0..100).flat_map(|i| if i % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
        let labels: Vec<u32> = (0..100).map(|i| i % 2).collect();
        assert_eq!(expected_calibration_error(&probs, &labels, 2), 0.0);
    }

    #[test]
    fn where_every_confident_prediction_is_wrong_it_is_1() {
        let probs: Vec<f64> = (0..100).flat_map(|i| if i % 2 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
        let labels: Vec<u32> = (0..100).map(|i| 1 - i % 2).collect();
        assert_eq!(expected_calibration_error(&probs, &labels, 2), 1.0);
    }

    /// Draws predictions p ~ U(0, 1), and labels from them.
    fn calibrated() -> (Vec<f64>, Vec<u32>) {
        let mut source = stream(0, "test", "calibrated", 0);
        let mut probs = Vec::new();
        let mut labels = Vec::new();
        for _ in 0..ROWS {
            let p = source.uniform();
            probs.extend([1.0 - p, p]);
            labels.push(u32::from(source.uniform() < p));
        }
        (probs, labels)
    }

    #[test]
    fn of_calibrated_predictions_it_is_about_0() {
        let (probs, labels) = calibrated();
        assert!(expected_calibration_error(&probs, &labels, 2) < SAMPLING);
    }

    #[test]
    fn of_calibrated_predictions_with_labels_flipped_it_is_about_one_half() {
        let (probs, labels) = calibrated();
        let flipped: Vec<u32> = labels.iter().map(|label| 1 - label).collect();
        assert!((expected_calibration_error(&probs, &flipped, 2) - 0.5).abs() < SAMPLING);
    }

    #[test]
    fn gaps_of_different_sign_in_one_bin_cancel_and_in_two_do_not() {
        // Confidences 0.9 in one bin, half of them right: a gap of 0.4. One of 0.6 is right: another gap of 0.4.
        let probs = [0.9, 0.1, 0.1, 0.9, 0.6, 0.4];
        let error = expected_calibration_error(&probs, &[0, 0, 0], 2);
        let expected = (2.0 * 0.4 + 0.4) / 3.0;
        assert!((error - expected).abs() < ROUNDING);
    }

    #[test]
    fn a_confidence_on_an_edge_falls_in_the_bin_below() {
        let mut gaps = CalibrationGaps::default();
        gaps.add(&[0.8, 0.2], 0);
        assert_eq!((gaps.bins[11].inputs, gaps.bins[11].right), (1, 1));
        gaps.add(&[1.0, 0.0], 0);
        assert_eq!(gaps.bins[14].inputs, 1);
    }
}
