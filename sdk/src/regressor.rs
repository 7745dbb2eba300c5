//! Agents that predict a real number.

use crate::{Description, Failure, Matrix, Setting, Targets};

/// The information that a regressor has before any data.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionTask {
    /// Number of features of an input, at least 1.
    pub input_dim: usize,
    /// Standard deviation of the observation noise; `None` if it is unknown.
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

/// Exact moments of the predictive distribution of the function at the rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    /// Mean at each row.
    pub mean: Vec<f64>,
    /// Covariance without observation noise, row-major, rows x rows.
    pub covariance: Vec<f64>,
    /// Variance of the observation noise at each row.
    pub noise_variance: Vec<f64>,
}

/// The lower and upper ends of an interval at each row.
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
    /// Intervals for the function's value.
    pub confidence: Option<Bounds>,
    /// Intervals for a new observation.
    pub prediction: Bounds,
}

/// A method that learns to predict a real number; a value of the type is a trained agent.
pub trait Regressor: Sized + 'static {
    /// Returns the agent's description, the same at every call.
    fn describe() -> Description;

    /// Trains on the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn train(
        task: &RegressionTask,
        data: &Targets,
        validation: Option<&Targets>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    /// Returns the values of sampled functions. A draw names the same function in every call, whatever the other rows
    /// are.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure>;

    /// Returns a canonical draw that names the same function as `draw`; override it where functions repeat.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }

    /// Returns the exact moments if the agent has them; otherwise the host estimates them from draws.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn gaussian(&self, _inputs: &Matrix) -> Result<Option<Gaussian>, Failure> {
        Ok(None)
    }

    /// Returns intervals at a level between 0 and 1 if the method defines its own; otherwise the host derives them.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn intervals(&self, _inputs: &Matrix, _level: f64) -> Result<Option<Intervals>, Failure> {
        Ok(None)
    }
}
