//! Means over problems with standard errors clustered by shared data, and comparisons paired by problem.

use std::collections::HashMap;
use std::hash::Hash;

/// A mean over problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean; not finite when a value is not.
    pub mean: f64,
    /// The standard error of the mean: NaN with fewer than two clusters or a value that is not finite.
    pub stderr: f64,
    /// Number of problems.
    pub problems: usize,
    /// Number of clusters, which are the independent units; the number of problems unless some problems share data.
    pub clusters: usize,
    /// Number of values that are not finite; none is clipped or dropped.
    pub non_finite: usize,
}

/// Computes the mean over problems. Each problem is one independent unit, whatever the number of its test points.
///
/// # Formula
/// mean = (1/J) sum `x_j`; stderr = sqrt(sum (`x_j` - mean)^2 / (J - 1) / J). No values give NaN.
pub fn summarize(values: &[f64]) -> Summary {
    let each: Vec<usize> = (0..values.len()).collect();
    summarize_clusters(values, &each)
}

/// Computes the mean over problems whose values may depend on one another within a cluster. `clusters[j]` is the
/// cluster of problem j: the dataset that it is made of, or the problem itself.
///
/// mean = (1/J) sum `x_j`, whatever the clusters; stderr as [`clustered_error`] of the residuals `x_j` - mean. If each
/// problem is a cluster of its own this is [`summarize`], to the bit.
///
/// # Panics
/// When the number of clusters is not the number of values.
pub fn summarize_clusters<C: Eq + Hash>(values: &[f64], clusters: &[C]) -> Summary {
    let mean = crate::score::Score::of(values).mean;
    let residuals: Vec<f64> = values.iter().map(|x| x - mean).collect();
    let Clustered { stderr, clusters } = clustered_error(&residuals, clusters);
    Summary {
        mean,
        stderr,
        problems: values.len(),
        clusters,
        non_finite: values.iter().filter(|x| !x.is_finite()).count(),
    }
}

/// Computes the mean over problems of a - b. Both have the same problems, so differences between problems cancel.
///
/// # Formula
/// As [`summarize_clusters`] of `a_j - b_j`.
///
/// # Panics
/// When `a`, `b` and `clusters` differ in length.
pub fn paired_difference<C: Eq + Hash>(a: &[f64], b: &[f64], clusters: &[C]) -> Summary {
    assert_eq!(a.len(), b.len(), "a paired comparison needs the same problems on both sides");
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    summarize_clusters(&differences, clusters)
}

/// Computes the ratio of the mean of `a` to the mean of `b` over the same problems, and its standard error. `clusters[j]`
/// is the cluster of problem j.
///
/// # Formula
/// R = mean(a) / mean(b). Its standard error is that of the delta method: the [clustered error](clustered_error) of the
/// residuals `r_j` = (`a_j` - R `b_j`) / mean(b), whose mean is zero; where each problem is a cluster,
/// sqrt(sum `r_j`^2 / (J - 1) / J). Variation that both share on a problem cancels, as in a paired difference. Cochran,
/// *Sampling Techniques*, section 2.11. The ratio means little unless mean(b) is finite and above 0.
///
/// # Panics
/// When `a`, `b` and `clusters` differ in length.
pub fn ratio_of_means<C: Eq + Hash>(a: &[f64], b: &[f64], clusters: &[C]) -> (f64, f64) {
    assert_eq!(a.len(), b.len(), "a ratio needs the same problems on both sides");
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let base = mean(b);
    let ratio = mean(a) / base;
    let residuals: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - ratio * b) / base).collect();
    (ratio, clustered_error(&residuals, clusters).stderr)
}

/// A standard error over clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustered {
    /// The standard error: NaN with fewer than two clusters or a residual that is not finite.
    pub stderr: f64,
    /// Number of clusters.
    pub clusters: usize,
}

