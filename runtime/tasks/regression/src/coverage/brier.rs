//! The distance of the coverage at each test point from the level.

use serde::{Deserialize, Serialize};

use jointly_core::score::Real;

/// The Brier score of coverage over simulations.
///
/// # Formula
/// With `p_si` the coverage at point i of N in simulation s of S, and `c_i = sum_s p_si / S`:
///
///   score = sum_i (c_i - level)^2 / N,
///
/// which is equation 8 of Sluijterman et al. A finite number of simulations increases the expected score by
/// `sum_i Var(p_si) / S / N`, so perfect intervals do not score 0. `bias` is the unbiased estimate of this increase,
/// `sum_i sum_s (p_si - c_i)^2 / (S (S - 1) N)`, and score minus bias estimates the score of infinitely many
/// simulations. `stderr` is the jackknife error over simulations, for fixed test points: with `score_(s)` the score
/// without simulation s, `sqrt((S - 1) / S sum_s (score_(s) - mean)^2)`.
///
/// With one simulation, bias and error are NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brier {
    /// The mean squared distance of the coverage from the level.
    pub score: Real,
    /// Its standard error over simulations.
    pub stderr: Real,
    /// The expected increase of the score due to a finite number of simulations.
    pub bias: Real,
}

/// Computes the Brier score from the coverage of each simulation at each test point.
///
/// # Panics
/// When there are no simulations, or they differ in the number of points.
pub fn brier(simulations: &[Vec<f32>], level: f64) -> Brier {
    let coverage = mean_by_point(simulations);
    let (points, count) = (coverage.len() as f64, simulations.len() as f64);
    let score = |distances: &mut dyn Iterator<Item = f64>| distances.map(|d| d * d).sum::<f64>() / points;
    let full = score(&mut coverage.iter().map(|c| c - level));
    let without = |simulation: &Vec<f32>| {
        let left = coverage.iter().zip(simulation).map(|(c, &p)| (count * c - f64::from(p)) / (count - 1.0));
        score(&mut left.map(|c| c - level))
    };
    let left_out: Vec<f64> = simulations.iter().map(without).collect();
    let mean = left_out.iter().sum::<f64>() / count;
    let spread: f64 = left_out.iter().map(|x| (x - mean) * (x - mean)).sum();
    let variances = simulations.iter().map(|simulation| {
        coverage.iter().zip(simulation).map(|(c, &p)| (f64::from(p) - c) * (f64::from(p) - c)).sum::<f64>()
    });
    let bias = variances.sum::<f64>() / (count * (count - 1.0) * points);
    let several = |x: f64| Real(if simulations.len() > 1 { x } else { f64::NAN });
    Brier { score: Real(full), stderr: several(((count - 1.0) / count * spread).sqrt()), bias: several(bias) }
}

/// Returns the mean over simulations at each point.
pub(super) fn mean_by_point(simulations: &[Vec<f32>]) -> Vec<f64> {
    assert!(!simulations.is_empty(), "a mean over simulations needs one");
    let mut sums = vec![0.0; simulations[0].len()];
    for simulation in simulations {
        assert_eq!(simulation.len(), sums.len(), "every simulation has the same test points");
        sums.iter_mut().zip(simulation).for_each(|(sum, &p)| *sum += f64::from(p));
    }
    sums.iter().map(|sum| sum / simulations.len() as f64).collect()
}
