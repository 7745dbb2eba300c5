//! Correlations of pairs of numbers, with bootstrap intervals.

use std::fmt;

use jointly_core::correlations::mean_ranks;
use jointly_core::stream;

use crate::quantile::quantile;

/// The number of resamples of a bootstrap.
const RESAMPLES: u64 = 2000;
/// The quantiles at the ends of the interval.
const QUANTILES: [f64; 2] = [0.05, 0.95];
/// The smallest number of pairs for which a correlation is given.
pub(crate) const FEWEST: usize = 3;

/// The smallest number of pairs that is resampled. Resamples of fewer are mostly the same few pairs, and their spread
/// is meaningless.
pub(crate) const FEWEST_RESAMPLED: usize = 6;

/// A correlation with the 5th and 95th percentile of its bootstrap, which are NaN for fewer than six pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Correlation {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) pairs: usize,
}

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value, low, high, .. } = self;
        if low.is_nan() { write!(f, "{value:.2}") } else { write!(f, "{value:.2} ({low:.2}, {high:.2})") }
    }
}

/// Returns Pearson's correlation, or `None` for fewer than three pairs or if either side is constant.
///
/// # Formula
/// r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2). The interval holds the middle nine
/// tenths of r over resamples of the pairs with replacement (Efron and Tibshirani, *An Introduction to the Bootstrap*,
/// section 13.3); a resample in which either side is constant has no r and does not count.
pub(crate) fn pearson(pairs: &[(f64, f64)]) -> Option<Correlation> {
    bootstrapped(pairs, linear)
}

/// Returns Spearman's correlation: Pearson's correlation of the ranks, where equal numbers share their mean rank.
/// Resamples are ranked anew.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<Correlation> {
    bootstrapped(pairs, |pairs| {
        let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let ranked: Vec<(f64, f64)> = ranks(&x).into_iter().zip(ranks(&y)).collect();
        linear(&ranked)
    })
}

fn bootstrapped(pairs: &[(f64, f64)], statistic: impl Fn(&[(f64, f64)]) -> f64) -> Option<Correlation> {
    let value = statistic(pairs);
    if pairs.len() < FEWEST || value.is_nan() {
        return None;
    }
    let resample = |index: u64| {
        let mut source = stream(0, "bootstrap", "correlation", index);
        let pick = |_| pairs[((source.uniform() * pairs.len() as f64) as usize).min(pairs.len() - 1)];
        let drawn: Vec<(f64, f64)> = (0..pairs.len()).map(pick).collect();
        statistic(&drawn)
    };
    let resamples = if pairs.len() < FEWEST_RESAMPLED { 0 } else { RESAMPLES };
    let mut resampled: Vec<f64> = (0..resamples).map(resample).filter(|r| !r.is_nan()).collect();
    resampled.sort_by(f64::total_cmp);
    let [low, high] = QUANTILES.map(|q| quantile(&resampled, q));
    Some(Correlation { value, low, high, pairs: pairs.len() })
}

fn linear(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / count;
    let (mx, my) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xx += (x - mx) * (x - mx);
        xy += (x - mx) * (y - my);
        yy += (y - my) * (y - my);
    }
    if xx > 0.0 && yy > 0.0 { (xy / libm::sqrt(xx * yy)).clamp(-1.0, 1.0) } else { f64::NAN }
}

/// Returns ranks from 1; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    mean_ranks(values).into_iter().map(|rank| rank + 1.0).collect()
}

