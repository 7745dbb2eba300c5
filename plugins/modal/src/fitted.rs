//! A trained network with what makes its inputs, and its class probabilities.

use jointly_nets::predict::outputs;
use jointly_nets::{Network, predict};
use jointly_sdk::{Failure, Inputs, Matrix};

use crate::reader::Reader;
use crate::tables::Tables;

/// A network, the tables in front of it, and how it reads numbers.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub(crate) reader: Reader,
    pub(crate) tables: Tables,
    /// What reads the rows of [`read`](Self::read).
    pub network: Network,
}

/// A network's outputs at rows of inputs, side by side.
pub type Logits = Vec<f32>;

impl Fitted {
    /// What the network reads at every input: the numbers, and then what tokens become.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
    pub fn read(&self, inputs: &Inputs) -> Result<Matrix, Failure> {
        let numbers = self.reader.numbers(inputs)?;
        let plan = self.reader.plan();
        let rows = inputs.rows();
        let values = if plan.inputs == plan.numbers {
            numbers.into_owned()
        } else {
            let mut values = vec![0.0; rows * plan.inputs];
            for (i, row) in values.chunks_exact_mut(plan.inputs).enumerate() {
                assemble(plan.numbers, &numbers, &self.tables, (i, inputs.tokens.row(i)), row);
            }
            values
        };
        Matrix::new(rows, plan.inputs, values).ok_or_else(|| Failure::Internal("rows of another length".into()))
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.network.outputs()
    }

    /// The network's outputs at every input: `out[t * classes + k]`.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
    pub fn logits(&self, inputs: &Inputs) -> Result<Logits, Failure> {
        Ok(outputs(&self.network, self.read(inputs)?.values()))
    }

    /// Class probabilities at every input: `out[t * classes + k]`. The bits of a row depend on that row alone.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
    pub fn probs(&self, inputs: &Inputs, out: &mut [f32]) -> Result<(), Failure> {
        predict(&[&self.network], &self.read(inputs)?, out)
    }

    /// The same probabilities for every draw, one draw after the other.
    ///
    /// # Errors
    ///
    /// Inputs that are not the task's.
    pub fn probs_of_all(&self, inputs: &Inputs, draws: &[u64], out: &mut [f32]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        let block = out.len() / draws.len();
        self.probs(inputs, &mut out[..block])?;
        (1..draws.len()).for_each(|draw| out.copy_within(..block, draw * block));
        Ok(())
    }
}

/// Writes what a network reads at an input: row `i` of so many numbers each, and what its tokens become.
pub(crate) fn assemble(width: usize, numbers: &[f32], tables: &Tables, (i, tokens): (usize, &[u32]), row: &mut [f32]) {
    let (own, embedded) = row.split_at_mut(width);
    own.copy_from_slice(&numbers[i * width..][..width]);
    tables.write(tokens, &mut embedded[..tables.numbers()]);
}
