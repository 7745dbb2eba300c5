//! The squared-exponential kernel.

use jointly_sdk::Rng;

use crate::bounds::Bound;
use crate::features::{Features, Fourier};
use crate::kernel::Kernel;

/// The squared-exponential kernel, with a length scale for each feature or a single one.
///
/// # Formula
///
/// k(a, b) = s exp(-sum_d (a_d - b_d)^2 / (2 l_d^2)); the parameters are log s and log l_1 ... log l_D, or a single log
/// l.
#[derive(Clone, Debug)]
pub struct Rbf {
    logs: Vec<f64>,
    variance: f64,
    /// 1 / l_d for every feature.
    inverse: Vec<f64>,
}

impl Rbf {
    /// Makes a kernel from a variance and a length scale for each feature.
    ///
    /// # Panics
    ///
    /// Panics if one of them is not positive.
    pub fn ard(variance: f64, length_scales: &[f64]) -> Self {
        Self::of(std::iter::once(variance).chain(length_scales.iter().copied()), length_scales.len())
    }

    /// Makes a kernel from a variance and one length scale for all `dim` features.
    ///
    /// # Panics
    ///
    /// Panics if one of them is not positive.
    pub fn isotropic(variance: f64, length_scale: f64, dim: usize) -> Self {
        Self::of([variance, length_scale].into_iter(), dim)
    }

    fn of(values: impl Iterator<Item = f64>, dim: usize) -> Self {
        let log = |value: f64| {
            assert!(value > 0.0, "variance and length scales are positive");
            libm::log(value)
        };
        let logs: Vec<f64> = values.map(log).collect();
        let mut kernel = Self { variance: 1.0, inverse: vec![1.0; dim], logs: Vec::new() };
        kernel.set_parameters(&logs);
        kernel
    }

    /// Writes a frequency drawn from the spectral density.
    pub fn frequency(&self, rng: &mut Rng, out: &mut [f64]) {
        out.iter_mut().zip(&self.inverse).for_each(|(out, inverse)| *out = f64::from(rng.normal()) * inverse);
    }

    /// The variance s.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The length scale l_d of every feature.
    pub fn length_scales(&self) -> Vec<f64> {
        self.inverse.iter().map(|inverse| 1.0 / inverse).collect()
    }
}

/// Returns the sum of (a_d - b_d)^2 / l_d^2, given 1 / l_d.
pub(crate) fn scaled_distance(a: &[f64], b: &[f64], inverse: &[f64]) -> f64 {
    let square = |a: f64, b: f64, inverse: f64| {
        let difference = (a - b) * inverse;
        difference * difference
    };
    let (a, a_rest) = a.as_chunks::<4>();
    let (b, b_rest) = b.as_chunks::<4>();
    let (inverse, inverse_rest) = inverse.as_chunks::<4>();
    // Four independent sums.
    let mut sums = [0.0; 4];
    for ((a, b), inverse) in a.iter().zip(b).zip(inverse) {
        for i in 0..4 {
            sums[i] += square(a[i], b[i], inverse[i]);
        }
    }
    let rest = a_rest.iter().zip(b_rest).zip(inverse_rest);
    let rest: f64 = rest.map(|((a, b), inverse)| square(*a, *b, *inverse)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Adds `weight` times (a_d - b_d)^2 / l_d^2 for each log l_d, or the sum of these for a single log l.
pub(crate) fn add_scale_gradient(a: &[f64], b: &[f64], inverse: &[f64], weight: f64, to: &mut [f64]) {
    if to.len() < inverse.len() {
        to[0] += weight * scaled_distance(a, b, inverse);
        return;
    }
    for (((a, b), inverse), to) in a.iter().zip(b).zip(inverse).zip(to) {
        let difference = (a - b) * inverse;
        *to += weight * difference * difference;
    }
}

/// Adds `weight` times (b_d - a_d) / l_d^2 for each feature.
pub(crate) fn add_difference(a: &[f64], b: &[f64], inverse: &[f64], weight: f64, to: &mut [f64]) {
    for (((a, b), inverse), to) in a.iter().zip(b).zip(inverse).zip(to) {
        *to += weight * (b - a) * inverse * inverse;
    }
}

/// Writes 1 / l_d of every feature, given the logarithms of all length scales or of a single one.
pub(crate) fn inverse_scales(logs: &[f64], inverse: &mut [f64]) {
    let shared = logs.len() < inverse.len();
    for (d, inverse) in inverse.iter_mut().enumerate() {
        *inverse = libm::exp(-logs[if shared { 0 } else { d }]);
    }
}

/// Bounds of the logarithms of the variance and of the length scales. The smallest length scale is 1e-4, as in the
/// paper, in units of standardised features.
pub(crate) fn stationary_bounds(scales: usize) -> Vec<Bound> {
    let scale = Bound::logs(1e-4, 1e5);
    std::iter::once(Bound::logs(1e-6, 1e5)).chain(std::iter::repeat_n(scale, scales)).collect()
}

impl Kernel for Rbf {
    fn parameters(&self) -> Vec<f64> {
        self.logs.clone()
    }

    fn bounds(&self) -> Vec<Bound> {
        stationary_bounds(self.logs.len() - 1)
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.logs = parameters.to_vec();
        self.variance = libm::exp(parameters[0]);
        inverse_scales(&parameters[1..], &mut self.inverse);
    }

    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        self.variance * libm::exp(-0.5 * scaled_distance(a, b, &self.inverse))
    }

    fn add_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let value = weight * value;
        to[0] += value;
        add_scale_gradient(a, b, &self.inverse, value, &mut to[1..]);
    }

    fn add_input_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        add_difference(a, b, &self.inverse, weight * value, to);
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
        let mut ard = Rbf::ard(1.3, &[0.7, 1.5, 2.0]);
        check::gradients(&mut ard, &rows);
        check::features(&ard, &rows);
        check::gradients(&mut Rbf::isotropic(0.6, 1.2, 3), &rows);
    }

    #[test]
    fn by_hand() {
        let kernel = Rbf::ard(2.0, &[1.0, 2.0]);
        assert!((kernel.value(&[1.0, 1.0], &[0.0, 3.0]) - 2.0 * (-1.0f64).exp()).abs() < 1e-15);
        assert_eq!(kernel.value(&[1.0, 1.0], &[1.0, 1.0]), kernel.variance());
        assert_eq!(kernel.length_scales(), [1.0, 2.0]);
    }
}
