//! The arguments of a training.

use crate::{Dataset, Matrix, Setting, Task};

/// The arguments of a training, as all parts of one training receive them.
///
/// Inputs are a [`Matrix`] for a [`Classifier`](crate::Classifier), and [`Inputs`](crate::Inputs) for an
/// [`InputClassifier`](crate::InputClassifier).
#[derive(Debug)]
pub struct Given<'a, I = Matrix> {
    /// The information that an agent has before any data.
    pub task: &'a Task,
    /// The labelled examples to learn from.
    pub data: &'a Dataset<I>,
    /// Labelled examples to choose by, if there are any.
    pub validation: Option<&'a Dataset<I>>,
    /// Inputs without labels, if the suite has any and the agent's description says that it uses them.
    pub unlabelled: Option<&'a I>,
    /// The settings that differ from the defaults.
    pub settings: &'a [Setting],
    /// The seed of all randomness.
    pub seed: u64,
}

// Derived, they would ask the same of the inputs.
impl<I> Clone for Given<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Given<'_, I> {}
