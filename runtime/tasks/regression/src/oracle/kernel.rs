//! The covariance of a ReLU network with one hidden layer of infinite width.

use std::f64::consts::PI;

use jointly_core::correlations::Dense;
use jointly_core::matrix::Matrix;

/// Keeps the quotient c / s finite for an input and itself, where the sine of the angle is 0.
const SINE_OFFSET: f64 = 1e-10;

/// The covariance of f(x) and f(x') for a random network with one hidden layer of infinitely many ReLU units.
///
/// # Formula
/// With d features, `c(x, x') = b0 + w0 x.x' / d` is the covariance of a unit's input at x and x'. With `a = c(x, x)`,
/// `b = c(x', x')`, `c = c(x, x')` and `s = sqrt(max(a b - c^2, 0)) + 1e-10`,
/// `k(x, x') = b1 + w1 (2 s + pi c + 2 c atan(c / s)) / (4 pi)`, where the quotient is E\[relu(u) relu(v)\] for
/// Gaussian (u, v) with variances a and b and covariance c: the arc-cosine kernel of degree 1 (Cho and Saul, "Kernel
/// Methods for Deep Learning", 2009). It is the limit for H to infinity of
/// `f(x) = sqrt(b1) beta + sqrt(w1 / H) sum_h v_h relu(sqrt(b0) beta_h + sqrt(w0 / d) u_h.x)` with beta, `v_h`,
/// `beta_h` and `u_h` standard normal (Neal, 1995). Wang, Sun and Grosse, "Beyond Marginal Uncertainty" (2021), section
/// 5.1; the default constants are those of their published code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReluKernel {
    /// b0, the prior variance of a hidden unit's bias.
    pub hidden_bias: f64,
    /// w0, the prior variance of a hidden unit's weights, before division by d.
    pub hidden_weight: f64,
    /// b1, the prior variance of the output's bias.
    pub output_bias: f64,
    /// w1, the prior variance of the output's weights, before division by the width.
    pub output_weight: f64,
}

impl Default for ReluKernel {
    fn default() -> Self {
        Self { hidden_bias: 2.5, hidden_weight: 1.414, output_bias: 2.5, output_weight: 1.737 }
    }
}

impl ReluKernel {
    /// Returns k(x, x') for two inputs, each with one number per feature.
    ///
    /// # Panics
    /// When the inputs have no features or differ in their number.
    pub fn value(&self, x: &[f32], y: &[f32]) -> f64 {
        self.output(self.hidden(x, x), self.hidden(y, y), self.hidden(x, y))
    }

    /// Returns k between the rows of `x` and those of `y`.
    ///
    /// # Panics
    /// As for [`value`](Self::value).
    pub fn matrix(&self, x: &Matrix, y: &Matrix) -> Dense {
        let (a, b) = (self.hidden_variances(x), self.hidden_variances(y));
        let element = |i, j| self.output(a[i], b[j], self.hidden(x.row(i), y.row(j)));
        Dense::from_fn(x.rows(), y.rows(), element)
    }

    /// Returns k between the rows of `x`, a symmetric matrix.
    ///
    /// # Panics
    /// When the inputs have no features.
    pub fn gram(&self, x: &Matrix) -> Dense {
        let a = self.hidden_variances(x);
        Dense::symmetric(x.rows(), |i, j| self.output(a[i], a[j], self.hidden(x.row(i), x.row(j))))
    }

    /// Returns k(x, x) for each row.
    ///
    /// # Panics
    /// When the inputs have no features.
    pub fn variances(&self, x: &Matrix) -> Vec<f64> {
        self.hidden_variances(x).iter().map(|&a| self.output(a, a, a)).collect()
    }

    fn hidden_variances(&self, x: &Matrix) -> Vec<f64> {
        (0..x.rows()).map(|i| self.hidden(x.row(i), x.row(i))).collect()
    }

