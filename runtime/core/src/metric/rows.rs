//! Rows of marginal probabilities, checked where they enter a metric.

use std::slice::ChunksExact;

/// Returns the rows of `probs`, R x K row-major.
///
/// # Panics
/// When there are fewer than two classes, `probs` does not hold whole rows, or a probability is not in [0, 1].
pub(super) fn rows(probs: &[f64], num_classes: usize) -> ChunksExact<'_, f64> {
    assert!(num_classes >= 2, "at least two classes");
    assert!(probs.len().is_multiple_of(num_classes), "whole rows of probabilities");
    assert!(probs.iter().all(|p| (0.0..=1.0).contains(p)), "probabilities in [0, 1]");
    probs.chunks_exact(num_classes)
}

/// Returns the rows of `probs`, each with its label.
///
/// # Panics
/// As [`rows`], and when the number of rows is not the number of labels, or a label is not a class.
pub(super) fn labelled<'a>(
    probs: &'a [f64],
    labels: &'a [u32],
    num_classes: usize,
) -> impl Iterator<Item = (&'a [f64], u32)> {
    let rows = rows(probs, num_classes);
    assert_eq!(rows.len(), labels.len(), "one row of probabilities a label");
    assert!(labels.iter().all(|&label| (label as usize) < num_classes), "labels are classes");
    rows.zip(labels.iter().copied())
}

/// Divides `part` by `whole`; if `whole` is 0, the result is NaN, with the same bits on every CPU.
pub(super) fn share(part: f64, whole: u64) -> f64 {
    if whole == 0 { f64::NAN } else { part / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_with_their_labels() {
        let found: Vec<_> = labelled(&[0.25, 0.75, 1.0, 0.0], &[1, 0], 2).collect();
        assert_eq!(found, [(&[0.25, 0.75][..], 1), (&[1.0, 0.0][..], 0)]);
    }

    #[test]
    #[should_panic(expected = "whole rows of probabilities")]
    fn part_of_a_row_is_refused() {
        let _ = rows(&[0.5, 0.5, 1.0], 2);
    }

    #[test]
    #[should_panic(expected = "probabilities in [0, 1]")]
    fn what_is_not_a_number_is_refused() {
        let _ = rows(&[0.5, f64::NAN], 2);
    }

    #[test]
    #[should_panic(expected = "labels are classes")]
    fn a_label_that_is_no_class_is_refused() {
        let _ = labelled(&[0.5, 0.5], &[2], 2);
    }
}
