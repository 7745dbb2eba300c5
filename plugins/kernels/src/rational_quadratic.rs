//! The rational quadratic kernel.

use jointly_sdk::Rng;

use crate::bounds::Bound;
use crate::features::{Features, Fourier};
use crate::gamma::gamma;
use crate::kernel::Kernel;
use crate::rbf::{add_difference, add_scale_gradient, inverse_scales, scaled_distance, stationary_bounds};

/// The rational quadratic kernel, with a length scale for each feature.
///
/// # Formula
///
/// k(a, b) = s (1 + r / (2 alpha))^-alpha with r = sum_d (a_d - b_d)^2 / l_d^2: the mean of squared-exponential kernels
/// with length scales l_d / sqrt(t), where t has a Gamma distribution with shape and rate alpha. The parameters are log
/// s, log l_1 ... log l_D and log alpha.
#[derive(Clone, Debug)]
pub struct RationalQuadratic {
    logs: Vec<f64>,
    variance: f64,
    inverse: Vec<f64>,
    alpha: f64,
}

impl RationalQuadratic {
    /// Makes a kernel from a variance, length scales and alpha.
    ///
    /// # Panics
    ///
    /// Panics if one of them is not positive.
    pub fn new(variance: f64, length_scales: &[f64], alpha: f64) -> Self {
        let values = std::iter::once(variance).chain(length_scales.iter().copied()).chain([alpha]);
        let log = |value: f64| {
            assert!(value > 0.0, "variance, length scales and alpha are positive");
            libm::log(value)
        };
        let logs: Vec<f64> = values.map(log).collect();
        let mut kernel = Self { variance, inverse: vec![1.0; length_scales.len()], alpha, logs: Vec::new() };
        kernel.set_parameters(&logs);
        kernel
    }

    /// The variance s.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// Writes a frequency drawn from the spectral density.
    pub fn frequency(&self, rng: &mut Rng, out: &mut [f64]) {
        let scale = (gamma(self.alpha, rng) / self.alpha).sqrt();
        for (out, inverse) in out.iter_mut().zip(&self.inverse) {
            *out = scale * f64::from(rng.normal()) * inverse;
        }
    }

    /// Returns r and 1 + r / (2 alpha).
    fn distance(&self, a: &[f64], b: &[f64]) -> (f64, f64) {
        let distance = scaled_distance(a, b, &self.inverse);
        (distance, 1.0 + 0.5 * distance / self.alpha)
    }
}

impl Kernel for RationalQuadratic {
    fn parameters(&self) -> Vec<f64> {
        self.logs.clone()
    }

    fn bounds(&self) -> Vec<Bound> {
        let mut bounds = stationary_bounds(self.inverse.len());
        bounds.push(Bound::logs(1e-2, 1e4));
        bounds
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.logs = parameters.to_vec();
        self.variance = libm::exp(parameters[0]);
        let dim = self.inverse.len();
        inverse_scales(&parameters[1..=dim], &mut self.inverse);
        self.alpha = libm::exp(parameters[dim + 1]);
    }

    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        self.variance * libm::exp(-self.alpha * libm::log(self.distance(a, b).1))
    }

    fn add_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let (distance, base) = self.distance(a, b);
        let log = libm::log(base);
        let value = weight * value;
        let dim = self.inverse.len();
        to[0] += value;
        add_scale_gradient(a, b, &self.inverse, value / base, &mut to[1..=dim]);
        to[dim + 1] += value * (0.5 * distance / base - self.alpha * log);
    }

    fn add_input_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let base = self.distance(a, b).1;
        add_difference(a, b, &self.inverse, weight * value / base, to);
    }

    fn features(&self, count: usize, rng: &mut Rng) -> Box<dyn Features> {
        let frequency = |rng: &mut Rng, out: &mut [f64]| self.frequency(rng, out);
        Box::new(Fourier::new((count, self.inverse.len()), self.variance, rng, frequency))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn gradients_and_features_are_the_kernels() {
        let rows = check::inputs(4, 3);
        for alpha in [0.1, 1.0, 7.0] {
            let mut kernel = RationalQuadratic::new(1.3, &[0.7, 1.5, 2.0], alpha);
            check::gradients(&mut kernel, &rows);
            check::features(&kernel, &rows);
        }
    }

    #[test]
    fn by_hand() {
        let kernel = RationalQuadratic::new(2.0, &[2.0], 1.0);
        assert!((kernel.value(&[4.0], &[0.0]) - 2.0 / 3.0).abs() < 1e-15);
    }
}
