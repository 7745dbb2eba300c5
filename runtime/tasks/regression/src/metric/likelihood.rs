//! Negative log-likelihood of an observation.

use crate::predictive::{Component, NormalMixture};

/// ln(2 pi) / 2.
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// Negative log-density of `y` under a Gaussian, in nats.
///
/// # Formula
/// `ln(2 pi d^2) / 2 + ((y - mean) / d)^2 / 2`, with d the standard deviation. With d = 0 the distribution is a point
/// mass: -inf at its location and inf elsewhere. Sluijterman et al., section 2.3, with the opposite sign.
pub fn gaussian_nll(y: f64, mean: f64, deviation: f64) -> f64 {
    let point = Component { weight: 1.0, mean, deviation };
    nll(&[point], y)
}

/// Negative log-density of `y` under a mixture of Gaussians, in nats.
///
/// # Formula
/// `-ln sum w_m N(y; mean_m, d_m^2)`, scaled by the largest term so that this term does not underflow. A point mass
/// contributes nothing if y is elsewhere and makes the result -inf if y is at its location. For point masses alone the
/// result is inf elsewhere.
pub fn mixture_nll(y: f64, law: &NormalMixture) -> f64 {
    nll(law.components(), y)
}

fn nll(components: &[Component], y: f64) -> f64 {
    let terms: Vec<f64> = components.iter().map(|component| log_density(*component, y)).collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_infinite() {
        return -largest;
    }
    let sum: f64 = terms.iter().map(|term| libm::exp(term - largest)).sum();
    -(largest + libm::log(sum))
}

/// Returns the logarithm of the component's weight times its density.
fn log_density(component: Component, y: f64) -> f64 {
    let z = component.standardized(y);
    if component.deviation == 0.0 {
        return if z == 0.0 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    libm::log(component.weight) - libm::log(component.deviation) - HALF_LOG_TWO_PI - 0.5 * z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of a few operations.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn a_normal_law_is_a_mixture_of_one() {
        for (y, mean, deviation) in [(1.0, 1.0, 1.0), (1.5, 1.0, 0.1), (-30.0, 2.0, 0.5)] {
            let z: f64 = (y - mean) / deviation;
            let expected = 0.5 * (2.0 * std::f64::consts::PI * deviation * deviation).ln() + 0.5 * z * z;
            assert!((gaussian_nll(y, mean, deviation) - expected).abs() < ROUNDING * expected.abs().max(1.0));
            assert_eq!(mixture_nll(y, &NormalMixture::normal(mean, deviation)), gaussian_nll(y, mean, deviation));
        }
    }

    #[test]
    fn far_out_a_mixture_is_its_widest_component() {
        let half = |mean, deviation| Component { weight: 0.5, mean, deviation };
        let law = NormalMixture::new(vec![half(0.0, 1.0), half(0.0, 2.0)]);
        // The densities themselves are below the smallest positive f64.
        let expected = gaussian_nll(200.0, 0.0, 2.0) + 2.0_f64.ln();
        assert!((mixture_nll(200.0, &law) - expected).abs() < 1e-9);
        let equal = NormalMixture::new(vec![half(1.0, 3.0), half(1.0, 3.0)]);
        assert!((mixture_nll(2.0, &equal) - gaussian_nll(2.0, 1.0, 3.0)).abs() < ROUNDING);
    }

    #[test]
    fn points_are_certain() {
        assert_eq!(gaussian_nll(1.0, 1.0, 0.0), f64::NEG_INFINITY);
        assert_eq!(gaussian_nll(1.0, 1.1, 0.0), f64::INFINITY);
        let half = |mean, deviation| Component { weight: 0.5, mean, deviation };
        let law = NormalMixture::new(vec![half(0.0, 0.0), half(0.0, 1.0)]);
        assert_eq!(mixture_nll(0.0, &law), f64::NEG_INFINITY);
        assert!((mixture_nll(1.0, &law) - gaussian_nll(1.0, 0.0, 1.0) - 2.0_f64.ln()).abs() < ROUNDING);
    }
}
