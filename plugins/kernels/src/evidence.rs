//! The evidence of a Gaussian process with noise: the marginal likelihood of the targets.

use std::f64::consts::PI;

use crate::cholesky::{Cholesky, NotPositive};
use crate::kernel::{Kernel, gram};
use crate::product::dot;
use crate::rows::Rows;

/// Returns the covariance of the targets: that of the kernel, plus the noise variance on the diagonal.
pub fn noisy_gram(kernel: &dyn Kernel, inputs: &Rows, noise_variance: f64) -> Rows {
    let mut covariance = gram(kernel, inputs);
    (0..inputs.rows()).for_each(|i| covariance.row_mut(i)[i] += noise_variance);
    covariance
}

/// Returns the logarithm of the targets' density under a process with mean zero. Adds its gradient with respect to the
/// kernel's parameters and, as the last element, with respect to the noise variance itself.
///
/// # Formula
///
/// With K the covariance of the inputs, A = K + s2 I and c = A^-1 y: log p(y) = -(y . c + log |A| + n log 2 pi) / 2,
/// whose derivative with respect to a parameter t is sum_ij (c c^T - A^-1)_ij (dA / dt)_ij / 2 (Rasmussen and Williams
/// 2006, equations 2.30 and 5.9).
///
/// # Errors
///
/// Fails if the covariance is not positive definite.
pub fn log_evidence(
    kernel: &dyn Kernel,
    (inputs, targets): (&Rows, &[f64]),
    noise_variance: f64,
    gradient: &mut [f64],
) -> Result<f64, NotPositive> {
    let factor = Cholesky::with_jitter(noisy_gram(kernel, inputs, noise_variance))?;
    let mut weights = targets.to_vec();
    factor.solve(&mut weights);
    let inverse = factor.inverse();
    let (by_kernel, by_noise) = gradient.split_at_mut(gradient.len() - 1);
    for (i, a) in inputs.iter().enumerate() {
        let row = inverse.row(i);
        // Each pair stands for two equal elements; the factor 1/2 makes that one.
        for (j, b) in inputs.iter().enumerate().take(i) {
            kernel.add_gradient(a, b, weights[i] * weights[j] - row[j], by_kernel);
        }
        let diagonal = 0.5 * (weights[i] * weights[i] - row[i]);
        kernel.add_gradient(a, a, diagonal, by_kernel);
        by_noise[0] += diagonal;
    }
    let n = targets.len() as f64;
    Ok(-0.5 * (dot(targets, &weights) + factor.log_det() + n * libm::log(2.0 * PI)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;
    use crate::rbf::Rbf;

    /// Tolerance for central differences with a step of 1e-5.
    const DIFFERENCES: f64 = 1e-6;

    #[test]
    fn one_target_by_hand() {
        let inputs = Rows::from_fn(1, 1, |_, _| 3.0);
        let mut gradient = [0.0; 3];
        let found = log_evidence(&Rbf::ard(2.0, &[1.0]), (&inputs, &[1.5]), 0.5, &mut gradient).unwrap();
        let expected = -0.5 * (1.5 * 1.5 / 2.5 + (2.0 * PI * 2.5f64).ln());
        assert!((found - expected).abs() < 1e-14);
        // d/dv of the log density is (y^2 / v^2 - 1 / v) / 2.
        assert!((gradient[2] - 0.5 * (2.25 / 6.25 - 0.4)).abs() < 1e-14);
        assert!((gradient[0] - 2.0 * gradient[2]).abs() < 1e-14);
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        const STEP: f64 = 1e-5;
        let inputs = check::inputs(9, 2);
        let targets: Vec<f64> = inputs.iter().map(|row| row[0] - 0.3 * row[1] * row[1]).collect();
        let kernel = Rbf::ard(0.8, &[0.9, 1.7]);
        let mut gradient = vec![0.0; 4];
        log_evidence(&kernel, (&inputs, &targets), 0.1, &mut gradient).unwrap();
        let at = |i: usize, step: f64| {
            let (mut kernel, mut noise) = (kernel.clone(), 0.1);
            let mut parameters = kernel.parameters();
            match parameters.get_mut(i) {
                Some(parameter) => *parameter += step,
                None => noise += step,
            }
            kernel.set_parameters(&parameters);
            log_evidence(&kernel, (&inputs, &targets), noise, &mut [0.0; 4]).unwrap()
        };
        for (i, found) in gradient.iter().enumerate() {
            let expected = (at(i, STEP) - at(i, -STEP)) / (2.0 * STEP);
            assert!((found - expected).abs() < DIFFERENCES * (1.0 + expected.abs()), "{i}: {found} {expected}");
        }
    }
}
