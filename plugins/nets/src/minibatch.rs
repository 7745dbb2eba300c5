//! The examples that a step of training sees, side by side.

use jointly_sdk::{Dataset, Failure, Rng, Task};

use crate::batches::Batches;
use crate::network::stride;
use crate::simd::{LANES, Lanes, floats, floats_mut};

/// An endless sequence of batches of a dataset's examples.
#[derive(Debug)]
pub struct Minibatches<'a> {
    data: &'a Dataset,
    batches: Batches,
    size: usize,
    gathered: bool,
    /// Each row of inputs is followed by a one and padded to whole vectors.
    inputs: Vec<Lanes>,
    dim: usize,
    examples: Vec<u32>,
    labels: Vec<u32>,
    shares: Vec<f32>,
}

impl<'a> Minibatches<'a> {
    /// Batches of `size` examples.
    ///
    /// # Errors
    ///
    /// Data that do not fit the task.
    pub fn new(task: &Task, data: &'a Dataset, size: usize, rng: Rng) -> Result<Self, Failure> {
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
        let batches = Batches::new(examples, size, rng);
        let inputs = vec![Lanes::splat(0.0); batches.max_rows() * stride(task.input_dim)];
        let (examples, labels, shares) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { data, batches, size, gathered: false, inputs, dim: task.input_dim, examples, labels, shares })
    }

    /// The largest number of rows in a batch.
    pub fn max_rows(&self) -> usize {
        self.batches.max_rows()
    }

    /// Goes on to the next batch.
    pub fn advance(&mut self) {
        let fixed = self.batches.fixed();
        let (rows, counts) = self.batches.next_batch();
        self.shares.clear();
        self.shares.extend(counts.iter().map(|count| count / self.size as f32));
        if self.gathered && fixed {
            return;
        }
        self.gathered = true;
        self.examples.clear();
        self.examples.extend_from_slice(rows);
        self.labels.clear();
        let outs = floats_mut(&mut self.inputs).chunks_exact_mut(stride(self.dim) * LANES);
        for (row, out) in rows.iter().zip(outs) {
            let row = *row as usize;
            out[..self.dim].copy_from_slice(self.data.inputs.row(row));
            out[self.dim] = 1.0;
            self.labels.push(self.data.labels[row]);
        }
    }

    /// Rows of inputs, [`stride`](Self::stride) numbers each, of which the one after the features is one.
    pub fn inputs(&self) -> &[f32] {
        floats(&self.inputs)
    }

    /// Numbers in a row of inputs.
    pub fn stride(&self) -> usize {
        stride(self.dim) * LANES
    }

    /// Which example each row is.
    pub fn examples(&self) -> &[u32] {
        &self.examples
    }

    /// The class of each row.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The fraction of the batch that each row stands for.
    pub fn shares(&self) -> &[f32] {
        &self.shares
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Matrix;

    use super::*;

    fn data(examples: usize) -> Dataset {
        let inputs = (0..examples * 2).map(|i| i as f32).collect();
        Dataset { inputs: Matrix::new(examples, 2, inputs).unwrap(), labels: vec![1; examples] }
    }

    fn task(classes: usize) -> Task {
        Task { input_dim: 2, num_classes: classes, temperature: None, hidden_layers: None }
    }

    #[test]
    fn rows_are_the_examples_whether_they_are_all_there_or_a_few() {
        for (examples, size, rows) in [(4, 10, 4), (30, 10, 10)] {
            let data = data(examples);
            let mut batches = Minibatches::new(&task(2), &data, size, Rng::new(0, 0)).unwrap();
            for _ in 0..3 {
                batches.advance();
                assert_eq!((batches.examples().len(), batches.labels().len()), (rows, rows));
                let inputs = batches.inputs().chunks(batches.stride());
                for (input, example) in inputs.zip(batches.examples()) {
                    assert_eq!(input[..3], [(2 * example) as f32, (2 * example + 1) as f32, 1.0]);
                }
                assert!((batches.shares().iter().sum::<f32>() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn what_does_not_fit_the_task_is_refused() {
        let data = data(3);
        assert!(Minibatches::new(&task(1), &data, 10, Rng::new(0, 0)).is_err());
        let other = Task { input_dim: 3, ..task(2) };
        assert!(Minibatches::new(&other, &data, 10, Rng::new(0, 0)).is_err());
        let unlabelled = Dataset { labels: Vec::new(), ..data };
        assert!(Minibatches::new(&task(2), &unlabelled, 10, Rng::new(0, 0)).is_err());
    }
}
