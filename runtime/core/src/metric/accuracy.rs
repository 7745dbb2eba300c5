//! How often the most probable class is the label.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
