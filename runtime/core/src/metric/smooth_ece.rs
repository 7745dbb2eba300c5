//! Calibration without bins: the gap between accuracy and confidence, smoothed over confidence.

use super::accuracy::top_class;
use super::gather::{Gather, MarginalMetric};
use super::rows::labelled;
use crate::score_def::{Better, ScoreInfo, Unit};

/// The metric as every suite of classification reports it.
pub(super) const METRIC: MarginalMetric = MarginalMetric {
    about: ScoreInfo::new(
        "smooth_ece",
        Better::Lower,
        Unit::Share,
        "Smooth calibration error of the mean prediction: how far its confidence is from its accuracy, smoothed over confidence \
         in place of bins; 0 is calibrated.",
    ),
    gather: || Box::new(SmoothGaps::default()),
};

/// The number of cells of the grid of confidences; the bandwidth is never below the width of a cell.
const CELLS: usize = 512;
/// The number of standard deviations beyond which the kernel counts as 0; its value there is below 1e-14.
const REACH: f64 = 8.0;
/// The tolerance of the search for the bandwidth.
const TOLERANCE: f64 = 1e-9;
/// The most steps of the search for the bandwidth, which takes about ten.
const MOST_STEPS: usize = 60;

/// Computes the smooth expected calibration error of marginal predictions.
///
/// # Formula
/// The confidence `c_r` of row r is its largest probability, and `h_r` is 1 if the class with that probability (the
/// lowest among equals) is the label, else 0. With `K_s` the Gaussian kernel of standard deviation s reflected at 0 and
/// 1, so that it integrates to 1 over [0, 1],
///
///   `smECE_s = integral over t from 0 to 1 of |(1/R) sum over rows r of (h_r - c_r) K_s(t, c_r)|`,
///
/// which decreases as s grows. The score is `smECE_s` at the bandwidth s where it equals s: one number, without a
/// choice of bins, that is small exactly if the distance to calibration is small, and changes little when predictions
/// change little. It is in [0, 1]; no rows give NaN. Gaps are accumulated on a grid of step 1/512, each divided between
/// its two neighbours, and no bandwidth is below one step. Blasiok and Nakkiran, "Smooth ECE: Principled Reliability
/// Diagrams via Kernel Smoothing" (ICLR 2024), sections 3 and 4.
///
/// `probs` is R x K row-major, `labels` has length R.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1], or
/// a label is no class.
pub fn smooth_calibration_error(probs: &[f64], labels: &[u32], num_classes: usize) -> f64 {
    let mut gaps = SmoothGaps::default();
    for (row, label) in labelled(probs, labels, num_classes) {
        gaps.add(row, label);
    }
    gaps.value()
}

/// The sums of the gaps of all rows, by confidence.
#[derive(Clone, Debug)]
struct SmoothGaps {
    rows: u64,
    /// The sum of gaps at each end of a cell.
    gaps: Vec<f64>,
}

impl Default for SmoothGaps {
    fn default() -> Self {
        Self { rows: 0, gaps: vec![0.0; CELLS + 1] }
    }
}

impl Gather for SmoothGaps {
    fn add(&mut self, probs: &[f64], label: u32) {
        let (class, confidence) = top_class(probs);
        let gap = f64::from(u8::from(class == label)) - confidence;
        let place = (confidence * CELLS as f64).clamp(0.0, CELLS as f64);
        let cell = (place as usize).min(CELLS - 1);
        let share = place - cell as f64;
        self.rows += 1;
        self.gaps[cell] += gap * (1.0 - share);
        self.gaps[cell + 1] += gap * share;
    }

    /// Returns the error at the bandwidth that equals it.
    fn value(&self) -> f64 {
        if self.rows == 0 {
            return f64::NAN;
        }
        let least = 1.0 / CELLS as f64;
        let (mut low, mut high) = (least, 1.0);
        let mut above = self.smoothed(low) - low;
        if above <= 0.0 {
            return self.smoothed(least);
        }
        // At a bandwidth of 1 the error is at most 1, the error without a kernel.
        let mut below = self.smoothed(high) - high;
        // False position, where the value of an end that stays twice is halved (the Illinois rule).
        let mut side = 0;
        for _ in 0..MOST_STEPS {
            if below >= 0.0 || high - low < TOLERANCE {
                break;
            }
            let between = (low * below - high * above) / (below - above);
            let value = self.smoothed(between) - between;
            if value.abs() < TOLERANCE {
                return between + value;
            }
            if value > 0.0 {
                (low, above) = (between, value);
                if side == 1 {
                    below /= 2.0;
                }
                side = 1;
            } else {
                (high, below) = (between, value);
                if side == -1 {
                    above /= 2.0;
                }
                side = -1;
            }
        }
        self.smoothed(high)
    }
}

