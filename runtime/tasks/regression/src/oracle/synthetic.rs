//! Datasets drawn from the oracle's prior.

use jointly_core::Seed;
use jointly_core::correlations::CholeskyError;
use jointly_core::correlations::random_order;
use jointly_core::matrix::Matrix;
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::stream;

use super::kernel::ReluKernel;
use super::posterior::Posterior;

/// Whether datasets share a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functions {
    /// All datasets of one dimension are random splits of the same points, targets and noise, as in the published code.
    ///
    /// Each single dataset has the same distribution as one with its own function, so that expectations agree. But the
    /// datasets are not independent of one another: their mean is as uncertain as a single function makes it, and a
    /// standard error over them does not include the variation between functions.
    #[default]
    Shared,
    /// Each dataset draws its own inputs, function and noise, as in the paper's section 5.1: datasets are independent.
    Own,
}

/// The distribution of synthetic datasets.
///
/// # Formula
/// Inputs are N(0, I), f is a draw of the Gaussian process with mean 0 and the [`ReluKernel`], and y = f(x) + N(0,
/// noise variance). The training set, pool and test set are the first, next and last points in a random order. Wang,
/// Sun and Grosse, "Beyond Marginal Uncertainty" (2021), section 5.1. The paper says 500 test and 200 pool points; its
/// code has the reverse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticSpec {
    /// Number d of features, at least 1.
    pub input_dim: usize,
    /// Number of training points.
    pub train: usize,
    /// Number of pool points.
    pub pool: usize,
    /// Number of test points.
    pub test: usize,
    /// Variance of the noise.
    pub noise_variance: f64,
    /// The covariance of f.
    pub kernel: ReluKernel,
    /// Whether datasets share a function.
    pub functions: Functions,
}

/// Points with their function values and targets.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticData {
    /// One row per point.
    pub inputs: Matrix,
    /// f(x), without noise.
    pub values: Vec<f64>,
    /// y = f(x) + noise.
    pub targets: Vec<f64>,
}

/// One dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticDataset {
    /// The training set.
    pub train: SyntheticData,
    /// The pool, from which active learning selects points.
    pub pool: SyntheticData,
    /// The test set, on which predictions are scored.
    pub test: SyntheticData,
    /// The jitter added to the diagonal of the kernel matrix to draw f: f contains white noise of this variance.
    pub jitter: f64,
    spec: SyntheticSpec,
}

impl SyntheticSpec {
    /// Returns the published code's datasets in `input_dim` dimensions: 5 d training, 500 pool and 200 test points of
    /// one function, with noise variance 0.01.
    pub fn new(input_dim: usize) -> Self {
        Self {
            input_dim,
            train: 5 * input_dim,
            pool: 500,
            test: 200,
            noise_variance: 0.01,
            kernel: ReluKernel::default(),
            functions: Functions::default(),
        }
    }

    /// Draws dataset `index` for the master `seed`; `name` is the name of the family of datasets and names its streams.
    ///
    /// The cost is one Cholesky factorisation of all points, also if datasets share the function: some 700 x 700 by
    /// default.
    ///
    /// # Errors
    /// When the kernel matrix is not positive definite even with the most jitter.
    ///
    /// # Panics
    /// When `input_dim` is 0.
    pub fn dataset(&self, seed: Seed, name: &str, index: u64) -> Result<SyntheticDataset, CholeskyError> {
        assert!(self.input_dim >= 1, "an input has features");
        let function = match self.functions {
            Functions::Shared => 0,
            Functions::Own => index,
        };
        let count = self.train + self.pool + self.test;
        let source = |purpose| stream(seed, purpose, name, function);
        let inputs = normal_inputs(count, self.input_dim, &mut source("correlations-inputs"));
        let prior = Posterior::new(self.kernel, self.noise_variance, no_inputs(self.input_dim), &[])?;
        let (values, jitter) = prior.sample(&inputs, &mut source("correlations-function"))?;
        let mut noise = source("correlations-noise");
        let sd = self.noise_variance.sqrt();
        let targets: Vec<f64> = values.iter().map(|f| f + sd * noise.normal()).collect();
        let order = random_order(count, &mut stream(seed, "correlations-split", name, index));
        let take = |places: &[usize]| SyntheticData {
            inputs: inputs.select(places),
            values: places.iter().map(|&i| values[i]).collect(),
            targets: places.iter().map(|&i| targets[i]).collect(),
        };
        let (train, rest) = order.split_at(self.train);
        let (pool, test) = rest.split_at(self.pool);
        Ok(SyntheticDataset { train: take(train), pool: take(pool), test: take(test), jitter, spec: *self })
    }
}

impl SyntheticDataset {
    /// Returns the oracle: the true posterior after the training data.
    ///
    /// # Errors
    /// When training inputs repeat and there is no noise.
    pub fn oracle(&self) -> Result<Posterior, CholeskyError> {
        self.oracle_after(self.train.inputs.clone(), &self.train.targets)
    }

    /// Returns the oracle's posterior after other data of the same function.
    ///
    /// # Errors
    /// When inputs repeat and there is no noise.
    ///
    /// # Panics
    /// When there is not one target for each input.
    pub fn oracle_after(&self, inputs: Matrix, targets: &[f64]) -> Result<Posterior, CholeskyError> {
        let SyntheticSpec { kernel, noise_variance, .. } = self.spec;
        Posterior::new(kernel, noise_variance, inputs, targets)
    }
}

fn no_inputs(input_dim: usize) -> Matrix {
    Matrix::from_rows(input_dim, Vec::new())
}

#[cfg(test)]
mod tests;
