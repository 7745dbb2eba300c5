//! Covariance functions with their gradients.

use std::fmt;

use jointly_sdk::Rng;

use crate::bounds::Bound;
use crate::features::Features;
use crate::rows::Rows;

/// A covariance function of two inputs, whose parameters are logarithms of positive numbers.
pub trait Kernel: fmt::Debug {
    /// The logarithms of the parameters.
    fn parameters(&self) -> Vec<f64>;

    /// The bounds of each of [`parameters`](Self::parameters).
    fn bounds(&self) -> Vec<Bound>;

    /// Replaces the parameters.
    fn set_parameters(&mut self, parameters: &[f64]);

    /// Returns the covariance of the function's values at two inputs.
    fn value(&self, a: &[f64], b: &[f64]) -> f64;

    /// Adds the gradient with respect to [`parameters`](Self::parameters), times a weight, given the kernel's value.
    fn add_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]);

    /// Adds the gradient with respect to [`parameters`](Self::parameters), times a weight.
    fn add_gradient(&self, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        self.add_gradient_at(self.value(a, b), a, b, weight, to);
    }

    /// Adds the gradient with respect to the first input, times a weight, given the kernel's value.
    fn add_input_gradient_at(&self, value: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]);

    /// Draws about `count` random features, whose sum of products is the kernel on average.
    fn features(&self, count: usize, rng: &mut Rng) -> Box<dyn Features>;

    /// Writes the covariances of an input with each of the rows.
    fn values(&self, a: &[f64], rows: &Rows, out: &mut [f64]) {
        for (out, b) in out.iter_mut().zip(rows.iter()) {
            *out = self.value(a, b);
        }
    }
}

/// Returns the covariances of all rows of `a` with all rows of `b`: element (i, j) belongs to row i of `a` and row j of
/// `b`.
pub fn cross(kernel: &dyn Kernel, a: &Rows, b: &Rows) -> Rows {
    let mut out = Rows::zeros(a.rows(), b.rows());
    for (i, a) in a.iter().enumerate() {
        kernel.values(a, b, out.row_mut(i));
    }
    out
}

/// Returns the covariances of all rows with one another.
pub fn gram(kernel: &dyn Kernel, rows: &Rows) -> Rows {
    let mut out = Rows::zeros(rows.rows(), rows.rows());
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate().take(i + 1) {
            let value = kernel.value(a, b);
            out.row_mut(i)[j] = value;
            out.row_mut(j)[i] = value;
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod check {
    //! Checks that the tests of every kernel use.

    use super::*;

    /// Tolerance for central differences with a step of 1e-5, on values of order one.
    const DIFFERENCES: f64 = 1e-7;
    const STEP: f64 = 1e-5;

    /// Returns inputs of order one.
    pub(crate) fn inputs(rows: usize, cols: usize) -> Rows {
        let mut rng = Rng::new(11, 0);
        let values: Vec<f64> = (0..rows * cols).map(|_| f64::from(rng.normal())).collect();
        Rows::from_fn(rows, cols, |i, j| values[i * cols + j])
    }

    /// Compares the gradients with finite differences.
    pub(crate) fn gradients(kernel: &mut dyn Kernel, rows: &Rows) {
        let parameters = kernel.parameters();
        assert_eq!(parameters.len(), kernel.bounds().len());
        for a in rows.iter() {
            for b in rows.iter() {
                assert_eq!(kernel.value(a, b), kernel.value(b, a));
                let mut gradient = vec![1.0; parameters.len()];
                kernel.add_gradient(a, b, 2.0, &mut gradient);
                for (i, found) in gradient.iter().enumerate() {
                    let mut at = |step: f64| {
                        let mut moved = parameters.clone();
                        moved[i] += step;
                        kernel.set_parameters(&moved);
                        kernel.value(a, b)
                    };
                    let expected = 1.0 + (at(STEP) - at(-STEP)) / STEP;
                    assert!((found - expected).abs() < DIFFERENCES, "parameter {i}: {found} {expected}");
                }
                kernel.set_parameters(&parameters);
                if a == b {
                    // Not all kernels are smooth at equal inputs.
                    continue;
                }
                let mut gradient = vec![1.0; a.len()];
                kernel.add_input_gradient_at(kernel.value(a, b), a, b, 2.0, &mut gradient);
                for (i, found) in gradient.iter().enumerate() {
                    let at = |step: f64| {
                        let mut moved = a.to_vec();
                        moved[i] += step;
                        kernel.value(&moved, b)
                    };
                    let expected = 1.0 + (at(STEP) - at(-STEP)) / STEP;
                    assert!((found - expected).abs() < DIFFERENCES, "input {i}: {found} {expected}");
                }
            }
        }
    }

    /// Compares the mean of the features' products with the kernel, within five of the mean's standard errors.
    pub(crate) fn features(kernel: &dyn Kernel, rows: &Rows) {
        const COUNT: usize = 64;
        const TIMES: u64 = 400;
        let pairs: Vec<(usize, usize)> = (0..rows.rows()).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
        let mut sums = vec![(0.0, 0.0); pairs.len()];
        for time in 0..TIMES {
            let features = kernel.features(COUNT, &mut Rng::new(5, time));
            let mut values = Rows::zeros(rows.rows(), features.len());
            for (i, row) in rows.iter().enumerate() {
                features.at(row, values.row_mut(i));
            }
            for ((i, j), (sum, squares)) in pairs.iter().zip(&mut sums) {
                let product = crate::product::dot(values.row(*i), values.row(*j));
                *sum += product;
                *squares += product * product;
            }
        }
        for ((i, j), (sum, squares)) in pairs.iter().zip(sums) {
            let n = TIMES as f64;
            let mean = sum / n;
            let error = ((squares / n - mean * mean).max(0.0) / n).sqrt();
            let expected = kernel.value(rows.row(*i), rows.row(*j));
            assert!((mean - expected).abs() < 5.0 * error + 1e-6, "{i} {j}: {mean} for {expected}, error {error}");
        }
    }
}