impl SmoothGaps {
    /// Returns the error at a bandwidth.
    fn smoothed(&self, bandwidth: f64) -> f64 {
        let last = CELLS as i64;
        let reach = ((REACH * bandwidth * CELLS as f64).ceil() as i64).min(2 * last);
        let weight = |cells: i64| {
            let z = cells as f64 / (CELLS as f64 * bandwidth);
            libm::exp(-0.5 * z * z)
        };
        let kernel: Vec<f64> = (0..=reach).map(weight).collect();
        let mut values = vec![0.0; CELLS + 1];
        for (at, &gap) in self.gaps.iter().enumerate().filter(|(_, gap)| **gap != 0.0) {
            for offset in -reach..=reach {
                // Reflection at 0 and at 1 folds the line onto the interval, with period 2.
                let place = (at as i64 + offset).rem_euclid(2 * last);
                let place = if place > last { 2 * last - place } else { place };
                values[place as usize] += gap * kernel[offset.unsigned_abs() as usize];
            }
        }
        // Both directions of the fold meet at the ends, which the trapezoidal rule counts by half.
        let total: f64 = values.iter().map(|value| value.abs()).sum();
        let area: f64 = kernel[0] + 2.0 * kernel[1..].iter().sum::<f64>();
        total / area / self.rows as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::stream;

    /// Tolerance for the errors of the grid and the search.
    const ROUNDING: f64 = 2e-5;

    fn confident(confidences: &[f64], labels: &[u32]) -> f64 {
        let probs: Vec<f64> = confidences.iter().flat_map(|&c| [c, 1.0 - c]).collect();
        smooth_calibration_error(&probs, labels, 2)
    }

    #[test]
    fn one_confidence_has_its_gap() {
        // For any bandwidth the kernel integrates to 1: a confidence of 0.9 with half of them right leaves 0.4.
        assert!((confident(&[0.9; 4], &[0, 0, 1, 1]) - 0.4).abs() < ROUNDING);
        // The same holds for a confidence between the grid's points, or at the end of the interval.
        assert!((confident(&[0.7123; 4], &[0, 0, 0, 1]) - (0.75 - 0.7123)).abs() < ROUNDING);
        assert!((confident(&[1.0; 4], &[0, 0, 0, 1]) - 0.25).abs() < ROUNDING);
    }

    #[test]
    fn certain_and_right_is_0_and_certain_and_wrong_is_1() {
        assert_eq!(confident(&[1.0; 8], &[0; 8]), 0.0);
        assert!((confident(&[1.0; 8], &[1; 8]) - 1.0).abs() < ROUNDING);
        assert!(confident(&[], &[]).is_nan());
    }

    #[test]
    fn gaps_of_different_sign_cancel_when_they_are_nearer_than_the_bandwidth() {
        // Gaps of +-0.45 at confidences 0.1 apart: bins of equal width would count all of them.
        let error = confident(&[0.55, 0.55, 0.65, 0.65], &[0, 0, 1, 1]);
        assert!(error > 0.05 && error < 0.35, "{error}");
        let far = confident(&[0.5, 0.5, 1.0, 1.0], &[0, 0, 1, 1]);
        assert!(far > error);
    }

    /// Computes the definition literally, row by row on a fine grid, with images of each confidence far beyond the
    /// interval.
    fn by_definition(confidences: &[f64], hits: &[bool], bandwidth: f64) -> f64 {
        let points = 4000;
        let density = |t: f64, c: f64| {
            let image = |k: i32, sign: f64| {
                let z = (t - (sign * c + 2.0 * f64::from(k))) / bandwidth;
                (-0.5 * z * z).exp() / (bandwidth * (2.0 * std::f64::consts::PI).sqrt())
            };
            (-4..=4).map(|k| image(k, 1.0) + image(k, -1.0)).sum::<f64>()
        };
        let value = |t: f64| {
            let rows = confidences.iter().zip(hits);
            rows.map(|(&c, &hit)| (f64::from(u8::from(hit)) - c) * density(t, c)).sum::<f64>()
                / confidences.len() as f64
        };
        (0..points).map(|i| value((f64::from(i) + 0.5) / f64::from(points)).abs()).sum::<f64>() / f64::from(points)
    }

    #[test]
    fn the_error_is_the_definitions_at_its_own_bandwidth() {
        let mut source = stream(0, "test", "smooth", 0);
        let confidences: Vec<f64> = (0..60).map(|_| 0.5 + 0.5 * source.uniform()).collect();
        let labels: Vec<u32> = confidences.iter().map(|c| u32::from(source.uniform() > c * c)).collect();
        let hits: Vec<bool> = labels.iter().map(|label| *label == 0).collect();
        let error = confident(&confidences, &labels);
        assert!(error > 0.02, "{error}");
        let direct = by_definition(&confidences, &hits, error);
        assert!((direct - error).abs() < 1e-3, "{direct} at the bandwidth {error}");
    }

    #[test]
    fn of_calibrated_predictions_it_is_about_0_and_of_flipped_ones_about_the_confidence() {
        let mut source = stream(0, "test", "smooth calibrated", 0);
        let confidences: Vec<f64> = (0..20_000).map(|_| 0.5 + 0.5 * source.uniform()).collect();
        let labels: Vec<u32> = confidences.iter().map(|c| u32::from(source.uniform() > *c)).collect();
        assert!(confident(&confidences, &labels) < 0.02);
        let flipped: Vec<u32> = labels.iter().map(|label| 1 - label).collect();
        assert!((confident(&confidences, &flipped) - 0.5).abs() < 0.02);
    }
}
