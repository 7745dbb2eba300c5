//! Differences to a baseline, paired by problem, with tests of whether chance alone explains them.

use jointly_core::Summary;
use jointly_core::distribution::student_t_cdf;

/// The significance level: the bound on the probability of marking any difference where there is none.
pub const LEVEL: f64 = 0.05;

/// A difference to the baseline and the result of its test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The mean of the paired differences, with its standard error.
    pub difference: Summary,
    /// The p value of its own test, if it can be tested.
    pub p: Option<f64>,
    /// The p value adjusted for all differences that are tested with it.
    pub adjusted: Option<f64>,
}

impl Comparison {
    /// Compares differences that are tested together. Each comes with whether it is tested at all.
    pub fn all(differences: &[(Summary, bool)]) -> Vec<Self> {
        let p: Vec<Option<f64>> = differences.iter().map(|(it, tested)| p_value(it).filter(|_| *tested)).collect();
        let adjusted = adjusted(&p);
        let each = differences.iter().zip(p).zip(adjusted);
        each.map(|(((difference, _), p), adjusted)| Self { difference: *difference, p, adjusted }).collect()
    }

    /// Returns whether the difference is marked as significant.
    pub fn is_significant(&self) -> bool {
        self.adjusted.is_some_and(|p| p < LEVEL)
    }
}

/// Returns the two-sided p value of the hypothesis that the mean is 0, or `None` without two clusters or with a mean or
/// error that is not finite.
///
/// # Formula
/// The two-sided p value of t = mean / stderr under Student's t distribution with G - 1 degrees of freedom, G being the
/// number of clusters (Cameron and Miller, "A Practitioner's Guide to Cluster-Robust Inference", 2015, section VI).
/// Differences that are all 0 give 1.
fn p_value(difference: &Summary) -> Option<f64> {
    let Summary { mean, stderr, clusters, .. } = *difference;
    if clusters < 2 || !mean.is_finite() || !stderr.is_finite() {
        return None;
    }
    if mean == 0.0 {
        return Some(1.0);
    }
    Some(2.0 * student_t_cdf(-(mean / stderr).abs(), (clusters - 1) as f64))
}

/// Applies Holm's step-down correction. An adjusted value is below a level exactly where his procedure rejects at that
/// level, which bounds the probability of any false rejection by the level however the tests depend on one another.
///
/// # Formula
/// For m values in ascending order, the i-th becomes the largest of min(1, (m - j + 1) `p_j`) over j up to i. Holm, "A
/// simple sequentially rejective multiple test procedure" (1979).
fn adjusted(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut tested: Vec<(usize, f64)> = p.iter().enumerate().filter_map(|(at, p)| Some((at, (*p)?))).collect();
    tested.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (mut adjusted, mut largest) = (vec![None; p.len()], 0.0_f64);
    for (rank, (at, p)) in tested.iter().enumerate() {
        largest = largest.max(p * (tested.len() - rank) as f64).min(1.0);
        adjusted[*at] = Some(largest);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use jointly_core::{Summary, paired_difference};
    use proptest::prelude::*;

    use super::{Comparison, LEVEL, adjusted, p_value};

    const TOLERANCE: f64 = 1e-12;

    fn summary(mean: f64, stderr: f64, clusters: usize) -> Summary {
        Summary { mean, stderr, problems: 9, clusters, non_finite: 0 }
    }

    #[test]
    fn p_values_are_those_of_students_law() {
        // With one degree of freedom this is the Cauchy distribution, with quartiles -1 and 1; two degrees have a
        // closed form.
        assert!((p_value(&summary(0.5, 0.5, 2)).unwrap() - 0.5).abs() < TOLERANCE);
        assert!((p_value(&summary(-2.0, 1.0, 3)).unwrap() - (1.0 - 2.0 / 6.0_f64.sqrt())).abs() < TOLERANCE);
        // Differences of 1, 2 and 3: mean 2, stderr 1 / sqrt(3), so t = 2 sqrt(3) with 2 degrees of freedom.
        let differences = paired_difference(&[1.0, 3.0, 5.0], &[0.0, 1.0, 2.0], &[0, 1, 2]);
        assert!((p_value(&differences).unwrap() - (1.0 - (12.0_f64 / 14.0).sqrt())).abs() < TOLERANCE);
    }

    #[test]
    fn what_cannot_be_tested_has_no_p_value() {
        for (mean, stderr, clusters) in [(1.0, f64::NAN, 1), (f64::INFINITY, f64::NAN, 5), (1.0, f64::NAN, 5)] {
            assert_eq!(p_value(&summary(mean, stderr, clusters)), None);
        }
        assert_eq!(p_value(&summary(0.0, 0.0, 5)), Some(1.0));
        assert_eq!(p_value(&summary(1.0, 0.0, 5)), Some(0.0));
        let all = Comparison::all(&[(summary(1.0, 0.0, 5), false), (summary(1.0, 0.0, 5), true)]);
        assert_eq!(all.iter().map(Comparison::is_significant).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn holms_own_steps() {
        let p = [Some(0.01), None, Some(0.04), Some(0.03), Some(0.005)];
        let expected = [Some(0.03), None, Some(0.06), Some(0.06), Some(0.02)];
        for (mine, expected) in adjusted(&p).iter().zip(expected) {
            assert_eq!(mine.is_some(), expected.is_some());
            assert!((mine.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < TOLERANCE, "{mine:?} {expected:?}");
        }
    }

    proptest! {
        /// Compares with the definition: in ascending order, reject while p is below the level over the number that
        /// remains.
        #[test]
        fn adjusted_values_reject_as_holm_does(p in prop::collection::vec(0.0..0.1_f64, 1..12)) {
            let mut order: Vec<usize> = (0..p.len()).collect();
            order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
            let steps = order.iter().enumerate().take_while(|(rank, at)| p[**at] * ((p.len() - rank) as f64) < LEVEL);
            let rejected: Vec<usize> = steps.map(|(_, at)| *at).collect();
            let all: Vec<Option<f64>> = p.iter().copied().map(Some).collect();
            let mine: Vec<usize> =
                order.iter().copied().filter(|at| adjusted(&all)[*at].unwrap() < LEVEL).collect();
            prop_assert_eq!(mine, rejected);
        }
    }
}
