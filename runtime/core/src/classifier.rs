//! The traits of a classifier: something that trains, then samples functions.

use crate::dataset::Dataset;
use crate::inputs::Inputs;
use crate::task::Task;

/// An agent that learns to predict class probabilities.
pub trait Classifier {
    /// The trained agent.
    type Model: Model<Error = Self::Error>;
    /// Why an agent fails.
    type Error;

    /// Learns from the data; the result depends only on the arguments.
    ///
    /// `unlabelled` are further inputs of the task without their labels, if there are any.
    ///
    /// # Errors
    /// When the agent refuses the task, fails or breaks its contract.
    fn train(
        &mut self,
        task: &Task,
        train: &Dataset,
        validation: Option<&Dataset>,
        unlabelled: Option<&Inputs>,
        seed: u64,
    ) -> Result<Self::Model, Self::Error>;
}

/// A trained agent: a distribution over functions from an input to class probabilities.
///
/// A draw is a number that names one sampled function, the same in every call; draws 0, 1, 2, ... are a sample from the
/// agent's posterior.
pub trait Model {
    /// Why an agent fails.
    type Error;

    /// Returns the largest difference between two answers to one question that an audit accepts: 0 demands equal bits.
    fn tolerance(&self) -> f32 {
        0.0
    }

    /// Maps each draw to its canonical draw: one draw that stands for all draws that name the same function.
    ///
    /// # Errors
    /// When the agent fails or answers with another number of draws.
    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Self::Error>;

    /// Returns the probabilities of K classes: element (m, t, k) is at `(m * inputs.rows() + t) * K + k`.
    ///
    /// The implementor has checked the answer: it has the right length, and each row is finite, in [0, 1] and sums to 1
    /// within 1e-4.
    ///
    /// # Errors
    /// When the agent fails or its answer does not pass the check.
    fn sample_probs(&mut self, inputs: &Inputs, draws: &[u64]) -> Result<Vec<f32>, Self::Error>;
}
