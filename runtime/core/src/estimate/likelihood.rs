//! The joint likelihood of labels under one function, given which the labels are independent.

/// Computes the joint log-likelihood of labels under one function from inputs to class probabilities.
///
/// # Formula
/// sum over t of ln `p_{t,y_t}`, added in the order of t, in nats; -inf if a label has probability 0. `probs` is tau x
/// K row-major, `labels` has length tau. The environment and every sampled function use this same arithmetic, so that
/// equal probabilities have equal log-likelihoods to the bit.
///
/// # Panics
/// When `probs` does not hold a row of `num_classes` for each label, or a label is not below `num_classes`.
pub fn joint_log_likelihood(probs: &[f32], labels: &[u32], num_classes: usize) -> f64 {
    assert_eq!(probs.len(), labels.len() * num_classes, "one row of probabilities a label");
    let mut sum = 0.0;
    for (row, &label) in probs.chunks_exact(num_classes).zip(labels) {
        sum += libm::log(f64::from(row[label as usize]));
    }
    sum
}

/// Returns the log of the sum of w exp(v) over (v, w), in the order given; -inf if all values are -inf.
pub(super) fn log_sum_exp(terms: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let max = terms.clone().map(|(value, _)| value).fold(f64::NEG_INFINITY, f64::max);
    if max == f64::NEG_INFINITY {
        return max;
    }
    let sum: f64 = terms.map(|(value, weight)| weight * libm::exp(value - max)).sum();
    max + libm::log(sum)
}

/// Returns exp(value - mean), a likelihood relative to a mean likelihood; NaN if the mean is not finite.
pub(super) fn relative(value: f64, mean: f64) -> f64 {
    if mean.is_finite() { libm::exp(value - mean) } else { f64::NAN }
}

/// Returns the sum of share (exp(value - mean) - 1)^2 over (value, share), in the order given; NaN if the mean is not
/// finite.
pub(super) fn relative_variance(terms: impl Iterator<Item = (f64, f64)>, mean: f64) -> f64 {
    if !mean.is_finite() {
        return f64::NAN;
    }
    let square = |(value, share): (f64, f64)| {
        let deviation = relative(value, mean) - 1.0;
        share * deviation * deviation
    };
    terms.map(square).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelihood_of_independent_labels_is_a_product() {
        let probs = [0.25, 0.75, 0.5, 0.5];
        assert_eq!(joint_log_likelihood(&probs, &[0, 1], 2), libm::log(0.25) + libm::log(0.5));
    }

    #[test]
    fn an_impossible_label_has_log_likelihood_minus_infinity() {
        assert_eq!(joint_log_likelihood(&[0.0, 1.0], &[0], 2), f64::NEG_INFINITY);
    }

    #[test]
    fn one_term_is_itself() {
        assert_eq!(log_sum_exp([(-1234.5, 1.0)].into_iter()), -1234.5);
    }
}
