//! A trained network with its embedding tables and the reader of its inputs, and its class probabilities.

use std::borrow::Cow;

use crate::learned;
use crate::predict::outputs;
use crate::simd::{floats, floats_mut};
use crate::{Function, Network, Rows, predict};
use jointly_sdk::{Failure, Inputs, Matrix, Tokens};

use super::encoder::Encoder;
use super::reader::Reader;
use super::resnet::Resnet;

/// A network, the encoder of tokens or the residual network in front of it, and the reader of numbers.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub(super) reader: Reader,
    pub(super) encoder: Encoder,
    pub(super) resnet: Option<Resnet>,
    /// The network that reads the rows of [`read`](Self::read).
    pub network: Network,
}

/// A network's outputs at rows of inputs, side by side.
pub type Logits = Vec<f32>;

impl Fitted {
    /// Returns the network's inputs at every row: the numbers, then the values that represent the tokens; or the features
    /// of a residual network. The bits of a row depend on that row alone.
    ///
    /// # Errors
    ///
    /// Fails if the inputs do not fit the task.
    pub fn read<'a>(&self, inputs: &'a Inputs) -> Result<Cow<'a, Matrix>, Failure> {
        let plan = self.reader.plan();
        if let Some(resnet) = &self.resnet {
            let images = self.reader.numbers(inputs)?;
            let features = Matrix::new(inputs.rows(), plan.inputs, resnet.features(&images));
            return features.map(Cow::Owned).ok_or_else(|| Failure::Internal("rows of another length".into()));
        }
        if plan.tokens == Tokens::Absent {
            return self.reader.plain(inputs);
        }
        let numbers = self.reader.numbers(inputs)?;
        let rows = inputs.rows();
        let mut values = vec![0.0; rows * plan.inputs];
        if plan.numbers > 0 {
            let rows = values.chunks_exact_mut(plan.inputs).zip(numbers.chunks_exact(plan.numbers));
            rows.for_each(|(row, numbers)| row[..plan.numbers].copy_from_slice(numbers));
        }
        let tokens: Vec<&[u32]> = (0..rows).map(|i| inputs.tokens.row(i)).collect();
        self.encoder.write(&tokens, (plan.numbers, plan.inputs), &mut values);
        let read = Matrix::new(rows, plan.inputs, values);
        read.map(Cow::Owned).ok_or_else(|| Failure::Internal("rows of another length".into()))
    }

    /// Returns what training has changed, for [`Setup::restore`](super::Setup::restore).
    pub fn learned(&self) -> Vec<u8> {
        let [tables, lstm] = self.encoder.values();
        let body = self.resnet.as_ref().map_or(lstm, Resnet::values);
        learned::keep([floats(&self.network.parameters), tables, body])
    }

    /// Returns the numbers that training changes.
    pub(super) fn learned_mut(&mut self) -> [&mut [f32]; 3] {
        let [tables, lstm] = self.encoder.values_mut();
        let body = self.resnet.as_mut().map_or(lstm, Resnet::values_mut);
        [floats_mut(&mut self.network.parameters), tables, body]
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
