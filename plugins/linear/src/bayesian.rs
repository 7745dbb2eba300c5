//! Bayesian linear regression with a normal prior; the evidence determines its variance and the noise's.

use std::f64::consts::PI;

use jointly_kernels::product::{dot, times_transposed};
use jointly_kernels::{Bound, Cholesky, Optimizer, Progress, Rows, fit::Recipe};
use jointly_sdk::Failure;

use super::{Fitted, Noise, Settings};

/// The initial precision of the weights and variance of the noise; with fewer than two examples they stay.
const START: (f64, f64) = (1.0, 0.1);

/// The examples, in the form that the evidence needs.
struct Examples<'a> {
    rows: &'a Rows,
    targets: &'a [f64],
    /// The matrix X^T X.
    products: Rows,
    /// The vector X^T y.
    sums: Vec<f64>,
}

/// The posterior of the weights, given the precision a of the prior and the variance v of the noise.
struct Posterior {
    mean: Vec<f64>,
    /// The Cholesky factor of A = a I + X^T X / v.
    factor: Cholesky,
}

impl Examples<'_> {
    fn posterior(&self, precision: f64, noise: f64) -> Option<Posterior> {
        let p = self.sums.len();
        let prior = |i: usize, j: usize| if i == j { precision } else { 0.0 };
        let matrix = Rows::from_fn(p, p, |i, j| prior(i, j) + self.products.row(i)[j] / noise);
        let factor = Cholesky::with_jitter(matrix).ok()?;
        let mut mean: Vec<f64> = self.sums.iter().map(|sum| sum / noise).collect();
        factor.solve(&mut mean);
        Some(Posterior { mean, factor })
    }

    /// Computes the logarithm of the evidence, and its derivatives with respect to log a and v.
    ///
    /// # Formula
    ///
    /// With p weights of posterior mean m and A = a I + X^T X / v:
    /// log p(y) = (p log a - n log(2 pi v) - |y - X m|^2 / v - a |m|^2 - log |A|) / 2 (Bishop 2006, equation 3.86).
    fn evidence(&self, precision: f64, noise: f64) -> Option<(f64, [f64; 2])> {
        let Posterior { mean, factor } = self.posterior(precision, noise)?;
        let (n, p) = (self.targets.len() as f64, mean.len() as f64);
        let residuals = self.rows.iter().zip(self.targets).map(|(row, y)| (y - dot(row, &mean)).powi(2)).sum::<f64>();
        let shrunk = precision * dot(&mean, &mean);
        let value =
            p * libm::log(precision) - n * libm::log(2.0 * PI * noise) - residuals / noise - shrunk - factor.log_det();
        let trace = precision * factor.inverse_factor().iter().map(|row| dot(row, row)).sum::<f64>();
        let by_precision = 0.5 * (p - shrunk - trace);
        let by_noise = 0.5 * (residuals / noise - n + (p - trace)) / noise;
        Some((0.5 * value, [by_precision, by_noise]))
    }
}

/// Computes the posterior at the evidence's maximum.
///
/// # Errors
///
/// The covariance of the weights is not positive definite.
pub(super) fn fit(
    rows: &Rows,
    targets: &[f64],
    noise_std: Option<f32>,
    settings: &Settings,
) -> Result<Fitted, Failure> {
    let columns = rows.transposed();
    let sums = columns.iter().map(|column| dot(column, targets)).collect();
    let examples = Examples { rows, targets, products: times_transposed(&columns, &columns), sums };
    let recipe = Recipe {
        optimizer: Optimizer::Lbfgs,
        steps: *settings.steps,
        learning_rate: 1.0,
        min_noise_variance: f64::from(*settings.min_noise),
        noise_variance: noise_std.map(|std| f64::from(std) * f64::from(std)),
    };
    let start = [libm::log(START.0), recipe.noise_parameter(START.1)];
    let not_positive = || Failure::Diverged("the covariance of the weights is not positive definite".into());
    let found = if targets.len() < 2 {
        start.to_vec()
    } else {
        let mut progress = Progress::new(*settings.steps);
        let bounds = [Bound::logs(1e-6, 1e8), Recipe::noise_bound()];
        let found = recipe.minimise(&start, &bounds, &mut |at, gradient| {
            progress.step();
            let (noise, slope) = recipe.noise(at[1]);
            let (value, [by_precision, by_noise]) = examples.evidence(libm::exp(at[0]), noise)?;
            gradient.copy_from_slice(&[-by_precision, -by_noise * slope]);
            Some(-value)
        });
        found.ok_or_else(not_positive)?.0
    };
    let noise = recipe.noise(found[1]).0;
    let Posterior { mean, factor } = examples.posterior(libm::exp(found[0]), noise).ok_or_else(not_positive)?;
    factor.log_jitter("the precision of the weights");
    Ok(Fitted { weights: mean, factor, noise: Noise::Variance(noise) })
}

#[cfg(test)]
mod tests {
    use jointly_kernels::evidence::log_evidence;
    use jointly_kernels::linear::Linear;

    use super::*;

    /// Tolerance of two computations of the same number.
    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn the_evidence_is_that_of_a_linear_kernel() {
        let rows = Rows::from_fn(7, 3, |i, j| ((i * 5 + j * 3) % 7) as f64 / 3.0 - 1.0);
        let targets: Vec<f64> = rows.iter().map(|row| row[0] - 0.5 * row[2] + 0.1 * row[1] * row[1]).collect();
        let columns = rows.transposed();
        let sums = columns.iter().map(|column| dot(column, &targets)).collect();
        let examples =
            Examples { rows: &rows, targets: &targets, products: times_transposed(&columns, &columns), sums };
        let (value, slopes) = examples.evidence(2.5, 0.3).unwrap();
        let mut gradient = [0.0; 4];
        let expected = log_evidence(&Linear::new(&[0.4; 3]), (&rows, &targets), 0.3, &mut gradient).unwrap();
        assert!((value - expected).abs() < TOLERANCE);
        // The kernel's variances are 1 / a.
        assert!((slopes[0] + gradient[0] + gradient[1] + gradient[2]).abs() < TOLERANCE);
        assert!((slopes[1] - gradient[3]).abs() < TOLERANCE);
    }
}
