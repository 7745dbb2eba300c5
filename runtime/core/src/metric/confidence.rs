//! Confidence curves: the number of predictions with at least a given confidence, and the number of correct ones among
//! them.

use super::accuracy::top_class;
use super::rows::rows;

/// The predictions whose confidence is at least a threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidencePoint {
    /// The smallest confidence, in [0, 1].
    pub threshold: f64,
    /// The number of rows with at least that confidence.
    pub count: u64,
    /// The number of correct predictions among them.
    pub hits: u64,
}

/// The number of intervals of confidence between which inputs are counted.
pub const THRESHOLDS: usize = 100;

/// Returns the thresholds 0, 0.01, 0.02, ..., 0.99, 1.
pub fn confidence_thresholds() -> Vec<f64> {
    (0..=THRESHOLDS).map(|percent| percent as f64 / THRESHOLDS as f64).collect()
}

/// Returns the confidence of each row: its largest probability. `probs` is R x K row-major.
///
/// Its negative ranks rows by how likely they are out of distribution (Hendrycks and Gimpel, "A Baseline for Detecting
/// Misclassified and Out-of-Distribution Examples in Neural Networks" (2017)). The negative is exact, whereas 1 - p
/// would round.
///
/// # Panics
/// When `probs` does not hold whole rows of `num_classes`, at least two, or a probability is not in [0, 1].
pub fn confidences(probs: &[f64], num_classes: usize) -> Vec<f64> {
    rows(probs, num_classes).map(|row| top_class(row).1).collect()
}

/// Counts the predictions, and the correct ones, at each confidence threshold.
///
/// # Formula
/// At threshold t, count = number of rows r whose confidence `c_r`, the largest probability, is at least t; hits = the
/// number of these whose most probable class, the lowest among equals, is the label. A label that is no class is never
/// right: such labels add out-of-distribution rows to those in distribution, as for the curves of Lakshminarayanan et
/// al., "Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles" (2017), figure 6. `probs` is R x K
/// row-major, `labels` has length R, `thresholds` may be in any order; there is one point for each. It takes O(R log R)
/// time.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1] or a
/// threshold is NaN.
pub fn confidence_curve(probs: &[f64], labels: &[u32], num_classes: usize, thresholds: &[f64]) -> Vec<ConfidencePoint> {
    let rows = rows(probs, num_classes);
    assert_eq!(rows.len(), labels.len(), "one row of probabilities a label");
    let mut all = Vec::with_capacity(labels.len());
    let mut right = Vec::new();
    for (row, &label) in rows.zip(labels) {
        let (class, confidence) = top_class(row);
        all.push(confidence);
        if class == label {
            right.push(confidence);
        }
    }
    all.sort_unstable_by(f64::total_cmp);
    right.sort_unstable_by(f64::total_cmp);
    let at_least = |sorted: &[f64], t: f64| (sorted.len() - sorted.partition_point(|&c| c < t)) as u64;
    let point = |&threshold: &f64| {
        assert!(!threshold.is_nan(), "thresholds are numbers");
        ConfidencePoint { threshold, count: at_least(&all, threshold), hits: at_least(&right, threshold) }
    };
    thresholds.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::accuracy;
    use crate::metric::samples::shuffled;

    #[test]
    fn four_rows_on_paper() {
        // Confidences: 0.5 right, 0.75 wrong, 0.75 right, and 1 for an out-of-distribution row.
        let probs = [0.5, 0.5, 0.25, 0.75, 0.75, 0.25, 1.0, 0.0];
        let curve = confidence_curve(&probs, &[0, 0, 0, u32::MAX], 2, &[0.0, 0.5, 0.51, 0.75, 0.76, 1.0, 1.1]);
        let counts: Vec<_> = curve.iter().map(|point| (point.count, point.hits)).collect();
        assert_eq!(counts, [(4, 2), (4, 2), (3, 1), (3, 1), (1, 0), (1, 0), (0, 0)]);
        assert_eq!(confidences(&probs, 2), [0.5, 0.75, 0.75, 1.0]);
    }

    #[test]
    fn thresholds_are_the_decimals_that_they_read() {
        let thresholds = confidence_thresholds();
        assert_eq!(thresholds.len(), 101);
        assert_eq!((thresholds[0], thresholds[7], thresholds[29], thresholds[100]), (0.0, 0.07, 0.29, 1.0));
    }

    proptest! {
        #[test]
        fn it_is_what_one_counts((sample, order) in shuffled()) {
            let thresholds = confidence_thresholds();
            let curve = confidence_curve(&sample.probs, &sample.labels, sample.num_classes, &thresholds);
            for point in &curve {
                let (mut count, mut hits) = (0, 0);
                for (row, &label) in sample.probs.chunks_exact(sample.num_classes).zip(&sample.labels) {
                    let confidence = row.iter().copied().fold(0.0, f64::max);
                    let first = row.iter().position(|&p| p == confidence);
                    count += u64::from(confidence >= point.threshold);
                    hits += u64::from(confidence >= point.threshold && first == Some(label as usize));
                }
                prop_assert_eq!((point.count, point.hits), (count, hits));
            }
            let share = accuracy(&sample.probs, &sample.labels, sample.num_classes);
            prop_assert_eq!(curve[0].hits as f64 / curve[0].count as f64, share);
            let other = sample.reordered(&order);
            prop_assert_eq!(confidence_curve(&other.probs, &other.labels, other.num_classes, &thresholds), curve);
        }
    }
}
