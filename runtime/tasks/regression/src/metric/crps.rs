//! The continuous ranked probability score.

use jointly_core::distribution::{normal_cdf, normal_density};

use crate::predictive::{Component, NormalMixture};

/// Continuous ranked probability score of a Gaussian, in the units of `y`.
///
/// # Formula
/// The integral over t of `(F(t) - 1[t >= y])^2`, which is `d (z (2 Phi(z) - 1) + 2 phi(z) - 1 / sqrt pi)` with
/// `z = (y - mean) / d`; `|y - mean|` where d is 0. Gneiting and Raftery, "Strictly Proper Scoring Rules, Prediction,
/// and Estimation" (2007), section 4.2.
pub fn gaussian_crps(y: f64, mean: f64, deviation: f64) -> f64 {
    crps(&[Component { weight: 1.0, mean, deviation }], y)
}

/// Continuous ranked probability score of a mixture of M Gaussians, in the units of `y`; it takes M^2 / 2 steps.
///
/// # Formula
/// With A(m, v) = E|X| for X ~ N(m, v),
/// `sum_i w_i A(y - mean_i, d_i^2) - sum_ij w_i w_j A(mean_i - mean_j, d_i^2 + d_j^2) / 2`. Grimit et al., "The
/// continuous ranked probability score for circular variables and its application to mesoscale forecast ensemble
/// verification" (2006), equation 5.
pub fn mixture_crps(y: f64, law: &NormalMixture) -> f64 {
    crps(law.components(), y)
}

fn crps(components: &[Component], y: f64) -> f64 {
    let mut distance = 0.0;
    // Half the mean distance between two draws of the mixture: each pair once, and half of each component with itself.
    let mut spread = 0.0;
    for (i, a) in components.iter().enumerate() {
        distance += a.weight * expected_distance(y - a.mean, a.deviation);
        let mut pairs = 0.5 * a.weight * expected_distance(0.0, a.deviation * std::f64::consts::SQRT_2);
        for b in &components[..i] {
            let deviation = (a.deviation * a.deviation + b.deviation * b.deviation).sqrt();
            pairs += b.weight * expected_distance(a.mean - b.mean, deviation);
        }
        spread += a.weight * pairs;
    }
    distance - spread
}

/// Returns E|X| for X ~ N(mean, deviation^2).
fn expected_distance(mean: f64, deviation: f64) -> f64 {
    if deviation == 0.0 {
        return mean.abs();
    }
    let z = mean / deviation;
    2.0 * deviation * normal_density(z) + mean * (2.0 * normal_cdf(z) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error of the midpoint rule below.
    const INTEGRAL: f64 = 1e-6;
    /// Rounding of a few operations.
    const ROUNDING: f64 = 1e-12;

    fn by_integral(y: f64, law: &NormalMixture) -> f64 {
        let step = 1e-3;
        let square = |t: f64| {
            let gap = law.cdf(t) - f64::from(u8::from(t >= y));
            gap * gap
        };
        // The integrand jumps at the observation, which lies on the edge of a cell.
        (-20_000..20_000).map(|i| square(y + (f64::from(i) + 0.5) * step) * step).sum()
    }

    #[test]
    fn a_standard_normal_at_its_mean() {
        let expected = (2.0_f64.sqrt() - 1.0) / std::f64::consts::PI.sqrt();
        assert!((gaussian_crps(0.0, 0.0, 1.0) - expected).abs() < ROUNDING);
        assert!((gaussian_crps(7.0, 7.0, 3.0) - 3.0 * expected).abs() < ROUNDING);
    }

    #[test]
    fn mixtures_agree_with_the_integral() {
        let part = |weight, mean, deviation| Component { weight, mean, deviation };
        for parts in [
            vec![part(1.0, 0.5, 1.5)],
            vec![part(0.3, -1.0, 0.5), part(0.7, 2.0, 1.0)],
            vec![part(0.2, 0.0, 0.1), part(0.5, 0.3, 2.0), part(0.3, -2.0, 0.7)],
        ] {
            let law = NormalMixture::new(parts);
            for y in [-3.0, 0.0, 0.25, 4.0] {
                let (closed, integral) = (mixture_crps(y, &law), by_integral(y, &law));
                assert!((closed - integral).abs() < INTEGRAL, "{y}: {closed} and {integral}");
            }
        }
    }

    #[test]
    fn of_points_it_is_a_distance() {
        assert_eq!(gaussian_crps(3.0, 1.0, 0.0), 2.0);
        let half = |mean| Component { weight: 0.5, mean, deviation: 0.0 };
        // E|X - y| - E|X - X'| / 2 = 2 - (1/2)(1/2)(2).
        assert_eq!(mixture_crps(3.0, &NormalMixture::new(vec![half(0.0), half(2.0)])), 2.0 - 0.5);
    }
}
