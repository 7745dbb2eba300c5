//! Means over problems with standard errors clustered by problem, and comparisons paired by problem.

/// A mean over problems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean; not finite when a value is not.
    pub mean: f64,
    /// The standard error of the mean: NaN with fewer than two problems or a value that is not finite.
    pub stderr: f64,
    /// Number of problems.
    pub problems: usize,
    /// How many of the values are not finite: none is clipped or dropped.
    pub non_finite: usize,
}

/// Mean over problems, each of which is one independent unit however many test points it has.
///
/// # Formula
/// mean = (1/J) sum `x_j`; stderr = sqrt(sum (`x_j` - mean)^2 / (J - 1) / J). No values give NaN.
pub fn summarize(values: &[f64]) -> Summary {
    let score = crate::score::Score::of(values);
    Summary {
        mean: score.mean,
        stderr: score.stderr,
        problems: values.len(),
        non_finite: values.iter().filter(|x| !x.is_finite()).count(),
    }
}

/// Mean over problems of a - b: since both saw the same problems, what the problems share cancels.
///
/// # Formula
/// As [`summarize`] of `a_j - b_j`.
///
/// # Panics
/// When `a` and `b` differ in length.
pub fn paired_difference(a: &[f64], b: &[f64]) -> Summary {
    assert_eq!(a.len(), b.len(), "a paired comparison needs the same problems on both sides");
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    summarize(&differences)
}

/// The number nearest to `x` that 12 significant decimal digits can write; infinities and NaN as they are.
///
/// # Panics
/// Never: what the standard library writes it also reads.
pub fn round_significant(x: f64) -> f64 {
    if x.is_finite() { format!("{x:.11e}").parse().expect("a number in scientific notation") } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let difference = paired_difference(&[1.5, 101.5, -7.5], &[1.0, 101.0, -8.0]);
        assert_eq!((difference.mean, difference.stderr), (0.5, 0.0));
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
