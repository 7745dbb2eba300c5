//! Training: steps of Adam on batches of the examples.

use jointly_sdk::{Dataset, Failure, Task, progress};

use crate::adam::Adam;
use crate::batches::Batches;
use crate::ensemble::Recipe;
use crate::loss::{CrossEntropy, Targets};
use crate::network::{Network, Values, stride};
use crate::simd::{LANES, Lanes, floats, floats_mut};
use crate::stream::Stream;

/// The training of an ensemble's members, one after the other on the same batches.
#[derive(Debug)]
pub struct Training<'a> {
    recipe: &'a Recipe,
    data: &'a Dataset,
    classes: usize,
    seed: u64,
    /// Derivative of the penalty, by the parameter.
    decay: f32,
    progress: Progress,
    trained: usize,
}

impl<'a> Training<'a> {
    /// Prepares the training of the recipe's members.
    ///
    /// # Errors
    ///
    /// Data that do not fit the task.
    pub fn new(recipe: &'a Recipe, task: &Task, data: &'a Dataset, seed: u64) -> Result<Self, Failure> {
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
        let decay = 2.0 * recipe.penalty(task, examples);
        let progress = Progress::new(recipe.size * recipe.steps);
        Ok(Self { recipe, data, classes: task.num_classes, seed, decay, progress, trained: 0 })
    }

    /// Trains the next member: minimises the mean cross-entropy of `network + prior` plus the penalty on `network`.
    ///
    /// # Errors
    ///
    /// A loss that stopped being finite.
    pub fn run(&mut self, mut network: Network, prior: Option<&Network>, weights: &[f32]) -> Result<Network, Failure> {
        let recipe = self.recipe;
        let examples = self.data.labels.len();
        let offsets = prior.map_or(Vec::new(), |prior| outputs(prior, self.data.inputs.values(), examples));
        let rng = Stream::Batches.rng(self.seed, 0);
        let mut batches = Batches::new(examples, recipe.batch_size, rng);
        let mut batch = Batch::new(network.inputs(), self.classes, batches.max_rows());
        let mut values = Values::new(&network, batches.max_rows());
        let mut loss = CrossEntropy::new(self.classes);
        let mut adam = Adam::new(network.parameters.len(), recipe.learning_rate);
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        let fixed = batches.fixed();
        for step in 0..recipe.steps {
            let (rows, counts) = batches.next_batch();
            if step == 0 || !fixed {
                batch.gather(self.data, &offsets, rows);
            }
            batch.weigh(rows, counts, weights, recipe.batch_size);
            network.forward(floats(&batch.inputs), batch.stride, rows.len(), &mut values);
            if !loss.differentiate(values.outputs(), stride(self.classes) * LANES, batch.targets()) {
                let member = self.trained;
                return Err(Failure::Diverged(format!("the loss of member {member} is not finite at step {step}")));
            }
            network.backward(floats(&batch.inputs), batch.stride, rows.len(), &mut values, &mut gradient);
            adam.update(&mut network.parameters, &gradient, self.decay);
            self.progress.step();
        }
        self.trained += 1;
        Ok(network)
    }
}

/// The examples of a step, side by side.
#[derive(Debug)]
struct Batch {
    /// Each row of inputs is followed by a one.
    inputs: Vec<Lanes>,
    stride: usize,
    dim: usize,
    classes: usize,
    labels: Vec<u32>,
    weights: Vec<f32>,
    offsets: Vec<f32>,
}

impl Batch {
    fn new(dim: usize, classes: usize, max_rows: usize) -> Self {
        Self {
            inputs: vec![Lanes::splat(0.0); max_rows * stride(dim)],
            stride: stride(dim) * LANES,
            dim,
            classes,
            labels: Vec::new(),
            weights: Vec::new(),
            offsets: Vec::new(),
        }
    }

    fn gather(&mut self, data: &Dataset, offsets: &[f32], rows: &[u32]) {
        self.labels.clear();
        self.offsets.clear();
        for (row, out) in rows.iter().zip(floats_mut(&mut self.inputs).chunks_exact_mut(self.stride)) {
            let row = *row as usize;
            out[..self.dim].copy_from_slice(data.inputs.row(row));
            out[self.dim] = 1.0;
            self.labels.push(data.labels[row]);
            if !offsets.is_empty() {
                self.offsets.extend_from_slice(&offsets[row * self.classes..(row + 1) * self.classes]);
            }
        }
    }

    /// Weighs each row by how often it occurs in the batch and how much it counts for the member.
    fn weigh(&mut self, rows: &[u32], counts: &[f32], weights: &[f32], batch_size: usize) {
        let share = 1.0 / batch_size as f32;
        self.weights.clear();
        self.weights.extend(rows.iter().zip(counts).map(|(row, count)| {
            let weight = weights.get(*row as usize).copied().unwrap_or(1.0);
            share * count * weight
        }));
    }

    fn targets(&self) -> Targets<'_> {
        Targets { labels: &self.labels, weights: &self.weights, offsets: &self.offsets }
    }
}

/// The network's outputs at every row, without padding.
fn outputs(network: &Network, inputs: &[f32], rows: usize) -> Vec<f32> {
    const BLOCK: usize = 64;
    let (dim, classes) = (network.inputs(), network.outputs());
    let mut values = Values::new(network, BLOCK.min(rows));
    let mut out = Vec::with_capacity(rows * classes);
    for inputs in inputs.chunks(BLOCK * dim) {
        let rows = inputs.len() / dim;
        network.forward(inputs, dim, rows, &mut values);
        for row in values.outputs().chunks_exact(stride(classes) * LANES).take(rows) {
            out.extend_from_slice(&row[..classes]);
        }
    }
    out
}

/// Tells the host how far training is, a hundred times in all.
#[derive(Debug)]
struct Progress {
    total: usize,
    done: usize,
    next: usize,
}

impl Progress {
    fn new(total: usize) -> Self {
        Self { total, done: 0, next: 0 }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.done >= self.next {
            progress(self.done as f32 / self.total as f32);
            self.next = self.done + self.total.div_ceil(100);
        }
    }
}
