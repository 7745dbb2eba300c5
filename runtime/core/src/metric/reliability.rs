//! The reliability diagram: the share of correct predictions by their confidence, in bins of any kind.

use super::accuracy::top_classes;
use super::calibration::bin_of;
use super::rows::{labelled, rows, share};

/// The bins of confidence. Each bin includes its upper edge; the first also includes 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bins<'a> {
    /// This number of bins of equal width over [0, 1].
    EqualWidth(usize),
    /// Bins with these upper edges, such as the [quantiles](confidence_quantiles) of these or other predictions. They
    /// are strictly ascending and end with 1.
    Edges(&'a [f64]),
}

/// A bin of predictions by confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// The lower edge, which belongs to the previous bin, or 0.
    pub lower: f64,
    /// The upper edge, which belongs to the bin.
    pub upper: f64,
    /// Number of predictions.
    pub count: u64,
    /// Number of correct predictions.
    pub hits: u64,
    /// The mean confidence; NaN for an empty bin.
    pub confidence: f64,
    /// The share of correct predictions; NaN for an empty bin.
    pub accuracy: f64,
}

/// The bins of confidence, and the calibration error over them.
#[derive(Clone, Debug, PartialEq)]
pub struct ReliabilityDiagram {
    /// The bins, from the lowest confidence up.
    pub bins: Vec<ReliabilityBin>,
    /// The expected calibration error, in [0, 1]; NaN without predictions.
    pub error: f64,
}

/// Computes the reliability diagram and the expected calibration error of the `top_k` largest probabilities of each
/// row.
///
/// # Formula
/// Each of the k most probable classes of a row, the lowest first among equals, is a prediction of its own: its
/// confidence is its probability, and it is right if it is the label. (So k = 1 judges the most probable class, k = K
/// the whole row, and at most one of a row's k predictions is right.) With n = R k predictions in bins b,
///
///   ECE = sum over bins b of |(number of right predictions in b) - (sum of confidences in b)| / n.
///
/// With k = 1 and [`CALIBRATION_BINS`](super::CALIBRATION_BINS) bins of equal width this is
/// [`expected_calibration_error`](super::expected_calibration_error), to the bit. Even calibrated predictions have an
/// error above 0, of the order of sqrt(bins / n). With k = K most confidences are near 0, which alone makes the error
/// small, so errors should be compared only for the same k and K.
///
/// Guo et al., "On Calibration of Modern Neural Networks" (2017), equation 3; Ovadia et al., "Can You Trust Your
/// Model's Uncertainty?" (2019), section 3 and figure S6 (k = 5), whose released code uses 30 bins for ImageNet, and
/// whose quantiles are those of held-out in-distribution predictions ([`Bins::Edges`] here).
///
/// `probs` is R x K row-major, `labels` has length R.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1], a
/// label is not a class, `top_k` is not from 1 to `num_classes`, or `bins` is empty or has edges out of order.
pub fn reliability_diagram(
    probs: &[f64],
    labels: &[u32],
    num_classes: usize,
    top_k: usize,
    bins: Bins<'_>,
) -> ReliabilityDiagram {
    assert!((1..=num_classes).contains(&top_k), "from one class to all of them");
    let edges = match bins {
        Bins::EqualWidth(count) => {
            assert!(count > 0, "at least one bin");
            (1..=count).map(|bin| bin as f64 / count as f64).collect()
        }
        Bins::Edges(edges) => {
            assert!(edges.last() == Some(&1.0), "edges end with 1");
            assert!(edges[0] >= 0.0 && edges.is_sorted_by(|a, b| a < b), "edges ascend from 0");
            edges.to_vec()
        }
    };
    let mut contents = vec![Contents::default(); edges.len()];
    for (row, label) in labelled(probs, labels, num_classes) {
        for class in top_classes(row, top_k) {
            let confidence = row[class as usize];
            let bin = match bins {
                // Rounds in the same way as the error without a diagram.
                Bins::EqualWidth(count) => bin_of(confidence, count),
                Bins::Edges(_) => edges.partition_point(|&edge| edge < confidence),
            };
            contents[bin].add(confidence, class == label);
        }
    }
    let gaps = contents.iter().map(|bin| (bin.hits as f64 - bin.confidence).abs()).sum();
    let lower = std::iter::once(0.0).chain(edges.iter().copied());
    let bins = lower.zip(&edges).zip(&contents).map(|((lower, &upper), contents)| contents.bin(lower, upper));
    ReliabilityDiagram { bins: bins.collect(), error: share(gaps, (labels.len() * top_k) as u64) }
}

