//! A trained network with its embedding tables and the reader of its inputs, and its class probabilities.

use std::borrow::Cow;

use crate::learned;
use crate::predict::outputs;
use crate::simd::{floats, floats_mut};
use crate::{Function, Network, Rows, predict};
use jointly_sdk::{Failure, Inputs, Matrix, Tokens};

use super::reader::Reader;
use super::tables::Tables;

/// A network, the embedding tables in front of it, and the reader of numbers.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub(super) reader: Reader,
    pub(super) tables: Tables,
    /// The network that reads the rows of [`read`](Self::read).
    pub network: Network,
}

/// A network's outputs at rows of inputs, side by side.
pub type Logits = Vec<f32>;

impl Fitted {
    /// Returns the network's inputs at every row: the numbers, then the values that represent the tokens.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub fn read<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, Matrix>, Failure> {
        let plan = self.reader.plan();
        if plan.tokens == Tokens::Absent {
            return self.reader.plain(inputs);
        }
        let numbers = self.reader.numbers(inputs)?;
        let rows = inputs.rows();
        let mut values = vec![0.0; rows * plan.inputs];
        for (i, row) in values.chunks_exact_mut(plan.inputs).enumerate() {
            assemble(plan.numbers, &numbers, &self.tables, (i, inputs.tokens.row(i)), row);
        }
        let read = Matrix::new(rows, plan.inputs, values);
        read.map(Cow::Owned).ok_or_else(|| Failure::Internal("rows of another length".into()))
    }

    /// Returns what training has changed, for [`Setup::restore`](super::Setup::restore).
    pub fn learned(&self) -> Vec<u8> {
        learned::keep([floats(&self.network.parameters), self.tables.values()])
    }

    /// Returns the numbers that training changes.
    pub(super) fn learned_mut(&mut self) -> [&mut [f32]; 2] {
        [floats_mut(&mut self.network.parameters), self.tables.values_mut()]
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.network.outputs()
    }

    /// Returns the network's outputs at every input: `out[t * classes + k]`.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub fn logits(&self, inputs: &Inputs) -> Result<Logits, Failure> {
        Ok(outputs(&self.network, self.read(inputs)?.values()))
    }
}

impl Function<Inputs> for Fitted {
    /// Writes the class probabilities; the bits of a row depend on that row alone.
    fn probs(&self, inputs: &Inputs, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[&self.network], &Rows::of(&*self.read(inputs)?), out)
    }
}

/// Writes the network's inputs for one row: row `i` of `width` numbers per row, then the values that represent its
/// tokens.
pub(super) fn assemble(width: usize, numbers: &[f32], tables: &Tables, (i, tokens): (usize, &[u32]), row: &mut [f32]) {
    let (own, embedded) = row.split_at_mut(width);
    own.copy_from_slice(&numbers[i * width..][..width]);
    tables.write(tokens, &mut embedded[..tables.numbers()]);
}
