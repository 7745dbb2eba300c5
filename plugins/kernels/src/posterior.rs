//! The posterior of a Gaussian process after noisy observations.

use jointly_sdk::{Failure, FunctionSamples, Gaussian, Matrix, Rng};

use crate::answer::{finite_gaussian, finite_samples, widths_agree};
use crate::cholesky::Cholesky;
use crate::evidence::noisy_gram;
use crate::kernel::{Kernel, cross, gram};
use crate::pathwise::Pathwise;
use crate::product::{dot, times_transposed};
use crate::rows::Rows;

/// The posterior of a Gaussian process with mean zero.
///
/// # Formula
///
/// With A = K + s2 I over the examples and k_* the covariances of another input with them, the mean is k_* . A^-1 y and
/// the covariance k_** - k_* . A^-1 k_*' (Rasmussen and Williams 2006, equations 2.25 and 2.26). A draw's coefficients
/// in [`Pathwise`] are A^-1 (y - g - e), with g the prior function's values at the examples and e noise of variance s2.
#[derive(Debug)]
pub struct Posterior {
    kernel: Box<dyn Kernel>,
    inputs: Rows,
    targets: Vec<f64>,
    noise_variance: f64,
    factor: Cholesky,
    /// A^-1 y.
    weights: Vec<f64>,
    paths: Pathwise,
}

impl Posterior {
    /// Conditions the process on the examples; draws use `features` random features. Logs the jitter if factoring the
    /// covariance needed any.
    ///
    /// # Errors
    ///
    /// Fails if the covariance of the examples is not positive definite.
    pub fn new(
        kernel: Box<dyn Kernel>,
        (inputs, targets): (Rows, Vec<f64>),
        noise_variance: f64,
        features: usize,
        seed: u64,
    ) -> Result<Self, Failure> {
        let factor = Cholesky::with_jitter(noisy_gram(&*kernel, &inputs, noise_variance))?;
        factor.log_jitter("the covariance of the examples");
        let mut weights = targets.clone();
        factor.solve(&mut weights);
        let paths = Pathwise::new(&*kernel, features, seed);
        Ok(Self { kernel, inputs, targets, noise_variance, factor, weights, paths })
    }

    /// The kernel.
    pub fn kernel(&self) -> &dyn Kernel {
        &*self.kernel
    }

