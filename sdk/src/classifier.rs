//! Agents that predict class probabilities of rows of numbers.

use crate::{Dataset, Description, Failure, Matrix, Setting, Task};

/// A method that learns to classify rows of numbers; a value of the type is a trained agent, a distribution over functions.
///
/// Images are numbers to it. The host asks it nothing about texts and categories: an [`InputClassifier`](crate::InputClassifier)
/// reads these too.
pub trait Classifier: Sized + 'static {
    /// What the agent says of itself: the same at every call.
    fn describe() -> Description;

    /// Learns from the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn train(
        task: &Task,
        data: &Dataset,
        validation: Option<&Dataset>,
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
        data: &Dataset,
        validation: Option<&Dataset>,
        _unlabelled: Option<&Matrix>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Self::train(task, data, validation, settings, seed)
    }

    /// Class probabilities of the one function that `draw` names, at every row: `out[t * num_classes + k]`.
    ///
    /// A draw names the same function in every call, whatever the other rows are. Draws 0, 1, 2, ... are a sample
    /// from the agent's posterior.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure>;

    /// A draw that names the same function: override it where functions repeat, so that each is asked for once.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }

    /// Class probabilities of many draws, one after the other in `out`; override it where they can share work.
    ///
    /// # Errors
    ///
    /// The agent's own word for why it gave up.
    fn sample_probs(&self, inputs: &Matrix, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        let block = out.len() / draws.len();
        for (draw, out) in draws.iter().zip(out.chunks_exact_mut(block)) {
            self.probs(inputs, *draw, out)?;
        }
        Ok(())
    }
}
