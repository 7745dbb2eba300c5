//! Agents that predict class probabilities.

use crate::{Dataset, Description, Failure, Matrix, Setting};

/// What is known before any data is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Number of features of an input, at least 1.
    pub input_dim: usize,
    /// Number of classes, at least 2.
    pub num_classes: usize,
    /// Temperature of the environment's softmax, where it is known: low is a strong signal.
    pub temperature: Option<f32>,
    /// Number of hidden layers of the environment's network, where it is known.
    pub hidden_layers: Option<u32>,
}

/// A method that learns to classify; a value of the type is a trained agent, a belief over functions.
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

    /// Class probabilities of the one function that `draw` names, at every row: `out[t * num_classes + k]`.
    ///
    /// A draw names the same function in every call, whatever the other rows are. Draws 0, 1, 2, ... are a sample
    /// from the agent's belief.
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
