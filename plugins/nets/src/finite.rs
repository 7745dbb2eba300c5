//! A predictive distribution over finitely many trained functions, all equally probable.

use jointly_sdk::{Failure, Matrix};

use crate::choice::Choice;
use crate::network::Network;
use crate::predict::{Rows, predict};

/// A function that gives class probabilities for each row of inputs.
pub trait Function<I = Matrix> {
    /// Writes the probabilities: `out[t * classes + k]`.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not have the task's dimension.
    fn probs(&self, inputs: &I, out: &mut [f32]) -> Result<(), Failure>;
}

impl Function<Rows> for Network {
    fn probs(&self, inputs: &Rows, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[self], inputs, out)
    }
}

/// A finite set of functions; each draw names one of them.
#[derive(Clone, Debug)]
pub struct Finite<F> {
    functions: Vec<F>,
    choice: Choice,
}

impl<F> Finite<F> {
    /// Assigns draws to the functions at random, with a stream of the agent's seed.
    pub fn new(seed: u64, functions: Vec<F>) -> Self {
        Self { choice: Choice::new(seed, functions.len()), functions }
    }

    /// Assigns draws to the functions in order: draw m names function m modulo their number.
    pub fn in_order(functions: Vec<F>) -> Self {
        Self { choice: Choice::in_order(functions.len()), functions }
    }

    /// All functions, in order.
    pub fn functions(&self) -> &[F] {
        &self.functions
    }

    /// Writes the class probabilities of the function that `draw` names.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not have the task's dimension.
    pub fn probs<I>(&self, inputs: &I, draw: u64, out: &mut [f32]) -> Result<(), Failure>
    where
        F: Function<I>,
    {
        self.functions[self.choice.function(draw)].probs(inputs, out)
    }

    /// Returns the first draw that names the same function as `draw`.
    pub fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }

    /// Writes the class probabilities of many draws, one after the other; each function is evaluated once.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not have the task's dimension.
    pub fn sample_probs<I>(&self, inputs: &I, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>
    where
        F: Function<I>,
    {
        self.choice.sample_probs(draws, out, |function, out| self.functions[function].probs(inputs, out))
    }
}