/// Computes the standard error of a mean over problems, or of a statistic that is a mean to first order, from its
/// residuals, which sum to 0.
///
/// # Formula
/// With J residuals `r_j` in G clusters and `S_g` the sum of those of cluster g, stderr = sqrt(G / (G - 1) sum over g
/// of `S_g`^2) / J: the sandwich estimate for a mean, whose clusters are independent and within which problems may
/// depend on one another in any way. With few clusters the estimate itself is uncertain. Liang and Zeger, "Longitudinal
/// data analysis using generalized linear models" (1986); Cameron and Miller, "A Practitioner's Guide to Cluster-Robust
/// Inference" (2015), section II.
///
/// # Panics
/// When the number of clusters is not the number of residuals.
pub fn clustered_error<C: Eq + Hash>(residuals: &[f64], clusters: &[C]) -> Clustered {
    assert_eq!(residuals.len(), clusters.len(), "a cluster a problem");
    let mut places = HashMap::new();
    // In the order in which clusters first occur.
    let mut sums: Vec<f64> = Vec::new();
    for (residual, cluster) in residuals.iter().zip(clusters) {
        let place = *places.entry(cluster).or_insert(sums.len());
        match sums.get_mut(place) {
            Some(sum) => *sum += residual,
            None => sums.push(*residual),
        }
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let (problems, clusters) = (residuals.len() as f64, sums.len() as f64);
    // If no two problems share a cluster, the first factor is exactly 1.
    let variance = squares * (clusters / problems) / (clusters - 1.0) / problems;
    let stderr = if sums.len() > 1 && variance.is_finite() { variance.sqrt() } else { f64::NAN };
    Clustered { stderr, clusters: sums.len() }
}

/// Rounds `x` to 12 significant decimal digits; infinities and NaN are unchanged.
///
/// # Panics
/// Never: the standard library parses every number that it writes.
pub fn round_significant(x: f64) -> f64 {
    if x.is_finite() { format!("{x:.11e}").parse().expect("a number in scientific notation") } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tolerance for rounding in a sum of a dozen numbers.
    const ROUNDING: f64 = 1e-14;

    #[test]
    fn a_mean_carries_its_standard_error() {
        let summary = summarize(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(summary.mean, 2.5);
        assert_eq!(summary.stderr, (5.0_f64 / 3.0 / 4.0).sqrt());
        assert_eq!((summary.problems, summary.non_finite), (4, 0));
    }

    #[test]
    fn one_problem_has_no_standard_error() {
        let summary = summarize(&[1.5]);
        assert_eq!(summary.mean, 1.5);
        assert!(summary.stderr.is_nan());
    }

    #[test]
    fn what_is_not_finite_is_counted_and_kept() {
        let summary = summarize(&[1.0, f64::INFINITY, f64::NAN]);
        assert_eq!(summary.non_finite, 2);
        assert!(summary.mean.is_nan());
        assert_eq!(summarize(&[1.0, f64::INFINITY]).mean, f64::INFINITY);
        assert!(summarize(&[1.0, f64::INFINITY]).stderr.is_nan());
    }

    #[test]
    fn a_difference_that_is_the_same_on_every_problem_is_certain() {
        let difference = paired_difference(&[1.5, 101.5, -7.5], &[1.0, 101.0, -8.0], &[0, 1, 2]);
        assert_eq!((difference.mean, difference.stderr), (0.5, 0.0));
    }

    #[test]
    fn problems_that_share_their_data_are_one_unit() {
        // Residuals -3, -1, 1 and 3 sum to -4 and 4 by cluster: sqrt(2 / 1 * 32) / 4.
        let summary = summarize_clusters(&[1.0, 3.0, 5.0, 7.0], &["iris", "iris", "mnist", "mnist"]);
        assert_eq!((summary.mean, summary.stderr), (4.0, 2.0));
        assert_eq!((summary.problems, summary.clusters), (4, 2));
        // Differences within clusters say nothing about other clusters.
        let within = summarize_clusters(&[1.0, 7.0, 3.0, 5.0], &["iris", "iris", "mnist", "mnist"]);
        assert_eq!((within.mean, within.stderr), (4.0, 0.0));
        let difference = paired_difference(&[2.0, 4.0, 6.0, 8.0], &[1.0; 4], &["iris", "iris", "mnist", "mnist"]);
        assert_eq!((difference.mean, difference.stderr), (4.0, 2.0));
    }

    #[test]
    fn the_same_problem_again_makes_no_error_smaller() {
        let values = [0.3, 1.7, -0.2, 5.5];
        let once = summarize(&values);
        let again: Vec<f64> = values.iter().flat_map(|x| [*x; 3]).collect();
        let clusters: Vec<usize> = (0..12).map(|j| j / 3).collect();
        let thrice = summarize_clusters(&again, &clusters);
        assert!((thrice.stderr / once.stderr - 1.0).abs() < ROUNDING, "{once:?} {thrice:?}");
        assert!(summarize(&again).stderr < 0.7 * once.stderr);
    }

    #[test]
    fn clusters_of_one_change_no_bit() {
        let values = [0.1, 1.0 / 3.0, -7.7, 1e-3, 12.5];
        let score = crate::score::Score::of(&values);
        let summary = summarize_clusters(&values, &["a", "b", "c", "d", "e"]);
        assert_eq!((summary.mean, summary.stderr), (score.mean, score.stderr));
        assert_eq!(summary, summarize(&values));
    }

    #[test]
    fn with_one_cluster_there_is_nothing_to_take_an_error_over() {
        let summary = summarize_clusters(&[0.1, 0.2, 0.4], &["iris"; 3]);
        assert!(summary.stderr.is_nan() && summary.clusters == 1, "{summary:?}");
        assert!(clustered_error::<u8>(&[], &[]).stderr.is_nan());
    }

    #[test]
    fn rounding_keeps_twelve_digits() {
        assert_eq!(round_significant(1.0 / 3.0), 0.333_333_333_333);
        assert_eq!(round_significant(-123_456_789_012_345.0), -123_456_789_012_000.0);
        assert_eq!(round_significant(0.0), 0.0);
        assert_eq!(round_significant(f64::INFINITY), f64::INFINITY);
        assert!(round_significant(f64::NAN).is_nan());
        assert_eq!(round_significant(f64::MAX), 1.797_693_134_86e308);
    }
}
