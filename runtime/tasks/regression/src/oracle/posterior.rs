//! The posterior of a Gaussian process with the oracle's kernel.

use jointly_core::correlations::Dense;
use jointly_core::correlations::subtract_transposed_product;
use jointly_core::correlations::{Cholesky, CholeskyError};
use jointly_core::correlations::{Moments, MomentsError};
use jointly_core::correlations::{PoolCovariance, PoolTest};
use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use super::kernel::ReluKernel;

/// The posterior of f given training data y = f(x) + N(0, noise variance), where f has mean 0 and the kernel's
/// covariance.
///
/// # Formula
/// With K = k(X, X) + noise variance I over the training inputs X, the mean at x is k(x, X) `K^-1` y and the covariance
/// of x and x' is k(x, x') - k(x, X) `K^-1` k(X, x'). Without training data it is the prior.
#[derive(Clone, Debug)]
pub struct Posterior {
    kernel: ReluKernel,
    noise_variance: f64,
    inputs: Matrix,
    factor: Cholesky,
    /// `K^-1` y.
    weights: Vec<f64>,
}

/// A posterior at some inputs: its marginals, and the matrix from which covariances with other inputs are computed.
#[derive(Clone, Debug)]
pub struct At<'a> {
    kernel: &'a ReluKernel,
    noise_variance: f64,
    inputs: &'a Matrix,
    mean: Vec<f64>,
    /// `L^-1` k(X, x), one column per input.
    half: Dense,
    variance: Vec<f64>,
}

impl Posterior {
    /// Conditions the process on training data.
    ///
    /// # Errors
    /// When an input is not finite, or K is not positive definite even with the most jitter, which noise prevents.
    ///
    /// # Panics
    /// When there is not one target for each input, or inputs have no features.
    pub fn new(
        kernel: ReluKernel,
        noise_variance: f64,
        inputs: Matrix,
        targets: &[f64],
    ) -> Result<Self, CholeskyError> {
        assert_eq!(inputs.rows(), targets.len(), "one target for each input");
        let mut gram = kernel.gram(&inputs);
        for i in 0..inputs.rows() {
            gram[(i, i)] += noise_variance;
        }
        let factor = Cholesky::new(&gram)?;
        let weights = factor.solve(targets);
        Ok(Self { kernel, noise_variance, inputs, factor, weights })
    }

    /// Returns the jitter added to K's diagonal in addition to the noise: 0 unless the noise is tiny.
    pub fn jitter(&self) -> f64 {
        self.factor.jitter()
    }

    /// Returns the posterior at the rows of `inputs`.
    ///
    /// # Panics
    /// When they have another number of features than the training inputs.
    pub fn at<'a>(&'a self, inputs: &'a Matrix) -> At<'a> {
        let mut half = self.kernel.matrix(&self.inputs, inputs);
        let mut mean = vec![0.0; inputs.rows()];
        let mut variance = self.kernel.variances(inputs);
        for (k, weight) in self.weights.iter().enumerate() {
            for (mean, k) in mean.iter_mut().zip(half.row(k)) {
                *mean += weight * k;
            }
        }
        self.factor.half_solve(&mut half);
        for k in 0..half.rows() {
            for (variance, h) in variance.iter_mut().zip(half.row(k)) {
                *variance -= h * h;
            }
        }
        for variance in &mut variance {
            // Rounding may take a variance that is nearly 0 below it. A NaN is kept, so that it is reported.
            if *variance < 0.0 {
                *variance = 0.0;
            }
        }
        At { kernel: &self.kernel, noise_variance: self.noise_variance, inputs, mean, half, variance }
    }

    /// Returns the moments at the rows of `inputs`.
    ///
    /// # Errors
    /// When an input is not finite.
    ///
    /// # Panics
    /// As for [`at`](Self::at).
    pub fn moments(&self, inputs: &Matrix) -> Result<Moments, MomentsError> {
        let at = self.at(inputs);
        let covariance = at.covariance();
        let noise_variance = vec![self.noise_variance; inputs.rows()];
        Moments::new(at.mean, covariance, noise_variance)
    }

    /// Draws a function from the posterior at the rows of `inputs`, and returns it with the jitter that its covariance
    /// needed.
    ///
    /// # Errors
    /// When an input is not finite, or the covariance is not positive definite even with the most jitter.
    ///
    /// # Panics
    /// As for [`at`](Self::at).
    pub fn sample(&self, inputs: &Matrix, stream: &mut Stream) -> Result<(Vec<f64>, f64), CholeskyError> {
        let at = self.at(inputs);
        let factor = Cholesky::new(&at.covariance())?;
        Ok((factor.sample(&at.mean, stream), factor.jitter()))
    }
}

impl At<'_> {
    /// Returns the mean of f at each input.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the variance of f at each input.
    pub fn variance(&self) -> &[f64] {
        &self.variance
    }

    /// Returns the covariance of f between these inputs, with [`variance`](Self::variance) on its diagonal.
    fn covariance(&self) -> Dense {
        let mut covariance = self.kernel.gram(self.inputs);
        subtract_transposed_product(&self.half, &self.half, &mut covariance);
        for (i, variance) in self.variance.iter().enumerate() {
            covariance[(i, i)] = *variance;
        }
        covariance
    }

    /// Returns the covariances between these inputs as a pool and `test` as the test points.
    ///
    /// # Errors
    /// When an input is not finite.
    ///
    /// # Panics
    /// When `test` is of a posterior with another number of training points; it must be of the same posterior.
    pub fn pool_test(&self, test: &At) -> Result<PoolTest, MomentsError> {
        assert_eq!(self.half.rows(), test.half.rows(), "pool and test are of one posterior");
        let mut cross = self.kernel.matrix(self.inputs, test.inputs);
        subtract_transposed_product(&self.half, &test.half, &mut cross);
        let noise_variance = vec![self.noise_variance; self.variance.len()];
        PoolTest::new(cross, self.variance.clone(), noise_variance, test.variance.clone())
    }
}

impl PoolCovariance for At<'_> {
    fn row(&self, i: usize, out: &mut [f64]) {
        let x = self.inputs.row(i);
        for (j, value) in out.iter_mut().enumerate() {
            *value = self.kernel.value(x, self.inputs.row(j));
        }
        for k in 0..self.half.rows() {
            let row = self.half.row(k);
            for (value, h) in out.iter_mut().zip(row) {
                *value -= row[i] * h;
            }
        }
    }
}

#[cfg(test)]
mod tests;
