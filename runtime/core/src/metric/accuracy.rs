//! Accuracy: the share of rows whose most probable class is the label.

use super::rows::labelled;
use crate::score::Score;

/// Returns the most probable class, the lowest among equals, and its probability.
pub(crate) fn top_class(probs: &[f64]) -> (u32, f64) {
    let mut top = 0;
    for class in 1..probs.len() {
        if probs[class] > probs[top] {
            top = class;
        }
    }
    (top as u32, probs[top])
}

/// Returns the `k` most probable classes, the most probable first; among equals the lowest class first.
pub(super) fn top_classes(probs: &[f64], k: usize) -> Vec<u32> {
    let mut classes: Vec<u32> = (0..probs.len() as u32).collect();
    // The sort is stable, so equal classes stay in order.
    classes.sort_by(|&a, &b| probs[b as usize].total_cmp(&probs[a as usize]));
    classes.truncate(k);
    classes
}

/// Returns the share of rows whose most probable class is the label.
///
/// # Formula
/// (1/R) sum over rows r of 1[argmax over k of `p_{r,k}` = `y_r`], the lowest class among equals; in [0, 1]. `probs` is
/// R x K row-major, `labels` has length R. No rows give NaN. Guo et al., "On Calibration of Modern Neural Networks"
/// (2017), section 2: acc(B) for a single bin B with all rows.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes` for each label.
pub fn accuracy(probs: &[f64], labels: &[u32], num_classes: usize) -> f64 {
    assert_eq!(probs.len(), labels.len() * num_classes, "one row of probabilities a label");
    let rows = probs.chunks_exact(num_classes);
    let hits = rows.zip(labels).filter(|(row, label)| top_class(row).0 == **label).count();
    hits as f64 / labels.len() as f64
}

/// Returns the [`accuracy`] with its standard error.
///
/// # Formula
/// The mean over rows r of 1[argmax over k of `p_{r,k}` = `y_r`] and that mean's standard error. `probs` is R x K
/// row-major, `labels` has length R. No rows give NaN.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1] or a
/// label is not a class.
pub fn accuracy_score(probs: &[f64], labels: &[u32], num_classes: usize) -> Score {
    let hit = |(row, label): (&[f64], u32)| f64::from(u8::from(top_class(row).0 == label));
    Score::of(&labelled(probs, labels, num_classes).map(hit).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::samples::predictions;

    #[test]
    fn two_of_three_rows_are_right() {
        let probs = [0.9, 0.1, 0.2, 0.8, 0.6, 0.4];
        assert_eq!(accuracy(&probs, &[0, 1, 1], 2), 2.0 / 3.0);
    }

    #[test]
    fn among_equals_the_lowest_class_is_the_prediction() {
        assert_eq!(accuracy(&[0.5, 0.5], &[0], 2), 1.0);
        assert_eq!(accuracy(&[0.5, 0.5], &[1], 2), 0.0);
    }

    #[test]
    fn its_error_is_that_of_a_mean_of_zeros_and_ones() {
        let probs = [0.5, 0.3, 0.2, 0.5, 0.3, 0.2, 0.2, 0.4, 0.4, 0.2, 0.4, 0.4];
        // Only the third row is right, because class 1 comes before its equal.
        let found = accuracy_score(&probs, &[1, 2, 1, 2], 3);
        assert_eq!(found, Score::of(&[0.0, 0.0, 1.0, 0.0]));
        // For the mean 1/4 over four rows: sqrt(1/4 3/4 / 3).
        assert_eq!((found.mean, found.stderr), (0.25, 0.25));
    }

    proptest! {
        #[test]
        fn the_first_of_the_top_classes_is_the_top_class(sample in predictions()) {
            for row in sample.probs.chunks_exact(sample.num_classes) {
                prop_assert_eq!(top_classes(row, 1), [top_class(row).0]);
            }
            let scored = accuracy_score(&sample.probs, &sample.labels, sample.num_classes);
            prop_assert_eq!(scored.mean, accuracy(&sample.probs, &sample.labels, sample.num_classes));
        }
    }
}
