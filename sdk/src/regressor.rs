//! Agents that predict a real number.

use crate::{Description, Failure, Matrix, Setting, Targets};

/// What is known before any data is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionTask {
    /// Number of features of an input, at least 1.
    pub input_dim: usize,
    /// Standard deviation of the observation noise, where it is known.
    pub noise_std: Option<f32>,
}

/// Sampled functions: element (m, t) is at `m * rows + t` in both lists.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionSamples {
    /// The function's value, without observation noise.
    pub means: Vec<f32>,
    /// Standard deviation of the observation noise under that function.
    pub noise_stds: Vec<f32>,
}

/// Exact moments of the belief about the function at the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    /// Mean at each row.
    pub mean: Vec<f64>,
    /// Covariance without observation noise, row-major, rows x rows.
    pub covariance: Vec<f64>,
    /// Variance of the observation noise at each row.
    pub noise_variance: Vec<f64>,
}

/// The two ends of an interval at each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Lower ends.
    pub lower: Vec<f64>,
    /// Upper ends.
    pub upper: Vec<f64>,
}

/// Intervals that a method defines itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// For the function's value.
    pub confidence: Option<Bounds>,
    /// For a new observation.
    pub prediction: Bounds,
}

/// A method that learns to predict a real number; a value of the type is a trained agent.
pub trait Regressor: Sized + 'static {
    /// What the agent says of itself: the same at every call.
    fn describe() -> Description;

    /// Learns from the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn train(
        task: &RegressionTask,
        data: &Targets,
        validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    /// Values of sampled functions. A draw names the same function in every call, whatever the other rows are.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure>;

    /// A draw that names the same function: override it where functions repeat.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }

    /// Exact moments, where the agent has them; the host estimates them from draws otherwise.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn gaussian(&self, _inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        Ok(None)
    }

    /// Intervals at a level between 0 and 1, where the method defines its own; the host derives them otherwise.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn intervals(&self, _inputs: &Matrix, _level: f64) -> Result<Option<Intervals>, Failure> {
        Ok(None)
    }
}
