//! Scores of quantiles and intervals.

use jointly_core::distribution::normal_quantile;

/// Number of levels, from 0.01 to 0.99, over which the check and interval scores of a Gaussian are averaged.
const LEVELS: u32 = 99;

/// The check, or pinball, score of a predicted p-quantile.
///
/// # Formula
/// `(1[y <= q] - p) (q - y)`: p times the distance if y lies above q, 1 - p times the distance if y lies below. In the
/// units of y.
pub fn check_score(y: f64, quantile: f64, p: f64) -> f64 {
    let distance = quantile - y;
    if distance >= 0.0 { (1.0 - p) * distance } else { -p * distance }
}

/// The interval, or Winkler, score of a central interval that claims to contain y with probability `level`.
///
/// # Formula
/// `(u - l) + 2 / (1 - level) (distance of y from [l, u])`, in the units of y; inf if an end is infinite. Gneiting and
/// Raftery (2007), equation 43.
pub fn interval_score(y: f64, lower: f64, upper: f64, level: f64) -> f64 {
    let outside = (lower - y).max(y - upper).max(0.0);
    (upper - lower) + 2.0 / (1.0 - level) * outside
}

/// Check and interval scores of Gaussians, averaged over levels.
///
/// # Formula
/// The mean over p = 0.01, 0.02, ..., 0.99 of the [`check_score`] of the p-quantile, and of the [`interval_score`] of
/// the central interval of level p: the definitions of the Uncertainty Toolbox (Chung et al., 2021). If the deviation
/// is 0, all quantiles equal the mean.
#[derive(Clone, Debug)]
pub struct QuantileScores {
    /// For N(0, 1) at each level: p, its quantile, and half the width of the central interval of level p.
    levels: Vec<(f64, f64, f64)>,
}

impl Default for QuantileScores {
    fn default() -> Self {
        let level = |i: u32| {
            let p = f64::from(i) / f64::from(LEVELS + 1);
            (p, normal_quantile(p), normal_quantile(0.5 + 0.5 * p))
        };
        Self { levels: (1..=LEVELS).map(level).collect() }
    }
}

impl QuantileScores {
    /// Returns the mean check score of N(mean, deviation^2).
    pub fn check(&self, y: f64, mean: f64, deviation: f64) -> f64 {
        let scores = self.levels.iter().map(|&(p, z, _)| check_score(y, mean + z * deviation, p));
        scores.sum::<f64>() / f64::from(LEVELS)
    }

    /// Returns the mean interval score of N(mean, deviation^2).
    pub fn interval(&self, y: f64, mean: f64, deviation: f64) -> f64 {
        let score = |&(p, _, z): &(f64, f64, f64)| interval_score(y, mean - z * deviation, mean + z * deviation, p);
        self.levels.iter().map(score).sum::<f64>() / f64::from(LEVELS)
    }
}

#[cfg(test)]
mod tests {
    use super::super::gaussian_crps;
    use super::*;

    #[test]
    fn a_quantile_missed_from_above_and_from_below() {
        assert!((check_score(3.0, 1.0, 0.9) - 1.8).abs() < 1e-12);
        assert!((check_score(1.0, 3.0, 0.9) - 0.2).abs() < 1e-12);
        assert_eq!(check_score(2.0, 2.0, 0.3), 0.0);
    }

    #[test]
    fn an_interval_costs_its_width_and_what_it_misses() {
        assert_eq!(interval_score(0.5, 0.0, 2.0, 0.8), 2.0);
        assert!((interval_score(-1.0, 0.0, 2.0, 0.8) - (2.0 + 10.0)).abs() < 1e-12);
        assert!((interval_score(2.5, 0.0, 2.0, 0.5) - (2.0 + 2.0)).abs() < 1e-12);
        assert_eq!(interval_score(0.0, f64::NEG_INFINITY, f64::INFINITY, 0.9), f64::INFINITY);
        assert_eq!(interval_score(0.0, 0.0, 0.0, 0.9), 0.0);
    }

    /// The ranked score is twice the integral of the check score over p.
    #[test]
    fn check_scores_add_up_to_the_ranked_score() {
        let scores = QuantileScores::default();
        for (y, mean, deviation) in [(0.0, 0.0, 1.0), (2.0, 1.0, 0.5), (3.0, 1.0, 0.0)] {
            let twice = 2.0 * scores.check(y, mean, deviation) * 0.99;
            // The mean over 99 percentiles omits the part of the integral beyond the percentiles at both ends.
            assert!((twice - gaussian_crps(y, mean, deviation)).abs() < 0.03, "{twice}");
        }
    }
}
