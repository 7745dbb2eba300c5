//! A belief of finitely many trained functions, all as likely.

use jointly_sdk::{Failure, Matrix};

use crate::choice::Choice;
use crate::network::Network;
use crate::predict::predict;

/// What gives class probabilities at every row of inputs.
pub trait Function<I = Matrix> {
    /// Writes the probabilities: `out[t * classes + k]`.
    ///
    /// # Errors
    ///
    /// Inputs of another dimension than the task's.
    fn probs(&self, inputs: &I, out: &mut [f32]) -> Result<(), Failure>;
}

impl Function for Network {
    fn probs(&self, inputs: &Matrix, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[self], inputs, out)
    }
}

/// Functions of which each draw names one.
#[derive(Clone, Debug)]
pub struct Finite<F> {
    functions: Vec<F>,
    choice: Choice,
}

impl<F> Finite<F> {
    /// A choice among the functions, at random under an agent's seed.
    pub fn new(seed: u64, functions: Vec<F>) -> Self {
        Self { choice: Choice::new(seed, functions.len()), functions }
    }

    /// The functions in order: draw m names function m modulo their number.
    pub fn in_order(functions: Vec<F>) -> Self {
        Self { choice: Choice::in_order(functions.len()), functions }
    }

    /// All of them.
    pub fn functions(&self) -> &[F] {
        &self.functions
    }

    /// Class probabilities of the function that `draw` names.
    ///
    /// # Errors
    ///
    /// Inputs of another dimension than the task's.
    pub fn probs<I>(&self, inputs: &I, draw: u64, out: &mut [f32]) -> Result<(), Failure>
    where
        F: Function<I>,
    {
        self.functions[self.choice.function(draw)].probs(inputs, out)
    }

    /// The first draw that names the same function.
    pub fn canonical_draw(&self, draw: u64) -> u64 {
        self.choice.canonical_draw(draw)
    }

    /// Class probabilities of many draws, one after the other; each function is asked once.
    ///
    /// # Errors
    ///
    /// Inputs of another dimension than the task's.
    pub fn sample_probs<I>(&self, inputs: &I, draws: &[u64], out: &mut [f32]) -> Result<(), Failure>
    where
        F: Function<I>,
    {
        self.choice.sample_probs(draws, out, |function, out| self.functions[function].probs(inputs, out))
    }
}
