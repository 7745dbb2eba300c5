//! Theorem 1 of Wang, Sun and Grosse: with nearly right marginals, the expected XLL tells the divergence of the
//! correlations.

use super::*;
use crate::correlations::Cholesky;
use crate::correlations::brute_force::{inverse, moments};
use crate::stream::stream;

/// Largest error of sums of a few hundred terms of size 1 to 100.
const ROUNDING: f64 = 1e-9;
/// The theorem's constant that [`bound`] explains.
const CONSTANT: f64 = 3.4;

/// Three beliefs about the same points: the truth, a candidate, and a reference with marginals near the truth's.
struct Case {
    truth: Moments,
    candidate: Moments,
    reference: Moments,
}

impl Case {
    /// `size` scales the distance of the reference's marginals from the truth's.
    fn new(points: usize, seed: u64, size: f64) -> Self {
        let (truth, candidate) = (moments(points, 30, seed), moments(points, 12, seed + 1000));
        let mut source = stream(seed, "test", "theorem", points as u64);
        let mut mean = Vec::new();
        let mut variance = Vec::new();
        for (true_mean, true_variance) in truth.mean().iter().zip(truth.target_variance()) {
            mean.push(true_mean + size * source.normal() * true_variance.sqrt());
            variance.push(true_variance * (2.0 * size * source.normal()).exp());
        }
        // XLL reads the reference's means and variances alone, so its correlations are none.
        let reference = Moments::new(mean, Dense::zeros(points, points), variance).unwrap();
        Self { truth, candidate, reference }
    }

    /// Returns KL(p || q) from the expectations under p of the scores that are tested.
    ///
    /// ln q is quadratic in y, so that its mean over mean +- sqrt(b) L e_i, for the b columns of the factor L of p's
    /// covariance, is its expectation.
    fn divergence(&self) -> f64 {
        let points = self.truth.rows();
        let factor = Cholesky::exact(&self.truth.target_covariance()).unwrap();
        let all = [(0..points).collect::<Vec<usize>>()];
        let mut sum = 0.0;
        for i in 0..points {
            let unit: Vec<f64> = (0..points).map(|j| f64::from(u8::from(i == j))).collect();
            let step = factor.multiply(&unit);
            for sign in [-1.0, 1.0] {
                let moved = |(mean, step): (&f64, &f64)| mean + sign * (points as f64).sqrt() * step;
                let y: Vec<f64> = self.truth.mean().iter().zip(&step).map(moved).collect();
                let xll = cross_log_likelihood(&self.candidate, &self.reference, &y, &all).unwrap();
                sum += joint_log_likelihood(&self.truth, &y, &all).unwrap() - xll;
            }
        }
        // The mean over 2 b points of a score that is divided by b.
        sum / 2.0
    }

    /// Returns KL(p_c || q_c), half the LogDet divergence of the correlation matrices.
    fn divergence_of_correlations(&self) -> f64 {
        let (own, candidate) = (self.truth.target_correlation(), self.candidate.target_correlation());
        let ((_, ln_own), (inverse, ln_candidate)) = (inverse(&own), inverse(&candidate));
        let points = own.rows();
        let trace: f64 = inverse.values().iter().zip(own.values()).map(|(a, b)| a * b).sum();
        0.5 * (ln_candidate - ln_own - points as f64 + trace)
    }

    /// Returns xi, the divergence KL(p_m || q_m) of the marginals.
    fn divergence_of_marginals(&self) -> f64 {
        let marginals = self.truth.target_variance().into_iter().zip(self.reference.target_variance());
        let means = self.truth.mean().iter().zip(self.reference.mean());
        let each = marginals.zip(means).map(|((own, other), (mean, other_mean))| {
            0.5 * ((other / own).ln() - 1.0 + own / other + (mean - other_mean).powi(2) / other)
        });
        each.sum()
    }

    /// Returns the smallest eigenvalue of the candidate's correlations: the inverse's largest, by power iteration.
    fn smallest_eigenvalue(&self) -> f64 {
        let (inverse, _) = inverse(&self.candidate.target_correlation());
        let mut vector = vec![1.0; inverse.rows()];
        let mut norm = 0.0;
        for _ in 0..2000 {
            let next = |i| inverse.row(i).iter().zip(&vector).map(|(a, x)| a * x).sum::<f64>();
            let product: Vec<f64> = (0..inverse.rows()).map(next).collect();
            norm = product.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector = product.into_iter().map(|x| x / norm).collect();
        }
        1.0 / norm
    }

    fn gap(&self) -> f64 {
        (self.divergence() - self.divergence_of_correlations()).abs()
    }
}

/// Returns the theorem's bound of the gap with the constant written out.
///
/// For sqrt(xi) <= 0.3, r - 1 <= 1.06 sqrt(xi) for the ratio r of a point's true and reference sd, and so
/// |`r_i` `r_j` - 1| <= 2.5 sqrt(xi). The proof's four terms are then at most 0.6, 2.5, 1.2 and 2.5 times
/// b^(3/2) sqrt(xi) / lambda, and the gap is half of their sum.
fn bound(points: usize, eigenvalue: f64, xi: f64) -> f64 {
    CONSTANT * (points as f64).powf(1.5) / eigenvalue * xi.sqrt()
}

#[test]
fn with_the_true_marginals_the_expected_xll_is_the_divergence_of_the_correlations() {
    for points in [2, GROUP_SIZE, 8] {
        for seed in 0..20 {
            let case = Case::new(points, seed, 0.0);
            let (found, expected) = (case.divergence(), case.divergence_of_correlations());
            assert!(expected > 1e-4, "the candidate's correlations are others: {expected}");
            assert!((found - expected).abs() < ROUNDING * expected.max(1.0), "{points} {seed}: {found} {expected}");
        }
    }
}

#[test]
fn with_other_marginals_the_gap_is_bounded() {
    let mut largest: f64 = 0.0;
    for points in [2, GROUP_SIZE, 8] {
        for seed in 0..100 {
            for size in [1e-3, 1e-2, 5e-2] {
                let case = Case::new(points, seed, size);
                let xi = case.divergence_of_marginals();
                assert!(xi > 0.0 && xi.sqrt() <= 0.3, "{xi}");
                let (gap, bound) = (case.gap(), bound(points, case.smallest_eigenvalue(), xi));
                assert!(gap <= bound, "{points} {seed} {size}: {gap} beyond {bound}");
                largest = largest.max(gap / bound);
            }
        }
    }
    // Not so loose a bound that anything would pass it.
    assert!(largest > 0.02, "{largest}");
}

#[test]
fn the_gap_falls_with_the_root_of_the_marginals_divergence() {
    for seed in 0..20 {
        let [far, near] = [1e-4, 1e-5].map(|size| Case::new(GROUP_SIZE, seed, size));
        let root = (far.divergence_of_marginals() / near.divergence_of_marginals()).sqrt();
        let ratio = far.gap() / near.gap();
        assert!((ratio / root - 1.0).abs() < 0.1, "{seed}: {ratio} {root}");
    }
}