/// Returns Kendall's tau-b of pairs: concordant minus discordant pairs of pairs, divided by the geometric mean of the
/// numbers of pairs of pairs untied on either side; NaN if all tie. Kendall, *The treatment of ties in ranking
/// problems* (1945).
pub(crate) fn kendall(pairs: &[(f64, f64)]) -> f64 {
    let (mut sum, mut left, mut right) = (0.0, 0.0, 0.0);
    for (i, a) in pairs.iter().enumerate() {
        for b in &pairs[..i] {
            // Infinite values tie with one another.
            let sign = |x: f64, y: f64| f64::from(i8::from(x > y) - i8::from(x < y));
            let (x, y) = (sign(a.0, b.0), sign(a.1, b.1));
            sum += x * y;
            left += x * x;
            right += y * y;
        }
    }
    if left > 0.0 && right > 0.0 { sum / libm::sqrt(left * right) } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::{kendall, linear, pearson, ranks, spearman};

    /// Tolerance for rounding in sums of a few small numbers.
    const ROUNDING: f64 = 1e-12;
    /// Tolerance of four standard errors of a percentile over 2000 resamples, plus the error of the normal
    /// approximation.
    const INTERVAL: f64 = 0.05;

    #[test]
    fn correlations_are_those_on_paper() {
        // Deviations (-1, 0, 1) and (-1, 1, 0) from means 2 and 2: 1 / 2.
        assert!((linear(&[(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)]) - 0.5).abs() < ROUNDING);
        let cubes: Vec<(f64, f64)> = (1..10).map(|x| (f64::from(x), f64::from(x * x * x))).collect();
        assert!(pearson(&cubes).unwrap().value < 0.99);
        let ranked = spearman(&cubes).unwrap();
        assert_eq!((ranked.value, ranked.low, ranked.high), (1.0, 1.0, 1.0));
    }

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
    }

    #[test]
    fn few_pairs_have_no_interval() {
        let pairs: Vec<(f64, f64)> = (0..7).map(|i| (f64::from(i), f64::from(i * i))).collect();
        assert_eq!(pearson(&pairs[..5]).unwrap().to_string(), "0.96");
        assert!(pearson(&pairs[..6]).unwrap().to_string().starts_with("0.96 (0."));
    }

    #[test]
    fn kendalls_tau_counts_pairs_that_agree() {
        let of = |right: &[f64]| kendall(&(0..).map(f64::from).zip(right.iter().copied()).collect::<Vec<_>>());
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0]), 1.0);
        assert_eq!(of(&[4.0, 3.0, 2.0, 1.0]), -1.0);
        // One pair out of six disagrees.
        assert!((of(&[1.0, 3.0, 2.0, 4.0]) - 4.0 / 6.0).abs() < ROUNDING);
        // Two pairs out of three agree and one ties on the right: 2 / sqrt(3 * 2).
        assert!((of(&[1.0, 1.0, 2.0]) - 2.0 / libm::sqrt(6.0)).abs() < ROUNDING);
        assert!((of(&[1.0, f64::INFINITY, f64::INFINITY]) - 2.0 / libm::sqrt(6.0)).abs() < ROUNDING);
        assert!(of(&[1.0, 1.0]).is_nan() && of(&[1.0]).is_nan());
    }

    #[test]
    fn what_never_differs_or_is_too_little_has_none() {
        assert_eq!(pearson(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]), None);
        assert_eq!(pearson(&[(1.0, 1.0), (2.0, 3.0)]), None);
    }

    #[test]
    fn the_interval_is_that_of_the_normal_law_where_pairs_are_many() {
        let mut source = jointly_core::stream(0, "test", "correlation", 0);
        let pairs: Vec<(f64, f64)> = (0..400)
            .map(|_| {
                let (shared, x, y) = (source.normal(), source.normal(), source.normal());
                (shared + x, shared + y)
            })
            .collect();
        let found = pearson(&pairs).unwrap();
        // Fisher: atanh r is approximately normal with variance 1 / (n - 3).
        let width = 1.645 / libm::sqrt(397.0);
        let (low, high) = (libm::tanh(libm::atanh(found.value) - width), libm::tanh(libm::atanh(found.value) + width));
        assert!((found.low - low).abs() < INTERVAL && (found.high - high).abs() < INTERVAL, "{found:?} {low} {high}");
        assert_eq!(pearson(&pairs), Some(found));
    }
}
