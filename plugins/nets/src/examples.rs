//! The batches of a training that is not [`Training`](crate::training::Training)'s, and the gradient at one of them.

use jointly_sdk::{Dataset, Failure, Task};

use crate::batches::Batches;
use crate::loss::{CrossEntropy, Targets};
use crate::network::{Network, Values, stride};
use crate::simd::{LANES, Lanes, floats, floats_mut};
use crate::stream::Stream;

/// The examples of one batch after another, side by side.
#[derive(Debug)]
pub struct Examples<'a> {
    data: &'a Dataset,
    batches: Batches,
    batch_size: usize,
    /// Whether an example that a batch holds several times is as many rows.
    repeats: bool,
    /// Each row of inputs is followed by a one.
    inputs: Vec<Lanes>,
    dim: usize,
    labels: Vec<u32>,
    weights: Vec<f32>,
}

impl<'a> Examples<'a> {
    /// Batches in which an example is one row, whose weight says how often it occurs.
    ///
    /// # Errors
    ///
    /// Data that do not fit the task.
    pub fn new(task: &Task, data: &'a Dataset, batch_size: usize, seed: u64) -> Result<Self, Failure> {
        let (examples, dim) = (data.inputs.rows(), data.inputs.cols());
        if data.labels.len() != examples || (examples > 0 && dim != task.input_dim) {
            let labels = data.labels.len();
            let expected = task.input_dim;
            let reason = format!("{examples} inputs of {dim} features, {labels} labels; the task has {expected}");
            return Err(Failure::Internal(reason));
        }
        if let Some(label) = data.labels.iter().find(|label| **label as usize >= task.num_classes) {
            return Err(Failure::Internal(format!("label {label} of {} classes", task.num_classes)));
        }
        let batches = Batches::new(examples, batch_size, Stream::Batches.rng(seed, 0));
        let inputs = vec![Lanes::splat(0.0); batches.max_rows() * stride(task.input_dim)];
        let (labels, weights) = (Vec::new(), Vec::new());
        Ok(Self { data, batches, batch_size, repeats: false, inputs, dim: task.input_dim, labels, weights })
    }

    /// The same batches, in which an example that occurs several times is as many rows: where rows of the same example
    /// are to differ.
    #[must_use]
    pub fn repeating(mut self) -> Self {
        let rows = if self.data.labels.is_empty() { 0 } else { self.batch_size };
        self.inputs.resize(rows * stride(self.dim), Lanes::splat(0.0));
        self.repeats = true;
        self
    }

    /// The largest number of rows in a batch.
    pub fn max_rows(&self) -> usize {
        self.inputs.len() / stride(self.dim)
    }

    /// Goes on to the next batch.
    pub fn next_batch(&mut self) {
        let share = 1.0 / self.batch_size as f32;
        let stride = stride(self.dim) * LANES;
        let same_rows = !self.repeats && self.batches.fixed() && !self.labels.is_empty();
        let (rows, counts) = self.batches.next_batch();
        self.weights.clear();
        if !self.repeats {
            self.weights.extend(counts.iter().map(|count| share * count));
        }
        if same_rows {
            return;
        }
        self.labels.clear();
        let mut inputs = floats_mut(&mut self.inputs).chunks_exact_mut(stride);
        for (row, count) in rows.iter().zip(counts) {
            let times = if self.repeats { *count as usize } else { 1 };
            for out in inputs.by_ref().take(times) {
                out[..self.dim].copy_from_slice(self.data.inputs.row(*row as usize));
                out[self.dim] = 1.0;
                self.labels.push(self.data.labels[*row as usize]);
            }
        }
        if self.repeats {
            self.weights.resize(self.labels.len(), share);
        }
    }

    /// Number of rows of the batch.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The batch's rows of inputs, each followed by a one, `stride(input_dim)` vectors a row.
    pub fn inputs(&self) -> &[Lanes] {
        &self.inputs
    }

    /// The batch's labels and the weights that make the loss its mean cross-entropy.
    pub fn targets(&self) -> Targets<'_> {
        Targets { labels: &self.labels, weights: &self.weights, offsets: &[] }
    }
}

/// Room for the gradient of a batch's mean cross-entropy with respect to a network's parameters.
#[derive(Debug)]
pub struct Likelihood {
    values: Values,
    loss: CrossEntropy,
    classes: usize,
}

impl Likelihood {
    /// Room for networks shaped as this one, at batches of so many rows.
    pub fn new(network: &Network, max_rows: usize) -> Self {
        let classes = network.outputs();
        Self { values: Values::new(network, max_rows), loss: CrossEntropy::new(classes), classes }
    }

    /// Replaces `gradient`; tells whether the loss is finite.
    pub fn differentiate(&mut self, network: &Network, examples: &Examples<'_>, gradient: &mut [Lanes]) -> bool {
        let (inputs, rows) = (floats(examples.inputs()), examples.rows());
        let inputs_stride = stride(network.inputs()) * LANES;
        network.forward(inputs, inputs_stride, rows, &mut self.values);
        let outputs = self.values.outputs();
        let finite = self.loss.differentiate(outputs, stride(self.classes) * LANES, examples.targets());
        network.backward(inputs, inputs_stride, rows, &mut self.values, gradient);
        finite
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Matrix;

    use super::*;

    fn task() -> Task {
        Task { input_dim: 2, num_classes: 3, temperature: None, hidden_layers: None }
    }

    fn data(examples: usize) -> Dataset {
        let inputs = (0..2 * examples).map(|value| value as f32).collect();
        let labels = (0..examples as u32).map(|example| example % 3).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    #[test]
    fn rows_stand_for_the_same_examples_whether_repeated_or_not() {
        for examples in [0, 1, 4, 10, 25] {
            let data = data(examples);
            let mut counted = Examples::new(&task(), &data, 10, 3).unwrap();
            let mut repeated = Examples::new(&task(), &data, 10, 3).unwrap().repeating();
            for _ in 0..5 {
                let totals = [&mut counted, &mut repeated].map(|batch| {
                    batch.next_batch();
                    assert!(batch.rows() <= batch.max_rows());
                    let rows = floats(batch.inputs()).chunks_exact(stride(2) * LANES);
                    let mut totals = vec![0.0; examples];
                    for (row, (label, weight)) in rows.zip(batch.labels.iter().zip(&batch.weights)) {
                        let example = row[0] as usize / 2;
                        assert_eq!((row[1], row[2], *label), (row[0] + 1.0, 1.0, example as u32 % 3));
                        totals[example] += (weight * 10.0).round();
                    }
                    totals
                });
                assert_eq!(totals[0], totals[1]);
                assert_eq!(repeated.rows(), if examples == 0 { 0 } else { 10 });
            }
        }
    }

    #[test]
    fn data_of_another_task_are_refused() {
        let wide = Task { input_dim: 3, ..task() };
        assert!(matches!(Examples::new(&wide, &data(4), 10, 0), Err(Failure::Internal(_))));
        let binary = Task { num_classes: 2, ..task() };
        assert!(matches!(Examples::new(&binary, &data(4), 10, 0), Err(Failure::Internal(_))));
    }
}
