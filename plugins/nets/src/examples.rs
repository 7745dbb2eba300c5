//! Minibatches of labelled examples, and the gradient of the loss at a minibatch.

use jointly_sdk::{Dataset, Failure, Rng, Task};

use crate::batches::Batches;
use crate::layout::stride;
use crate::loss::{CrossEntropy, Targets};
use crate::network::{Network, Values};
use crate::simd::{LANES, Lanes, floats, floats_mut};

/// Checks that data fit the task.
///
/// # Errors
///
/// Fails if the inputs have another dimension than the task's, if there are not as many labels as inputs, or if a label
/// is not one of the task's classes.
pub fn check(task: &Task, data: &Dataset) -> Result<(), Failure> {
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
    Ok(())
}

/// An endless sequence of minibatches of a dataset's examples.
#[derive(Debug)]
pub struct Examples<'a> {
    data: &'a Dataset,
    batches: Batches,
    batch_size: usize,
    /// Whether an example that occurs several times in a minibatch takes one row for each time.
    repeats: bool,
    /// The weight of each example; empty if all weights are one.
    example_weights: Vec<f32>,
    /// The offsets of each example's logits; empty if there are none.
    example_offsets: Vec<f32>,
    /// Whether the rows that all minibatches share are in place.
    gathered: bool,
    /// Rows of inputs, each followed by a one and padded to whole vectors.
    inputs: Vec<Lanes>,
    dim: usize,
    classes: usize,
    which: Vec<u32>,
    labels: Vec<u32>,
    shares: Vec<f32>,
    weights: Vec<f32>,
    offsets: Vec<f32>,
}

impl<'a> Examples<'a> {
    /// Makes minibatches of `batch_size` examples. An example is one row, whose share says how often it occurs.
    ///
    /// # Errors
    ///
    /// Fails if the data do not fit the task.
    pub fn new(task: &Task, data: &'a Dataset, batch_size: usize, rng: Rng) -> Result<Self, Failure> {
        check(task, data)?;
        let batches = Batches::new(data.labels.len(), batch_size, rng);
        Ok(Self {
            data,
            batch_size,
            repeats: false,
            example_weights: Vec::new(),
            example_offsets: Vec::new(),
            gathered: false,
            inputs: vec![Lanes::splat(0.0); batches.max_rows() * stride(task.input_dim)],
            batches,
            dim: task.input_dim,
            classes: task.num_classes,
            which: Vec::new(),
            labels: Vec::new(),
            shares: Vec::new(),
            weights: Vec::new(),
            offsets: Vec::new(),
        })
    }

    /// Repeats the row of an example that occurs several times in a minibatch, for rows of the same example that are to
    /// differ.
    #[must_use]
    pub fn repeating(mut self) -> Self {
        let rows = if self.data.labels.is_empty() { 0 } else { self.batch_size };
        self.inputs.resize(rows * stride(self.dim), Lanes::splat(0.0));
        self.repeats = true;
        self
    }

    /// Sets the weight of each example; all weights are one if `weights` is empty.
    #[must_use]
    pub fn weighted(mut self, weights: &[f32]) -> Self {
        self.example_weights = weights.to_vec();
        self
    }

    /// Adds `offsets[t * classes + k]` to the logits of example t; nothing if `offsets` is empty.
    #[must_use]
    pub fn offset(mut self, offsets: Vec<f32>) -> Self {
        self.example_offsets = offsets;
        self
    }

    /// The largest number of rows in a minibatch.
    pub fn max_rows(&self) -> usize {
        self.inputs.len() / stride(self.dim)
    }

    /// Goes on to the next minibatch.
    pub fn next_batch(&mut self) {
        let stride = self.stride();
        let same_rows = !self.repeats && self.batches.fixed() && self.gathered;
        let (rows, counts) = self.batches.next_batch();
        self.shares.clear();
        self.weights.clear();
        let share = 1.0 / self.batch_size as f32;
        for (row, count) in rows.iter().zip(counts) {
            let (times, count) = if self.repeats { (*count as usize, 1.0) } else { (1, *count) };
            let weight = self.example_weights.get(*row as usize).copied().unwrap_or(1.0);
            self.shares.extend((0..times).map(|_| count / self.batch_size as f32));
            self.weights.extend((0..times).map(|_| share * count * weight));
        }
        if same_rows {
            return;
        }
        self.gathered = true;
        self.which.clear();
        self.labels.clear();
        self.offsets.clear();
        let mut inputs = floats_mut(&mut self.inputs).chunks_exact_mut(stride);
        for (example, count) in rows.iter().zip(counts) {
            let row = *example as usize;
            let times = if self.repeats { *count as usize } else { 1 };
            for out in inputs.by_ref().take(times) {
                out[..self.dim].copy_from_slice(self.data.inputs.row(row));
                out[self.dim] = 1.0;
                self.which.push(*example);
                self.labels.push(self.data.labels[row]);
                if !self.example_offsets.is_empty() {
                    self.offsets.extend_from_slice(&self.example_offsets[row * self.classes..][..self.classes]);
                }
            }
        }
    }