/// Returns upper edges of at most `count` bins with equal numbers of the `top_k` largest probabilities of each row.
///
/// # Formula
/// With the n = R k confidences in order, c(1) <= ... <= c(n), the edge of bin b of B is c(ceil(b n / B)), the smallest
/// confidence that at least b/B of all do not exceed; the last is 1 instead. If no confidences are equal and n is at
/// least B, the numbers of predictions differ by at most 1. Equal confidences share a bin, because only their order in
/// the file could separate them: equal edges count once, and there are fewer bins. If n is below B there is one bin for
/// each distinct confidence. No bin is empty on the predictions that it was made from. Without rows there is one bin.
/// (Percentiles with interpolation, as in the code released with Ovadia et al., lie between neighbouring confidences;
/// for many rows there is no difference.)
///
/// `probs` is R x K row-major; edges ascend strictly.
///
/// # Panics
/// When `probs` does not hold whole rows of `num_classes`, at least two, a probability is not in [0, 1], `top_k` is not
/// from 1 to `num_classes` or `count` is 0.
pub fn confidence_quantiles(probs: &[f64], num_classes: usize, top_k: usize, count: usize) -> Vec<f64> {
    assert!((1..=num_classes).contains(&top_k), "from one class to all of them");
    assert!(count > 0, "at least one bin");
    let confidences = |row| top_classes(row, top_k).into_iter().map(move |class| row[class as usize]);
    let mut sorted: Vec<f64> = rows(probs, num_classes).flat_map(confidences).collect();
    if sorted.is_empty() {
        return vec![1.0];
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = |bin: usize| (bin as u128 * sorted.len() as u128).div_ceil(count as u128) as usize;
    let mut edges: Vec<f64> = (1..=count).map(|bin| sorted[rank(bin) - 1]).collect();
    edges.dedup();
    if let Some(last) = edges.last_mut() {
        *last = 1.0;
    }
    edges
}

/// The sums over the predictions of a bin.
#[derive(Clone, Copy, Default)]
struct Contents {
    count: u64,
    hits: u64,
    /// The sum of confidences.
    confidence: f64,
}

impl Contents {
    fn add(&mut self, confidence: f64, hit: bool) {
        self.count += 1;
        self.hits += u64::from(hit);
        self.confidence += confidence;
    }

    fn bin(&self, lower: f64, upper: f64) -> ReliabilityBin {
        let &Self { count, hits, confidence } = self;
        let [confidence, accuracy] = [confidence, hits as f64].map(|sum| share(sum, count));
        ReliabilityBin { lower, upper, count, hits, confidence, accuracy }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::samples::{Predictions, calibrated, calibrated_threefold, shuffled};
    use crate::metric::{CALIBRATION_BINS, expected_calibration_error};

    /// Tolerance for rounding in sums of a few hundred confidences.
    const ROUNDING: f64 = 1e-12;
    /// For calibrated predictions, the expected error of B bins is below sqrt(B / n) / 2, here 0.006; this is three
    /// times that.
    const SAMPLING: f64 = 0.02;
    const ROWS: usize = 100_000;

    fn diagram(sample: &Predictions, top_k: usize, bins: Bins<'_>) -> ReliabilityDiagram {
        reliability_diagram(&sample.probs, &sample.labels, sample.num_classes, top_k, bins)
    }

    /// Returns the diagram in bins with equal numbers of these predictions.
    fn evenly(sample: &Predictions, top_k: usize, count: usize) -> ReliabilityDiagram {
        let edges = confidence_quantiles(&sample.probs, sample.num_classes, top_k, count);
        diagram(sample, top_k, Bins::Edges(&edges))
    }

    /// Returns predictions of two classes, where class 0 has the given confidence, with labels.
    fn confident(confidences: &[f64], labels: &[u32]) -> Predictions {
        let probs = confidences.iter().flat_map(|&c| [c, 1.0 - c]).collect();
        Predictions { probs, labels: labels.to_vec(), num_classes: 2 }
    }

    #[test]
    fn two_bins_of_equal_count_on_paper() {
        // 0.5 and 0.75, one right, then 0.875 and 1, both right: gaps |1 - 1.25| and |2 - 1.875|.
        let sample = confident(&[0.875, 0.5, 1.0, 0.75], &[0, 0, 0, 1]);
        let found = evenly(&sample, 1, 2);
        let bin = |lower, upper, hits, confidence, accuracy| ReliabilityBin {
            lower,
            upper,
            count: 2,
            hits,
            confidence,
            accuracy,
        };
        assert_eq!(found.bins, [bin(0.0, 0.75, 1, 0.625, 0.5), bin(0.75, 1.0, 2, 0.9375, 1.0)]);
        assert_eq!(found.error, (0.25 + 0.125) / 4.0);
    }

    #[test]
    fn equal_confidences_share_a_bin() {
        let sample = confident(&[0.75, 0.75, 0.75, 0.75, 0.75, 1.0], &[0; 6]);
        let found = evenly(&sample, 1, 3);
        assert_eq!(found.bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [5, 1]);
        assert_eq!(confidence_quantiles(&sample.probs, 2, 1, 3), [0.75, 1.0]);
        // All confidences are equal, so there is one bin.
        assert_eq!(confidence_quantiles(&[0.75, 0.25].repeat(9), 2, 1, 3), [1.0]);
    }

    #[test]
    fn fewer_rows_than_bins_have_a_bin_each() {
        let sample = confident(&[0.9, 0.6, 0.7], &[0, 1, 0]);
        let found = evenly(&sample, 1, 15);
        assert_eq!(
            found.bins.iter().map(|bin| (bin.upper, bin.count)).collect::<Vec<_>>(),
            [(0.6, 1), (0.7, 1), (1.0, 1)]
        );
        assert!((found.error - (0.1 + 0.6 + 0.3) / 3.0).abs() < ROUNDING);
    }

    #[test]
    fn the_top_two_of_three_are_two_predictions() {
        // (0.5 wrong, 0.25 right) and (0.625 right, 0.25 wrong); the third class, the higher of two equal ones, is left
        // out.
        let probs = vec![0.5, 0.25, 0.25, 0.125, 0.25, 0.625];
        let sample = Predictions { probs, labels: vec![1, 2], num_classes: 3 };
        let found = diagram(&sample, 2, Bins::EqualWidth(4));
        let bins: Vec<_> = found.bins.iter().map(|bin| (bin.count, bin.hits)).collect();
        assert_eq!(bins, [(2, 1), (1, 0), (1, 1), (0, 0)]);
        assert!(found.bins[3].confidence.is_nan() && found.bins[3].accuracy.is_nan());
        assert_eq!(found.error, (0.5 + 0.5 + 0.375) / 4.0);
        // If the label of the first row were class 2, its second prediction would be wrong.
        let other = Predictions { labels: vec![2, 2], ..sample };
        assert_eq!(diagram(&other, 2, Bins::EqualWidth(4)).bins[0].hits, 0);
    }

    #[test]
    fn edges_of_other_predictions_part_these() {
        let sample = confident(&[0.5, 0.75, 0.75, 1.0], &[0, 0, 1, 0]);
        let found = diagram(&sample, 1, Bins::Edges(&[0.5, 0.6, 1.0]));
        assert_eq!(found.bins.iter().map(|bin| (bin.count, bin.hits)).collect::<Vec<_>>(), [(1, 1), (0, 0), (3, 2)]);
    }

    #[test]
    #[should_panic(expected = "edges end with 1")]
    fn edges_that_do_not_reach_1_are_refused() {
        diagram(&confident(&[1.0], &[0]), 1, Bins::Edges(&[0.5, 0.9]));
    }

    #[test]
    #[should_panic(expected = "edges ascend from 0")]
    fn edges_out_of_order_are_refused() {
        diagram(&confident(&[1.0], &[0]), 1, Bins::Edges(&[0.5, 0.5, 1.0]));
    }

    #[test]
    fn of_calibrated_predictions_the_error_is_about_0_and_of_doubted_ones_it_is_not() {
        let two = calibrated(ROWS);
        let three = calibrated_threefold(ROWS);
        for (sample, classes) in [(&two, 1..=2), (&three, 1..=3)] {
            for k in classes {
                for found in [diagram(sample, k, Bins::EqualWidth(15)), evenly(sample, k, 15)] {
                    assert!(found.error < SAMPLING, "k = {k}: {found:?}");
                }
            }
        }
        // With the labels swapped, a prediction with confidence c ~ U(1/2, 1) is right in a share 1 - c of cases, 2c -
        // 1 too few.
        let labels = two.labels.iter().map(|label| 1 - label).collect();
        let error = evenly(&Predictions { labels, ..two }, 1, 15).error;
        assert!((error - 0.5).abs() < SAMPLING);
    }

    #[test]
    fn no_rows_give_nan() {
        for bins in [Bins::EqualWidth(15), Bins::Edges(&confidence_quantiles(&[], 2, 1, 15))] {
            assert!(reliability_diagram(&[], &[], 2, 1, bins).error.is_nan());
        }
    }

    proptest! {
        #[test]
        fn with_the_usual_bins_it_is_the_usual_error((sample, _) in shuffled()) {
            let found = diagram(&sample, 1, Bins::EqualWidth(CALIBRATION_BINS));
            let usual = expected_calibration_error(&sample.probs, &sample.labels, sample.num_classes);
            prop_assert_eq!(found.error.to_bits(), usual.to_bits());
        }

        #[test]
        fn bins_hold_every_prediction_and_its_confidence((sample, order) in shuffled(), top_k in 1usize..=5, count in 1usize..20) {
            let top_k = top_k.min(sample.num_classes);
            let other = sample.reordered(&order);
            let edges = confidence_quantiles(&sample.probs, sample.num_classes, top_k, count);
            for bins in [Bins::EqualWidth(count), Bins::Edges(&edges)] {
                let found = diagram(&sample, top_k, bins);
                let total: u64 = found.bins.iter().map(|bin| bin.count).sum();
                prop_assert_eq!(total, (sample.labels.len() * top_k) as u64);
                let mut error = 0.0;
                for bin in found.bins.iter().filter(|bin| bin.count > 0) {
                    let within = (bin.lower - ROUNDING..=bin.upper + ROUNDING).contains(&bin.confidence);
                    prop_assert!(within, "{bin:?}");
                    error += bin.count as f64 / total as f64 * (bin.accuracy - bin.confidence).abs();
                }
                prop_assert!((found.error - error).abs() < ROUNDING);
                prop_assert!((0.0..=1.0).contains(&found.error));
                // Reordering the rows moves no prediction to another bin.
                let moved = diagram(&other, top_k, bins);
                for (a, b) in found.bins.iter().zip(&moved.bins) {
                    prop_assert_eq!((a.lower, a.upper, a.count, a.hits), (b.lower, b.upper, b.count, b.hits));
                }
                prop_assert!((found.error - moved.error).abs() < ROUNDING);
            }
        }

        #[test]
        fn distinct_confidences_are_parted_evenly(rows in 1usize..60, count in 1usize..20) {
            let confidences: Vec<f64> = (1..=rows).map(|r| 0.5 + r as f64 / 128.0).collect();
            let found = evenly(&confident(&confidences, &vec![0; rows]), 1, count);
            prop_assert_eq!(found.bins.len(), count.min(rows));
            let counts = || found.bins.iter().map(|bin| bin.count);
            prop_assert!(counts().max().unwrap() - counts().min().unwrap() <= 1);
        }
    }
}
