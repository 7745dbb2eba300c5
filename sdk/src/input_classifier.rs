//! Agents that predict class probabilities for inputs of any kind.

use crate::{Dataset, Description, Failure, Given, Inputs, Setting, Task};

/// A method that learns to classify inputs of any kind: rows of numbers, images, texts, and categories beside
/// numbers.
///
/// A value of the type is a trained agent, a distribution over functions. The host passes it tokens only if its
/// description sets `tokens`.
pub trait InputClassifier: Sized + 'static {
    /// Returns the agent's description, the same at every call.
    fn describe() -> Description;

    /// Trains on the data. The result may depend on nothing but the arguments; all randomness comes from `seed`.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn train(
        task: &Task,
        data: &Dataset<Inputs>,
        validation: Option<&Dataset<Inputs>>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure>;

    /// Trains as [`train`](Self::train) does, and also on inputs without labels where the suite has any. Override it
    /// in an agent whose description sets `unlabelled`; the host passes no such inputs to other agents.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
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

    /// Returns the number of parts of a training, which do not depend on one another: the members of an ensemble, for
    /// example. The host trains them side by side, by [`train_part`](Self::train_part) in separate instances, and then
    /// makes two copies of the agent by [`join`](Self::join), which share the draws. An agent whose draws cost much
    /// may have a single part. By default there are none, and the host calls [`train`](Self::train).
    ///
    /// There are at most [`MOST_PARTS`](crate::MOST_PARTS), whose bytes together are at most a quarter of the agent's
    /// memory. They share the fuel of the unit.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for refusing the settings or the task.
    fn parts(_task: &Task, _settings: &[Setting]) -> Result<Option<u32>, Failure> {
        Ok(None)
    }

    /// Trains one part, counted from 0, and returns it as bytes for [`join`](Self::join). Override it together with
    /// [`parts`](Self::parts).
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn train_part(_given: Given<'_, Inputs>, _part: u32) -> Result<Vec<u8>, Failure> {
        Err(Failure::no_parts())
    }

    /// Makes the trained agent of all its parts, in order: the same functions as [`train`](Self::train) learns.
    /// Override it together with [`parts`](Self::parts).
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn join(_given: Given<'_, Inputs>, _parts: &[Vec<u8>]) -> Result<Self, Failure> {
        Err(Failure::no_parts())
    }

    /// Computes the class probabilities of the functions that the draws name, at every row:
    /// `out[(m * rows + t) * num_classes + k]`.
    ///
    /// A draw names the same function in every call, whatever the other rows and draws are. Draws 0, 1, 2, ... are a
    /// sample from the agent's posterior.
    ///
    /// # Errors
    ///
    /// Returns the agent's reason for giving up.
    fn sample_probs(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>;

    /// Returns a canonical draw that names the same function as `draw`. Override it where functions repeat, so that
    /// the host requests each function once.
    fn canonical_draw(&self, draw: u64) -> u64 {
        draw
    }
}