    /// The number of rows of the minibatch.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// Rows of inputs, [`stride`](Self::stride) numbers each, with a one behind the features. There are more rows than
    /// [`rows`](Self::rows) if another minibatch can have more.
    pub fn inputs(&self) -> &[f32] {
        floats(&self.inputs)
    }

    /// Numbers in a row of inputs.
    pub fn stride(&self) -> usize {
        stride(self.dim) * LANES
    }

    /// The index of each row's example.
    pub fn examples(&self) -> &[u32] {
        &self.which
    }

    /// The class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The fraction of the minibatch that each row represents, without the weight of its example.
    pub fn shares(&self) -> &[f32] {
        &self.shares
    }

    /// The minibatch for the loss, which is the mean of the examples' cross-entropies, each times its weight.
    pub fn targets(&self) -> Targets<'_> {
        Targets { labels: &self.labels, weights: &self.weights, offsets: &self.offsets }
    }
}

/// Scratch buffers for the gradient of a minibatch's loss with respect to a network's parameters.
#[derive(Debug)]
pub struct Likelihood {
    values: Values,
    loss: CrossEntropy,
    classes: usize,
}

impl Likelihood {
    /// Makes buffers for networks with the shape of `network`, at minibatches of `max_rows` rows.
    pub fn new(network: &Network, max_rows: usize) -> Self {
        let classes = network.outputs();
        Self { values: Values::new(network, max_rows), loss: CrossEntropy::new(classes), classes }
    }

    /// Replaces `gradient` by the gradient of the loss that `targets` defines at the minibatch's rows, and returns
    /// whether the loss is finite.
    pub fn differentiate(
        &mut self,
        network: &Network,
        examples: &Examples<'_>,
        targets: Targets<'_>,
        gradient: &mut [Lanes],
    ) -> bool {
        let (inputs, inputs_stride, rows) = (examples.inputs(), examples.stride(), examples.rows());
        network.forward(inputs, inputs_stride, rows, &mut self.values);
        let finite = self.loss.differentiate(self.values.outputs(), stride(self.classes) * LANES, targets);
        network.backward(inputs, inputs_stride, rows, &mut self.values, gradient);
        finite
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Matrix;

    use super::*;

    fn task() -> Task {
        Task::new(2, 3)
    }

    fn data(examples: usize) -> Dataset {
        let inputs = (0..2 * examples).map(|value| value as f32).collect();
        let labels = (0..examples as u32).map(|example| example % 3).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels }
    }

    fn batches(data: &Dataset) -> Examples<'_> {
        Examples::new(&task(), data, 10, Rng::new(3, 0)).unwrap()
    }

    #[test]
    fn rows_stand_for_the_same_examples_whether_repeated_or_not() {
        for examples in [0, 1, 4, 10, 25] {
            let data = data(examples);
            let (mut counted, mut repeated) = (batches(&data), batches(&data).repeating());
            for _ in 0..5 {
                let totals = [&mut counted, &mut repeated].map(|batch| {
                    batch.next_batch();
                    assert!(batch.rows() <= batch.max_rows());
                    let rows = batch.inputs().chunks_exact(batch.stride()).zip(batch.labels());
                    let mut totals = vec![0.0; examples];
                    for ((row, label), (example, share)) in rows.zip(batch.examples().iter().zip(batch.shares())) {
                        assert_eq!(row[..3], [(2 * example) as f32, (2 * example + 1) as f32, 1.0]);
                        assert_eq!(*label, example % 3);
                        totals[*example as usize] += (share * 10.0).round();
                    }
                    totals
                });
                assert_eq!(totals[0], totals[1]);
                assert_eq!(totals[0].iter().sum::<f32>(), if examples == 0 { 0.0 } else { 10.0 });
                assert_eq!(repeated.rows(), if examples == 0 { 0 } else { 10 });
            }
        }
    }

    #[test]
    fn weights_and_offsets_are_their_examples() {
        for examples in [4, 25] {
            let data = data(examples);
            let weights: Vec<f32> = (0..examples).map(|example| example as f32).collect();
            let offsets: Vec<f32> = (0..3 * examples).map(|offset| offset as f32).collect();
            let all = || batches(&data).weighted(&weights).offset(offsets.clone());
            for mut batch in [all(), all().repeating()] {
                for _ in 0..3 {
                    batch.next_batch();
                    let targets = batch.targets();
                    let rows = batch.examples().iter().zip(batch.shares()).zip(targets.weights);
                    for (((example, share), weight), offsets) in rows.zip(targets.offsets.chunks_exact(3)) {
                        assert!((share * weights[*example as usize] - weight).abs() < 1e-6);
                        assert_eq!(offsets, [0, 1, 2].map(|k| (3 * example + k) as f32));
                    }
                    assert_eq!(targets.offsets.len(), 3 * batch.rows());
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_the_task_is_refused() {
        let data = data(4);
        let refused = |task: &Task, data: &Dataset| {
            assert!(matches!(Examples::new(task, data, 10, Rng::new(0, 0)), Err(Failure::Internal(_))));
        };
        refused(&Task { input_dim: 3, ..task() }, &data);
        refused(&Task { num_classes: 2, ..task() }, &data);
        refused(&task(), &Dataset { labels: Vec::new(), ..data });
    }
}
