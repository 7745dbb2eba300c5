//! The distribution of a parameter before any data are seen.

use crate::simd::{Lanes, floats, floats_mut};

/// The prior of each parameter.
#[derive(Clone, Debug)]
pub enum Prior {
    /// Normal with mean zero.
    Normal {
        /// Standard deviation.
        sigma: f32,
    },
    /// A normal law with probability `weight`, another with the rest; both with mean zero.
    Mixture {
        /// Standard deviations.
        sigmas: [f32; 2],
        /// Probability of the first.
        weight: f32,
    },
}

impl Prior {
    /// A normal prior of that standard deviation.
    pub fn normal(sigma: f32) -> Self {
        Self::Normal { sigma }
    }

    /// A mixture of two normal priors of these standard deviations, the first with probability `weight`.
    pub fn mixture(first: f32, second: f32, weight: f32) -> Self {
        Self::Mixture { sigmas: [first, second], weight }
    }

    /// 1 / sigma^2 where the law is normal.
    pub fn precision(&self) -> Option<f32> {
        match self {
            Self::Normal { sigma } => Some(1.0 / (sigma * sigma)),
            Self::Mixture { .. } => None,
        }
    }

    /// The standard deviation of a parameter.
    pub fn scale(&self) -> f32 {
        match self {
            Self::Normal { sigma } => *sigma,
            Self::Mixture { sigmas: [one, two], weight } => (weight * one * one + (1.0 - weight) * two * two).sqrt(),
        }
    }

    /// Adds the derivative of -ln p(w) at every parameter, times `weight`, where the law is a mixture; that of a normal
    /// law is in the divergence already.
    ///
    /// # Formula
    ///
    /// w (r_1 / sigma_1^2 + r_2 / sigma_2^2), where r_1 and r_2 are the probabilities that w comes from the first and
    /// from the second law.
    pub fn add_surprise(&self, parameters: &[Lanes], weight: f32, slopes: &mut [Lanes]) {
        let Self::Mixture { sigmas: [one, two], weight: first } = self else {
            return;
        };
        let precisions = [1.0 / (one * one), 1.0 / (two * two)];
        // p_2 / p_1 = odds e^(-w^2 gap), with the odds in the exponent: they are infinite where the first law has no
        // weight and zero where it has all, and times an exponential at its other end would be no number.
        let log_odds = ((1.0 - first) / first * (one / two)).ln();
        let gap = (precisions[1] - precisions[0]) / 2.0;
        for (slope, value) in floats_mut(slopes).iter_mut().zip(floats(parameters)) {
            let ratio = (log_odds - value * value * gap).exp();
            // In this order neither an infinite ratio nor one of zero is none.
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
        // The wider of two laws where both have weight, else the one that has: w over its variance.
        for (one, two) in [(0.5, 2.0), (2.0, 0.5)] {
            for (weight, sigma) in [(0.0, two), (0.5, 2.0), (1.0, one)] {
                let mut slopes = [Lanes::splat(0.0)];
                Prior::mixture(one, two, weight).add_surprise(&[Lanes::splat(100.0)], 1.0, &mut slopes);
                assert_eq!(floats(&slopes)[0], 100.0 / (sigma * sigma), "{one} with {weight}, {two}");
            }
        }
    }
}
