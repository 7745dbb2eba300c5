//! The kernel of wide networks with one layer of rectified units.

use std::f64::consts::{FRAC_1_PI, PI};

use jointly_sdk::Rng;

use crate::bounds::Bound;
use crate::features::Features;
use crate::kernel::Kernel;
use crate::product::dot;

/// The arc-cosine kernel of order one over a linear function with a bias: the limit of wide networks with one hidden
/// layer.
///
/// # Formula
///
/// C(a, b) = b0 + sum_d w_d a_d b_d / D, and with A = C(a, a), B = C(b, b), C = C(a, b) and s = sqrt(A B - C^2)
///
///   k(a, b) = b1 + w1 (2 s + pi C + 2 C atan(C / s)) / (4 pi),
///
/// where the fraction is E[max(u, 0) max(v, 0)] for normal u and v with those covariances (Cho and Saul 2009; Wang, Sun
/// and Grosse 2021 draw their synthetic functions from it). The parameters are log b1, log w1, log b0 and log w_1 ...
/// log w_D, or a single log w.
#[derive(Clone, Debug)]
pub struct Relu {
    logs: Vec<f64>,
    outer_bias: f64,
    outer_weight: f64,
    bias: f64,
    /// w_d / D for every feature.
    weights: Vec<f64>,
}

/// The covariances before rectification.
struct Before {
    a: f64,
    b: f64,
    c: f64,
    root: f64,
}

impl Relu {
    /// Makes a kernel from the outer bias and weight, the inner bias, and the inner weights: one for each of `dim`
    /// features, or one for all.
    ///
    /// # Panics
    ///
    /// Panics if a bias or weight is not positive, or if the number of weights is neither one nor `dim`.
    pub fn new(outer: [f64; 2], bias: f64, weights: &[f64], dim: usize) -> Self {
        assert!(weights.len() == dim || weights.len() == 1, "a weight for all features or one for each");
        let values = outer.into_iter().chain([bias]).chain(weights.iter().copied());
        let log = |value: f64| {
            assert!(value > 0.0, "biases and weights are positive");
            libm::log(value)
        };
        let logs: Vec<f64> = values.map(log).collect();
        let (outer_bias, outer_weight) = (outer[0], outer[1]);
        let mut kernel = Self { logs: Vec::new(), outer_bias, outer_weight, bias, weights: vec![1.0; dim] };
        kernel.set_parameters(&logs);
        kernel
    }

    fn before(&self, a: &[f64], b: &[f64]) -> Before {
        let [mut own_a, mut own_b, mut c] = [self.bias; 3];
        for ((a, b), weight) in a.iter().zip(b).zip(&self.weights) {
            own_a += weight * (a * a);
            own_b += weight * (b * b);
            c += weight * (a * b);
        }
        let (a, b) = (own_a, own_b);
        Before { a, b, c, root: (a * b - c * c).max(0.0).sqrt() }
    }

    /// Returns the derivative of the kernel with respect to C.
    fn slope(&self, before: &Before) -> f64 {
        self.outer_weight * (0.25 + 0.5 * FRAC_1_PI * libm::atan2(before.c, before.root))
    }
}

impl Kernel for Relu {
    fn parameters(&self) -> Vec<f64> {
        self.logs.clone()
    }

    fn bounds(&self) -> Vec<Bound> {
        vec![Bound::logs(1e-5, 1e4); self.logs.len()]
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.logs = parameters.to_vec();
        self.outer_bias = libm::exp(parameters[0]);
        self.outer_weight = libm::exp(parameters[1]);
        self.bias = libm::exp(parameters[2]);
        let (shared, dim) = (parameters.len() < 3 + self.weights.len(), self.weights.len() as f64);
        for (d, weight) in self.weights.iter_mut().enumerate() {
            *weight = libm::exp(parameters[3 + if shared { 0 } else { d }]) / dim;
        }
    }

    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        let Before { c, root, .. } = self.before(a, b);
        self.outer_bias + self.outer_weight * rectified(c, root)
    }

    fn add_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let before = self.before(a, b);
        to[0] += weight * self.outer_bias;
        to[1] += weight * (value - self.outer_bias);
        let slope = weight * self.slope(&before);
        let outer = weight * self.outer_weight * before.root * (0.25 * FRAC_1_PI);
        // Both are at least the bias, which is positive.
        let (slope_a, slope_b) = (outer / before.a, outer / before.b);
        to[2] += (slope + slope_a + slope_b) * self.bias;
        let shared = to.len() < 3 + self.weights.len();
        for (d, ((a, b), inner)) in a.iter().zip(b).zip(&self.weights).enumerate() {
            to[3 + if shared { 0 } else { d }] += inner * (slope * (a * b) + slope_a * a * a + slope_b * b * b);
        }
    }

    fn add_input_gradient_at(&self, _: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let before = self.before(a, b);
        let slope = weight * self.slope(&before);
        let slope_a = weight * self.outer_weight * before.root * (0.5 * FRAC_1_PI) / before.a;
        for (((to, a), b), inner) in to.iter_mut().zip(a).zip(b).zip(&self.weights) {
            *to += inner * (slope * b + slope_a * a);
        }
    }

    /// Returns rectified random linear functions, followed by a constant.
    fn features(&self, count: usize, rng: &mut Rng) -> Box<dyn Features> {
        let units = count.max(2) - 1;
        let scale = (self.outer_weight / units as f64).sqrt();
        let mut unit = || -> (f64, Vec<f64>) {
            let bias = f64::from(rng.normal()) * self.bias.sqrt();
            (bias, self.weights.iter().map(|weight| f64::from(rng.normal()) * weight.sqrt()).collect())
        };
        Box::new(Rectified { units: (0..units).map(|_| unit()).collect(), scale, constant: self.outer_bias.sqrt() })
    }
}

/// Returns E[max(u, 0) max(v, 0)] for normal u and v with the variances A and B and the covariance C, given C and
/// s = sqrt(A B - C^2).
pub fn rectified(c: f64, root: f64) -> f64 {
    (2.0 * root + PI * c + 2.0 * c * libm::atan2(c, root)) * (0.25 * FRAC_1_PI)
}

/// Rectified random linear functions and a constant.
#[derive(Debug)]
struct Rectified {
    units: Vec<(f64, Vec<f64>)>,
    scale: f64,
    constant: f64,
}

impl Features for Rectified {
    fn len(&self) -> usize {
        self.units.len() + 1
    }

    fn at(&self, input: &[f64], out: &mut [f64]) {
        for (out, (bias, weights)) in out.iter_mut().zip(&self.units) {
            *out = self.scale * (bias + dot(weights, input)).max(0.0);
        }
        out[self.units.len()] = self.constant;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;

    #[test]
    fn gradients_and_features_are_the_kernels() {
        let rows = check::inputs(4, 3);
        let mut kernel = Relu::new([2.5, 1.737], 2.5, &[1.414], 3);
        check::gradients(&mut kernel, &rows);
        check::features(&kernel, &rows);
        check::gradients(&mut Relu::new([0.3, 1.2], 0.8, &[0.5, 1.0, 3.0], 3), &rows);
    }

    #[test]
    fn by_hand() {
        let kernel = Relu::new([1.0, 4.0], 1.0, &[1.0], 1);
        // Perfectly correlated: half of the variance.
        assert!((kernel.value(&[1.0], &[1.0]) - (1.0 + 4.0)).abs() < 1e-12);
        // Uncorrelated with variance two: s / (2 pi).
        assert!((kernel.value(&[1.0], &[-1.0]) - (1.0 + 4.0 * 2.0 / (2.0 * PI))).abs() < 1e-12);
    }
}
