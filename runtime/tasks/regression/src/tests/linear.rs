//! Exact Bayesian linear regression as an agent that gives its moments, or only draws.

use jointly_core::regression::{Belief, FunctionSamples, Gaussian, Intervals, RegressionTask, Regressor, Targets};
use std::convert::Infallible;

use jointly_core::correlations::{Cholesky, Dense};
use jointly_core::matrix::Matrix;
use jointly_core::stream::stream;

/// y = w0 + w x + N(0, noise^2), with all weights from N(0, prior I).
#[derive(Clone)]
pub(crate) struct Linear {
    pub(crate) noise: f64,
    pub(crate) prior: f64,
    /// Whether the agent gives its moments, or only draws.
    pub(crate) exact: bool,
    /// The number of distinct functions; `None` for one function per draw.
    pub(crate) functions: Option<u64>,
    /// Whether the agent reports which draws name the same function.
    pub(crate) canonical: bool,
    /// The standard deviation of the noise that the agent claims, if it differs from the one used in training.
    pub(crate) claimed: Option<f64>,
    /// The training sets seen so far; the next two lists are the tasks told and the numbers of validation examples.
    pub(crate) seen: Vec<Targets>,
    pub(crate) told: Vec<RegressionTask>,
    pub(crate) held_out: Vec<Option<usize>>,
}

impl Linear {
    pub(crate) fn new(exact: bool) -> Self {
        Self {
            noise: 0.3,
            prior: 1.0,
            exact,
            functions: None,
            canonical: true,
            claimed: None,
            seen: Vec::new(),
            told: Vec::new(),
            held_out: Vec::new(),
        }
    }
}

/// The posterior of the weights.
pub(crate) struct Weights {
    agent: Linear,
    mean: Vec<f64>,
    precision: Cholesky,
    seed: u64,
}

impl Regressor for Linear {
    type Belief = Weights;
    type Error = Infallible;

    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        validation: Option<&Targets>,
        seed: u64,
    ) -> Result<Weights, Infallible> {
        self.seen.push(train.clone());
        self.told.push(task.clone());
        self.held_out.push(validation.map(Targets::rows));
        let features = features(train.inputs());
        let n = features.rows();
        let weight = 1.0 / (self.noise * self.noise);
        let product = |i: usize, j: usize| features.row(i).iter().zip(features.row(j)).map(|(a, b)| a * b).sum::<f64>();
        let ridge = |i, j| f64::from(u8::from(i == j)) / self.prior;
        let precision = Cholesky::exact(&Dense::symmetric(n, |i, j| weight * product(i, j) + ridge(i, j))).unwrap();
        let targets = train.targets().iter().map(|&y| f64::from(y));
        let right: Vec<f64> = (0..n)
            .map(|i| weight * features.row(i).iter().zip(targets.clone()).map(|(x, y)| x * y).sum::<f64>())
            .collect();
        let agent = Self { seen: Vec::new(), ..self.clone() };
        Ok(Weights { agent, mean: precision.solve(&right), precision, seed })
    }
}

/// Returns the features, one row per feature; the first feature is 1.
fn features(inputs: &Matrix) -> Dense {
    let value = |i: usize, row: usize| if i == 0 { 1.0 } else { f64::from(inputs.row(row)[i - 1]) };
    Dense::from_fn(inputs.cols() + 1, inputs.rows(), value)
}

impl Weights {
    /// Returns the function that each draw names.
    fn functions(&self, draws: &[u64]) -> Vec<u64> {
        draws.iter().map(|draw| self.agent.functions.map_or(*draw, |functions| draw % functions)).collect()
    }

    /// Returns means at the inputs, and a matrix with one column per input whose inner products are the covariances.
    fn at(&self, inputs: &Matrix) -> (Vec<f64>, Dense) {
        let mut half = features(inputs);
        let mean = (0..inputs.rows()).map(|t| (0..half.rows()).map(|i| self.mean[i] * half[(i, t)]).sum()).collect();
        self.precision.half_solve(&mut half);
        (mean, half)
    }
}

impl Belief for Weights {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(if self.agent.canonical { self.functions(draws) } else { draws.to_vec() })
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        let (mean, half) = self.at(inputs);
        let mut means = Vec::new();
        for draw in self.functions(draws) {
            let mut source = stream(self.seed, "test", "weights", draw);
            let z: Vec<f64> = (0..half.rows()).map(|_| source.normal()).collect();
            means.extend(
                (0..inputs.rows())
                    .map(|t| (mean[t] + z.iter().enumerate().map(|(i, z)| z * half[(i, t)]).sum::<f64>()) as f32),
            );
        }
        let noise = vec![self.agent.claimed.unwrap_or(self.agent.noise) as f32; means.len()];
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), means, noise).unwrap())
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        if !self.agent.exact {
            return Ok(None);
        }
        let (mean, half) = self.at(inputs);
        let n = inputs.rows();
        let covariance = |s: usize, t: usize| (0..half.rows()).map(|i| half[(i, s)] * half[(i, t)]).sum();
        let covariance = Dense::symmetric(n, covariance).values().to_vec();
        let noise = self.agent.claimed.unwrap_or(self.agent.noise);
        let noise = vec![noise * noise; n];
        Ok(Some(Gaussian::new(n, mean, covariance, noise).unwrap()))
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}
