//! The traits of an agent for regression: it trains, then predicts a distribution over functions and noise.

use super::answer::{FunctionSamples, Gaussian, Intervals};
use super::dataset::{RegressionTask, Targets};
use crate::matrix::Matrix;

/// An agent that learns to predict a real number.
pub trait Regressor {
    /// The trained agent.
    type Belief: Belief<Error = Self::Error>;
    /// Why an agent fails.
    type Error;

    /// Learns from the data; the result depends only on the arguments.
    ///
    /// # Errors
    /// When the agent refuses the task, fails or breaks its contract.
    fn train(
        &mut self,
        task: &RegressionTask,
        train: &Targets,
        validation: Option<&Targets>,
        seed: u64,
    ) -> Result<Self::Belief, Self::Error>;
}

/// A trained agent: a posterior distribution over functions and noise.
///
/// A draw is a number that names one sampled function, the same in every call; draws 0, 1, 2, ... are a sample from the
/// posterior. The implementor has checked each answer, by the constructor of its type and against the requested rows
/// and draws.
pub trait Belief {
    /// Why an agent fails.
    type Error;

    /// Returns the largest difference between two values of one function that an audit accepts, relative to the value
    /// where that is above 1: 0 demands equal bits.
    fn tolerance(&self) -> f32 {
        0.0
    }

    /// Maps each draw to its canonical draw: one draw that stands for all draws that name the same function.
    ///
    /// # Errors
    /// When the agent fails or answers with another number of draws.
    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error>;

    /// Returns values of sampled functions and the standard deviation of the noise under each, at every row.
    ///
    /// # Errors
    /// When the agent fails or its answer does not pass the check.
    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Self::Error>;

    /// Returns exact Gaussian moments, or `None` if the agent has only samples.
    ///
    /// # Errors
    /// When the agent fails or its answer does not pass the check.
    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Self::Error>;

    /// Returns intervals that claim to cover with probability `level`, between 0 and 1, or `None` if the method does
    /// not define its own.
    ///
    /// # Errors
    /// When the agent fails or its answer does not pass the check.
    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Self::Error>;
}

impl<B: Belief> Belief for &mut B {
    type Error = B::Error;

    fn tolerance(&self) -> f32 {
        (**self).tolerance()
    }

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error> {
        (**self).canonical_draws(draws)
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Self::Error> {
        (**self).sample_functions(inputs, draws)
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Self::Error> {
        (**self).gaussian(inputs)
    }

    fn intervals(&mut self, inputs: &Matrix, level: f64) -> Result<Option<Intervals>, Self::Error> {
        (**self).intervals(inputs, level)
    }
}
