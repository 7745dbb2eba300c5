//! Ratios of means: an agent's score over a baseline's on the same problems.

use jointly_core::clustered_error;

/// A ratio of two means over the same problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) value: f64,
    /// NaN with fewer than two clusters or a value that is not finite.
    pub(crate) stderr: f64,
    pub(crate) problems: usize,
}

/// The ratio of the mean of `mine` to the mean of `theirs`, value j of either being problem j's, in the cluster
/// `clusters[j]`.
///
/// # Formula
/// R = mean(a) / mean(b) over J problems. Its standard error is that of the delta method: the [clustered
/// error](clustered_error) of the residuals r_j = (a_j - R b_j) / mean(b), whose mean is zero; where each problem is a
/// cluster, sqrt(sum r_j^2 / (J - 1) / J). What the two share on a problem cancels as it does in a paired difference.
/// Cochran, *Sampling Techniques*, section 2.11.
///
/// # Panics
/// When the three differ in length.
pub(crate) fn ratio_of_means(mine: &[f64], theirs: &[f64], clusters: &[&str]) -> Ratio {
    assert_eq!(mine.len(), theirs.len(), "a ratio needs the same problems on both sides");
    let count = mine.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let base = mean(theirs);
    let value = mean(mine) / base;
    let residuals: Vec<f64> = mine.iter().zip(theirs).map(|(a, b)| (a - value * b) / base).collect();
    Ratio { value, stderr: clustered_error(&residuals, clusters).stderr, problems: mine.len() }
}

#[cfg(test)]
mod tests {
    use super::ratio_of_means;

    #[test]
    fn a_multiple_is_certain() {
        let ratio = ratio_of_means(&[0.5, 1.0, 4.0], &[1.0, 2.0, 8.0], &["a", "b", "c"]);
        assert_eq!((ratio.value, ratio.stderr, ratio.problems), (0.5, 0.0, 3));
    }

    #[test]
    fn the_error_is_that_on_paper() {
        // R = 3 / 2; residuals (1 - 1.5) / 2, (5 - 4.5) / 2 are -1/4 and 1/4; sqrt(2 / 16 / 1 / 2) = 1/4.
        let ratio = ratio_of_means(&[1.0, 5.0], &[1.0, 3.0], &["a", "b"]);
        assert_eq!((ratio.value, ratio.stderr), (1.5, 0.25));
    }

    #[test]
    fn problems_of_one_dataset_are_one_unit() {
        // The same residuals, each by two problems of one cluster: -1/4 twice and 1/4 twice.
        let clusters = ["a", "a", "b", "b"];
        let ratio = ratio_of_means(&[1.0, 1.0, 5.0, 5.0], &[1.0, 1.0, 3.0, 3.0], &clusters);
        assert_eq!((ratio.value, ratio.stderr, ratio.problems), (1.5, 0.25, 4));
        assert!(ratio_of_means(&[1.0, 5.0], &[1.0, 3.0], &["a", "a"]).stderr.is_nan());
    }

    #[test]
    fn what_is_not_finite_is_kept() {
        assert_eq!(ratio_of_means(&[1.0, f64::INFINITY], &[1.0, 1.0], &["a", "b"]).value, f64::INFINITY);
        assert!(ratio_of_means(&[1.0, f64::INFINITY], &[1.0, 1.0], &["a", "b"]).stderr.is_nan());
        assert!(ratio_of_means(&[1.0], &[2.0], &["a"]).stderr.is_nan());
        assert!(ratio_of_means(&[], &[], &[]).value.is_nan());
    }
}
