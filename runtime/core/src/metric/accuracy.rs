//! How often the most probable class, or one of the most probable classes, is the label.

use super::rows::labelled;
use crate::score::Score;

/// The most probable class and its probability; the lowest class among equals.
pub(crate) fn top_class(probs: &[f64]) -> (u32, f64) {
    let mut top = 0;
    for class in 1..probs.len() {
        if probs[class] > probs[top] {
            top = class;
        }
    }
    (top as u32, probs[top])
}

/// The `k` most probable classes, the most probable first; the lowest first among equals.
pub(super) fn top_classes(probs: &[f64], k: usize) -> Vec<u32> {
    let mut classes: Vec<u32> = (0..probs.len() as u32).collect();
    // Stable, so that equals stay in their order.
    classes.sort_by(|&a, &b| probs[b as usize].total_cmp(&probs[a as usize]));
    classes.truncate(k);
    classes
}

/// Share of rows whose most probable class is the label.
///
/// # Formula
/// (1/R) sum over rows r of 1[argmax over k of `p_{r,k}` = `y_r`], the lowest class among equals; in [0, 1].
/// `probs` is R x K row-major, `labels` has length R. No rows give NaN. Guo et al., "On Calibration of Modern Neural
/// Networks" (2017), section 2: acc(B) of a single bin B that holds all rows.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes` for each label.
pub fn accuracy(probs: &[f64], labels: &[u32], num_classes: usize) -> f64 {
    assert_eq!(probs.len(), labels.len() * num_classes, "one row of probabilities a label");
    let rows = probs.chunks_exact(num_classes);
    let hits = rows.zip(labels).filter(|(row, label)| top_class(row).0 == **label).count();
    hits as f64 / labels.len() as f64
}

/// Share of rows whose label is among the k most probable classes, with its standard error.
///
/// # Formula
/// (1/R) sum over rows r of 1[`y_r` is one of the k classes of largest `p_{r,k}`], the lowest classes among equals; in
/// [0, 1]. With k = 1 its mean is [`accuracy`], with k = K it is 1; its complement is the top-k error. `probs` is R x K
/// row-major, `labels` has length R. No rows give NaN.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes`, at least two, for each label, a probability is not in [0, 1], a
/// label is no class or `k` is not from 1 to `num_classes`.
pub fn top_k_accuracy(probs: &[f64], labels: &[u32], num_classes: usize, k: usize) -> Score {
    assert!((1..=num_classes).contains(&k), "from one class to all of them");
    let hit = |(row, label): (&[f64], u32)| f64::from(u8::from(top_classes(row, k).contains(&label)));
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
    fn the_label_may_be_second_or_third() {
        let probs = [0.5, 0.3, 0.2, 0.5, 0.3, 0.2, 0.2, 0.4, 0.4, 0.2, 0.4, 0.4];
        let labels = [1, 2, 1, 2];
        // At k = 1, the third row alone, as class 1 comes before its equal.
        assert_eq!(top_k_accuracy(&probs, &labels, 3, 1).mean, 0.25);
        assert_eq!(top_k_accuracy(&probs, &labels, 3, 2), Score::of(&[1.0, 0.0, 1.0, 1.0]));
        assert_eq!(top_k_accuracy(&probs, &labels, 3, 3), Score { mean: 1.0, stderr: 0.0 });
    }

    proptest! {
        #[test]
        fn the_first_of_the_top_classes_is_the_top_class(sample in predictions()) {
            for row in sample.probs.chunks_exact(sample.num_classes) {
                prop_assert_eq!(top_classes(row, 1), [top_class(row).0]);
            }
            let one = top_k_accuracy(&sample.probs, &sample.labels, sample.num_classes, 1);
            prop_assert_eq!(one.mean, accuracy(&sample.probs, &sample.labels, sample.num_classes));
        }
    }
}
