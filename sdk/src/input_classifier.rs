//! Agents that predict class probabilities of inputs of every sort.

use crate::{Dataset, Description, Failure, Inputs, Setting, Task};

/// A method that learns to classify inputs of every sort: rows of numbers, images, texts, and categories beside numbers.
///
/// A value of the type is a trained agent, a distribution over functions. It is given tokens only if its description sets
/// `tokens`.
pub trait InputClassifier: Sized + 'static {
    /// What the agent says of itself: the same at every call.
    fn describe() -> Description;

    /// Learns from the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    /// Learns as [`train`](Self::train) does, and from further inputs without labels, where the suite has any. An agent whose
    /// description sets `unlabelled` overrides it; others are given none.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn train_with_unlabelled(
        task: &Task,
        data: &Dataset<Inputs>,
        validation: Option<&Dataset<Inputs>>,
        _unlabelled: Option<&Inputs>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::train(task, data, validation, settings, seed)
    }

    /// Class probabilities of the functions that the draws name, at every row: `out[(m * rows + t) * num_classes + k]`.
    ///
    /// A draw names the same function in every call, whatever the other rows and draws are. Draws 0, 1, 2, ... are a sample
    /// from the agent's posterior.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>;

    /// A draw that names the same function: override it where functions repeat, so that each is asked for once.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }
}