    /// The variance of the noise.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// Returns the values of sampled functions.
    ///
    /// # Errors
    ///
    /// Fails if the inputs have another number of features, or if a value does not fit into an `f32`.
    pub fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        widths_agree(inputs, self.inputs.cols())?;
        let deviation = self.noise_variance.sqrt();
        let update = |rng: &mut Rng, prior: Vec<f64>| {
            let noise = prior.iter().map(|_| deviation * f64::from(rng.normal())).collect::<Vec<f64>>();
            let mut coefficients: Vec<f64> =
                self.targets.iter().zip(prior).zip(noise).map(|((y, g), e)| y - g - e).collect();
            self.factor.solve(&mut coefficients);
            coefficients
        };
        let values = self.paths.sample(&*self.kernel, &self.inputs, &Rows::of(inputs), draws, &update);
        let noise_stds = vec![deviation as f32; values.len()];
        finite_samples(FunctionSamples { means: values.into_iter().map(|value| value as f32).collect(), noise_stds })
    }

    /// Returns the mean and the covariance at the inputs.
    ///
    /// # Errors
    ///
    /// Fails if the inputs have another number of features, or if a moment overflows an `f64`.
    pub fn gaussian(&self, inputs: &Matrix) -> Result<Gaussian, Failure> {
        widths_agree(inputs, self.inputs.cols())?;
        let inputs = Rows::of(inputs);
        let mut known = cross(&*self.kernel, &inputs, &self.inputs);
        let mean = known.iter().map(|row| dot(row, &self.weights)).collect();
        self.factor.solve_rows(&mut known);
        let explained = times_transposed(&known, &known);
        let mut covariance = gram(&*self.kernel, &inputs).to_vec();
        covariance.iter_mut().zip(explained.iter().flatten()).for_each(|(k, explained)| *k -= explained);
        finite_gaussian(Gaussian { mean, covariance, noise_variance: vec![self.noise_variance; inputs.rows()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::check;
    use crate::rbf::Rbf;
    use crate::relu::Relu;

    const TOLERANCE: f64 = 1e-9;
    const DRAWS: u64 = 8000;

    fn targets(inputs: &Rows) -> Vec<f64> {
        inputs.iter().map(|row| row[0].sin() + row[1]).collect()
    }

    fn matrix(rows: &Rows) -> Matrix {
        let values = rows.to_vec().into_iter().map(|value| value as f32).collect();
        Matrix::new(rows.rows(), rows.cols(), values).unwrap()
    }

    /// Returns the inverse by Gaussian elimination with pivoting.
    fn inverse(matrix: &Rows) -> Rows {
        let n = matrix.rows();
        let mut work: Vec<Vec<f64>> = (0..n)
            .map(|i| matrix.row(i).iter().copied().chain((0..n).map(|j| f64::from(u8::from(i == j)))).collect())
            .collect();
        for i in 0..n {
            let pivot = (i..n).max_by(|a, b| work[*a][i].abs().total_cmp(&work[*b][i].abs())).unwrap();
            work.swap(i, pivot);
            let row = work[i].clone();
            work[i] = row.iter().map(|x| x / row[i]).collect();
            let row = work[i].clone();
            for (_, other) in work.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                let factor = other[i];
                other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
            }
        }
        Rows::from_fn(n, n, |i, j| work[i][n + j])
    }

    #[test]
    fn moments_are_those_of_a_dense_inverse() {
        let examples = Rows::of(&matrix(&check::inputs(7, 2)));
        let others = matrix(&check::inputs(12, 2));
        let kernel = Rbf::ard(1.3, &[0.8, 1.4]);
        let posterior =
            Posterior::new(Box::new(kernel.clone()), (examples.clone(), targets(&examples)), 0.05, 8, 0).unwrap();
        let found = posterior.gaussian(&others).unwrap();
        let others = Rows::of(&others);
        let inverse = inverse(&noisy_gram(&kernel, &examples, 0.05));
        let known = cross(&kernel, &others, &examples);
        let weights = times_transposed(&known, &inverse);
        let (y, explained) = (targets(&examples), times_transposed(&weights, &known));
        for i in 0..12 {
            assert!((found.mean[i] - dot(weights.row(i), &y)).abs() < TOLERANCE);
            for j in 0..12 {
                let expected = kernel.value(others.row(i), others.row(j)) - explained.row(i)[j];
                assert!((found.covariance[i * 12 + j] - expected).abs() < TOLERANCE);
            }
        }
    }

    #[test]
    fn draws_have_the_moments_of_the_posterior() {
        let kernels: [Box<dyn Kernel>; 2] =
            [Box::new(Rbf::ard(1.3, &[0.8, 1.4])), Box::new(Relu::new([0.5, 2.0], 1.0, &[1.0], 2))];
        for kernel in kernels {
            let examples = check::inputs(6, 2);
            let y = targets(&examples);
            let posterior = Posterior::new(kernel, (examples, y), 0.1, 1024, 3).unwrap();
            let others = matrix(&check::inputs(9, 2));
            let draws: Vec<u64> = (0..DRAWS).collect();
            let samples = posterior.sample_functions(&others, &draws).unwrap();
            let moments = posterior.gaussian(&others).unwrap();
            let value = |m: usize, t: usize| f64::from(samples.means[m * 9 + t]) - moments.mean[t];
            let n = DRAWS as f64;
            for i in 0..9 {
                let mean = (0..draws.len()).map(|m| value(m, i)).sum::<f64>() / n;
                let variance = moments.covariance[i * 10];
                assert!(mean.abs() < 5.0 * (variance / n).sqrt(), "mean {i}: {mean}");
                for j in 0..=i {
                    let found = (0..draws.len()).map(|m| value(m, i) * value(m, j)).sum::<f64>() / n;
                    let (expected, other) = (moments.covariance[i * 9 + j], moments.covariance[j * 10]);
                    // Errors of the draws, and of the features of the 16 banks.
                    let error = ((variance * other + expected * expected) / n).sqrt();
                    let banks = 0.02 * (posterior.kernel().value(&[1.0, 1.0], &[1.0, 1.0])).min(1.5);
                    assert!((found - expected).abs() < 5.0 * error + banks, "{i} {j}: {found} {expected} {error}");
                }
            }
        }
    }

    #[test]
    fn a_draw_is_one_function_in_any_company() {
        let examples = check::inputs(6, 2);
        let y = targets(&examples);
        let make = |seed| {
            let kernel = Box::new(Rbf::ard(1.3, &[0.8, 1.4]));
            Posterior::new(kernel, (examples.clone(), y.clone()), 0.1, 100, seed).unwrap()
        };
        let posterior = make(1);
        let inputs = matrix(&check::inputs(300, 2));
        let draws = [5, 21, 5, 1 << 60, 0];
        let together = posterior.sample_functions(&inputs, &draws).unwrap().means;
        assert_eq!(together[..300], together[600..900]);
        assert_ne!(together[..300], together[300..600]);
        for (m, draw) in draws.iter().enumerate() {
            for row in [0, 7, 299] {
                let alone = Matrix::new(1, 2, inputs.row(row).to_vec()).unwrap();
                let found = make(1).sample_functions(&alone, &[*draw]).unwrap().means[0];
                assert_eq!(found.to_bits(), together[m * 300 + row].to_bits());
            }
        }
        assert_ne!(make(2).sample_functions(&inputs, &[5]).unwrap().means, together[..300]);
    }

    #[test]
    fn wrong_widths_and_overflow_are_refused() {
        let examples = check::inputs(3, 2);
        let y = targets(&examples);
        let posterior =
            Posterior::new(Box::new(Relu::new([1.0, 1.0], 1.0, &[1.0], 2)), (examples, y), 0.1, 9, 0).unwrap();
        let wrong = Matrix::new(1, 3, vec![0.0; 3]).unwrap();
        assert!(matches!(posterior.gaussian(&wrong), Err(Failure::Unsupported(_))));
        let far = Matrix::new(1, 2, vec![f32::MAX; 2]).unwrap();
        assert!(matches!(posterior.sample_functions(&far, &[0]), Err(Failure::Diverged(_))));
    }
}
