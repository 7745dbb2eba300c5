//! The prior distribution of a parameter.

use crate::simd::{Lanes, floats, floats_mut};

/// The prior of each parameter.
#[derive(Clone, Debug)]
pub enum Prior {
    /// A Gaussian with mean zero.
    Normal {
        /// Standard deviation.
        sigma: f32,
    },
    /// A mixture of two Gaussians with mean zero.
    Mixture {
        /// Standard deviations of the two components.
        sigmas: [f32; 2],
        /// Probability of the first component.
        weight: f32,
    },
}

impl Prior {
    /// Returns a Gaussian prior with the given standard deviation.
    pub fn normal(sigma: f32) -> Self {
        Self::Normal { sigma }
    }

    /// Returns a mixture of two Gaussians with the given standard deviations; the first has probability `weight`.
    pub fn mixture(first: f32, second: f32, weight: f32) -> Self {
        Self::Mixture { sigmas: [first, second], weight }
    }

    /// Returns 1 / sigma^2 for a Gaussian, and `None` for a mixture.
    pub fn precision(&self) -> Option<f32> {
        match self {
            Self::Normal { sigma } => Some(1.0 / (sigma * sigma)),
            Self::Mixture { .. } => None,
        }
    }

    /// The standard deviation of a parameter under the prior.
    pub fn scale(&self) -> f32 {
        match self {
            Self::Normal { sigma } => *sigma,
            Self::Mixture { sigmas: [one, two], weight } => (weight * one * one + (1.0 - weight) * two * two).sqrt(),
        }
    }

    /// Adds the derivative of -ln p(w) at every parameter, times `weight`, for a mixture. Adds nothing for a Gaussian,
    /// whose part of the KL divergence is computed in closed form.
    ///
    /// # Formula
    ///
    /// w (r_1 / sigma_1^2 + r_2 / sigma_2^2), where r_1 and r_2 are the posterior probabilities that w comes from the
    /// first and from the second component.
    pub fn add_surprise(&self, parameters: &[Lanes], weight: f32, slopes: &mut [Lanes]) {
        let Self::Mixture { sigmas: [one, two], weight: first } = self else {
            return;
        };
        let precisions = [1.0 / (one * one), 1.0 / (two * two)];
        // p_2 / p_1 = odds e^(-w^2 gap). The odds are infinite if the first component has weight zero, and zero if it
        // has weight one; multiplied by an exponential at its other extreme they would give NaN. So they are added in
        // the exponent.
        let log_odds = ((1.0 - first) / first * (one / two)).ln();
        let gap = (precisions[1] - precisions[0]) / 2.0;
        for (slope, value) in floats_mut(slopes).iter_mut().zip(floats(parameters)) {
            let ratio = (log_odds - value * value * gap).exp();
            // In this form neither an infinite ratio nor a ratio of zero gives NaN.
            let r = 1.0 / (1.0 + ratio);
            *slope += weight * value * (r * precisions[0] + (1.0 - r) * precisions[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-4;
    const STEP: f64 = 1e-4;

    #[test]
    fn surprise_of_a_mixture_has_the_derivative_of_its_logarithm() {
        for (weight, one, two) in [(0.5, 1.0, 0.3), (0.25, 2.0, 0.75), (0.0, 1.0, 0.5), (1.0, 0.5, 2.0)] {
            let surprise = |w: f64| {
                let law = |sigma: f32| {
                    let sigma = f64::from(sigma);
                    (-w * w / (2.0 * sigma * sigma)).exp() / sigma
                };
                -(f64::from(weight) * law(one) + (1.0 - f64::from(weight)) * law(two)).ln()
            };
            for w in [-1.5, -0.2, 0.0, 0.3, 2.0] {
                let mut slopes = [Lanes::splat(1.0)];
                Prior::mixture(one, two, weight).add_surprise(&[Lanes::splat(w)], 2.0, &mut slopes);
                let w = f64::from(w);
                let expected = 1.0 + 2.0 * (surprise(w + STEP) - surprise(w - STEP)) / (2.0 * STEP);
                let found = f64::from(floats(&slopes)[0]);
                assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{weight} at {w}");
            }
        }
    }

    #[test]
    fn far_out_one_law_is_all_that_counts() {
        // Expected is w over the variance of the wider component if both have weight, else of the one that has weight.
        for (one, two) in [(0.5, 2.0), (2.0, 0.5)] {
            for (weight, sigma) in [(0.0, two), (0.5, 2.0), (1.0, one)] {
                let mut slopes = [Lanes::splat(0.0)];
                Prior::mixture(one, two, weight).add_surprise(&[Lanes::splat(100.0)], 1.0, &mut slopes);
                assert_eq!(floats(&slopes)[0], 100.0 / (sigma * sigma), "{one} with {weight}, {two}");
            }
        }
    }
}