    /// Returns the covariance of a hidden unit's input at `x` and `y`.
    fn hidden(&self, x: &[f32], y: &[f32]) -> f64 {
        assert!(!x.is_empty() && x.len() == y.len(), "inputs have features, equally many");
        let products = x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y));
        self.hidden_bias + self.hidden_weight * products.sum::<f64>() / x.len() as f64
    }

    fn output(&self, a: f64, b: f64, c: f64) -> f64 {
        let s = (a * b - c * c).max(0.0).sqrt() + SINE_OFFSET;
        let expectation = (2.0 * s + PI * c + 2.0 * c * libm::atan(c / s)) / (4.0 * PI);
        self.output_bias + self.output_weight * expectation
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::stream::stream;

    use super::*;

    /// The offset of 1e-10 moves the sine by as much.
    const CLOSED_FORM: f64 = 1e-9;

    #[test]
    fn the_closed_form_in_angles() {
        let kernel = ReluKernel::default();
        let mut source = stream(0, "test", "kernel", 0);
        for _ in 0..100 {
            let x: Vec<f32> = (0..3).map(|_| source.normal() as f32).collect();
            let y: Vec<f32> = (0..3).map(|_| source.normal() as f32).collect();
            let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
            let (a, b) = (2.5 + 1.414 * dot(&x, &x) / 3.0, 2.5 + 1.414 * dot(&y, &y) / 3.0);
            let theta = ((2.5 + 1.414 * dot(&x, &y) / 3.0) / (a * b).sqrt()).acos();
            let expectation = (a * b).sqrt() * (theta.sin() + (PI - theta) * theta.cos()) / (2.0 * PI);
            assert!((kernel.value(&x, &y) - (2.5 + 1.737 * expectation)).abs() < CLOSED_FORM);
        }
    }

    #[test]
    fn an_input_and_itself_have_half_the_hidden_variance() {
        let x = [2.0_f32];
        let variance = 2.5 + 1.737 * (2.5 + 1.414 * 4.0) / 2.0;
        assert!((ReluKernel::default().value(&x, &x) - variance).abs() < CLOSED_FORM);
    }

    #[test]
    fn a_matrix_holds_the_values() {
        let kernel = ReluKernel::default();
        let x = Matrix::new(3, 2, vec![0.5, -1.0, 2.0, 0.0, 0.25, 3.0]).unwrap();
        let gram = kernel.gram(&x);
        assert_eq!(gram, kernel.matrix(&x, &x));
        assert_eq!(gram[(2, 1)], kernel.value(x.row(2), x.row(1)));
        assert_eq!(gram.diagonal(), kernel.variances(&x));
    }

    #[test]
    fn wide_random_networks_have_this_covariance() {
        const NETWORKS: u64 = 20_000;
        const WIDTH: usize = 32;
        let kernel = ReluKernel::default();
        let x = Matrix::new(3, 2, vec![0.5, -1.0, -2.0, 0.3, 1.5, 1.0]).unwrap();
        let mut moments = Dense::zeros(3, 3);
        let mut squares = Dense::zeros(3, 3);
        for network in 0..NETWORKS {
            let mut source = stream(0, "test", "networks", network);
            // The covariance is the same at any width; only higher moments need many units.
            let mut f = [kernel.output_bias.sqrt() * source.normal(); 3];
            for _ in 0..WIDTH {
                let out = (kernel.output_weight / WIDTH as f64).sqrt() * source.normal();
                let bias = kernel.hidden_bias.sqrt() * source.normal();
                let weights = [(); 2].map(|()| (kernel.hidden_weight / 2.0).sqrt() * source.normal());
                for (i, f) in f.iter_mut().enumerate() {
                    let products = x.row(i).iter().zip(&weights).map(|(&x, w)| f64::from(x) * w);
                    *f += out * (bias + products.sum::<f64>()).max(0.0);
                }
            }
            for i in 0..3 {
                for j in 0..3 {
                    moments[(i, j)] += f[i] * f[j] / NETWORKS as f64;
                    squares[(i, j)] += (f[i] * f[j]).powi(2) / NETWORKS as f64;
                }
            }
        }
        let gram = kernel.gram(&x);
        for i in 0..3 {
            for j in 0..3 {
                let stderr = ((squares[(i, j)] - moments[(i, j)].powi(2)) / NETWORKS as f64).sqrt();
                let error = moments[(i, j)] - gram[(i, j)];
                assert!(error.abs() < 4.0 * stderr, "({i}, {j}): {error} with standard error {stderr}");
            }
        }
    }
}
