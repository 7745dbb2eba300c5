//! Joint training of the base network and the epinet by Adam, on batches of examples and of indices.

use jointly_nets::adam::Adam;
use jointly_nets::examples::Examples;
use jointly_nets::layout::stride;
use jointly_nets::loss::{CrossEntropy, Targets};
use jointly_nets::network::Values;
use jointly_nets::simd::{LANES, Lanes, floats, floats_mut};
use jointly_nets::stack::Stack;
use jointly_nets::{FirstBiases, Network, Progress, Stream};
use jointly_sdk::{Dataset, Failure, Task};

use crate::epinet::{Shape, dot, draw_index};
use crate::prior::{Outputs, Prior};

/// The settings of training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// Number of indices in a step.
    pub(crate) indices: usize,
    /// Number of steps of Adam.
    pub(crate) steps: usize,
    /// Number of examples in a batch.
    pub(crate) batch_size: usize,
    /// Step size of Adam.
    pub(crate) learning_rate: f32,
    /// The factor of the sum of squares of all parameters in the loss.
    pub(crate) penalty: f32,
}

/// Trains a base network and an epinet with the prior added; returns them in this order.
///
/// # Formula
///
/// Minimises the mean over examples and indices of CE(mu(x) + eta(phi(x), z) . z + prior(x, z), y), plus penalty
/// times the sum of squares of the parameters of mu and eta, where phi(x) is the input and mu's last hidden layer.
/// The gradient does not pass through phi, so eta does not shape the features.
///
/// # Errors
///
/// The loss stopped being finite, or the data do not fit the task.
pub(crate) fn train(
    shape: &Shape,
    prior: &Prior,
    recipe: &Recipe,
    task: &Task,
    data: &Dataset,
    seed: u64,
) -> Result<(Network, Network), Failure> {
    let mut batches = Examples::new(task, data, recipe.batch_size, Stream::Batches.rng(seed, 0))?;
    let prior = prior.outputs(data.inputs.values());
    let mut gradient = Gradient::new(shape, recipe.indices, batches.max_rows(), seed);
    let mut base_adam = Adam::new(gradient.base.gradient.len(), recipe.learning_rate);
    let mut epinet_adam = Adam::new(gradient.epinet_slopes.len(), recipe.learning_rate);
    let mut progress = Progress::new(recipe.steps);
    for step in 0..recipe.steps {
        batches.next_batch();
        let mut rng = Stream::IndicesOfSteps.rng(seed, step as u64);
        let indices: Vec<f32> = (0..recipe.indices).flat_map(|_| draw_index(shape.index_dim, &mut rng)).collect();
        if !gradient.compute(shape, &prior, &indices, &batches) {
            return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
        }
        let Gradient { base, epinet, epinet_slopes, .. } = &mut gradient;
        base_adam.update(&mut base.network.parameters, &base.gradient, 2.0 * recipe.penalty);
        epinet_adam.update(&mut epinet.parameters, epinet_slopes, 2.0 * recipe.penalty);
        progress.step();
    }
    Ok((gradient.base.network, gradient.epinet))
}

/// The networks in training, and the buffers for the gradient of a step.
#[derive(Debug)]
struct Gradient {
    base: Stack,
    epinet: Network,
    /// The gradient with respect to the epinet's parameters, without the penalty.
    epinet_slopes: Vec<Lanes>,
    values: Values,
    /// The epinet's inputs: for each index all rows of the batch, each followed by a one.
    inputs: Vec<Lanes>,
    loss: CrossEntropy,
    logits: Vec<f32>,
    labels: Vec<u32>,
    weights: Vec<f32>,
}

impl Gradient {
    fn new(shape: &Shape, indices: usize, rows: usize, seed: u64) -> Self {
        let epinet_widths = shape.epinet_widths();
        let epinet = Network::new(&epinet_widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, 1));
        Self {
            base: Stack::new(&shape.base_widths(), rows, &mut Stream::Start.rng(seed, 0)),
            epinet_slopes: vec![Lanes::splat(0.0); epinet.parameters.len()],
            values: Values::new(&epinet, rows * indices),
            inputs: vec![Lanes::splat(0.0); rows * indices * stride(epinet_widths[0])],
            loss: CrossEntropy::new(shape.classes),
            epinet,
            logits: Vec::new(),
            labels: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Computes the gradient; returns whether the loss is finite.
    fn compute(&mut self, shape: &Shape, prior: &Outputs, indices: &[f32], batch: &Examples<'_>) -> bool {
        let (dim, classes, index_dim) = (shape.input_dim, shape.classes, shape.index_dim);
        let rows = batch.rows();
        let count = indices.len() / index_dim;
        let batch_inputs = || batch.inputs().chunks_exact(batch.stride()).take(rows);
        self.base.inputs().zip(batch_inputs()).for_each(|(to, from)| to[..dim].copy_from_slice(&from[..dim]));
        self.base.forward(rows);

        let inputs_stride = stride(shape.features() + index_dim) * LANES;
        let mut inputs = floats_mut(&mut self.inputs).chunks_exact_mut(inputs_stride);
        for index in indices.chunks_exact(index_dim) {
            for ((input, features), to) in batch_inputs().zip(self.base.features()).zip(inputs.by_ref()) {
                to[..dim].copy_from_slice(&input[..dim]);
                to[dim..shape.features()].copy_from_slice(&features[..shape.features() - dim]);
                to[shape.features()..][..index_dim].copy_from_slice(index);
                to[shape.features() + index_dim] = 1.0;
            }
        }
        self.epinet.forward(floats(&self.inputs), inputs_stride, rows * count, &mut self.values);

        let base: Vec<f32> = self.base.outputs().take(rows).flat_map(|row| row[..classes].to_vec()).collect();
        let outputs_stride = stride(classes * index_dim) * LANES;
        let mut outputs = self.values.outputs().chunks_exact(outputs_stride);
        self.logits.clear();
        self.labels.clear();
        self.weights.clear();
        for index in indices.chunks_exact(index_dim) {
            self.labels.extend_from_slice(batch.labels());
            self.weights.extend(batch.shares().iter().map(|share| share / count as f32));
            let rows = batch.examples().iter().zip(base.chunks_exact(classes)).zip(outputs.by_ref());
            for ((example, base), projected) in rows {
                let projections = projected.chunks_exact(index_dim).map(|row| dot(row, index));
                let prior = prior.row(*example as usize, classes, index);
                let sums = base.iter().zip(projections).zip(prior);
                self.logits.extend(sums.map(|((base, projection), prior)| base + projection + prior));
            }
        }
        let targets = Targets { labels: &self.labels, weights: &self.weights, offsets: &[] };
        let finite = self.loss.differentiate(&mut self.logits, classes, targets);

        for row in self.base.outputs().take(rows) {
            row[..classes].fill(0.0);
        }
        let mut outputs = self.values.outputs().chunks_exact_mut(outputs_stride);
        let mut slopes = self.logits.chunks_exact(classes);
        for index in indices.chunks_exact(index_dim) {
            for ((base, projected), slopes) in self.base.outputs().take(rows).zip(outputs.by_ref()).zip(slopes.by_ref())
            {
                base.iter_mut().zip(slopes).for_each(|(base, slope)| *base += slope);
                for (projected, slope) in projected.chunks_exact_mut(index_dim).zip(slopes) {
                    projected.iter_mut().zip(index).for_each(|(projected, z)| *projected = slope * z);
                }
            }
        }
        self.base.backward(rows);
        let inputs = floats(&self.inputs);
        self.epinet.backward(inputs, inputs_stride, rows * count, &mut self.values, &mut self.epinet_slopes);
        finite
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::layout::{Block, layout};
    use jointly_sdk::{Matrix, Rng};

    use super::*;

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Tolerance of a derivative of order one in single precision.
    const TOLERANCE: f64 = 1e-4;

    const INDICES: usize = 3;

    fn data() -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs = (0..2 * 6).map(|_| rng.normal()).collect();
        Dataset { inputs: Matrix::new(6, 2, inputs).unwrap(), labels: vec![0, 2, 1, 1, 0, 2] }
    }

    /// Computes every layer's values at one input, in double precision.
    fn plain(widths: &[usize], parameters: &[f64], input: Vec<f64>) -> Vec<Vec<f64>> {
        let mut layers = vec![input];
        for (l, block) in layout(widths).iter().enumerate() {
            let mut sums: Vec<f64> = block.biases().map(|at| parameters[at]).collect();
            for (i, value) in layers[l].iter().enumerate() {
                sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * parameters[at]);
            }
            let last = l + 2 == widths.len();
            layers.push(sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect());
        }
        layers
    }

    fn doubles(parameters: &[Lanes]) -> Vec<f64> {
        floats(parameters).iter().map(|value| f64::from(*value)).collect()
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let shape = Shape { input_dim: 2, classes: 3, hidden: vec![5, 4], epinet_hidden: vec![6], index_dim: 2 };
        let task = Task::new(2, 3);
        let data = data();
        let prior = Prior::new(&[2, 5, 3], 2, 2.0, 1).outputs(data.inputs.values());
        let mut batches = Examples::new(&task, &data, 8, Rng::new(0, 0)).unwrap();
        batches.next_batch();
        let mut rng = Rng::new(7, 0);
        let indices: Vec<f32> = (0..INDICES).flat_map(|_| draw_index(2, &mut rng)).collect();
        let mut gradient = Gradient::new(&shape, INDICES, batches.max_rows(), 4);
        let parts = [shape.base_widths(), shape.epinet_widths()];
        let networks = [&mut gradient.base.network, &mut gradient.epinet];
        for (network, widths) in networks.into_iter().zip(&parts) {
            for at in layout(widths).into_iter().flat_map(Block::biases) {
                floats_mut(&mut network.parameters)[at] = 0.3 * rng.normal();
            }
        }
        assert!(gradient.compute(&shape, &prior, &indices, &batches));

        // The epinet's features come from the unshifted base network, because the gradient does not pass through
        // them.
        let fixed = doubles(&gradient.base.network.parameters);
        let loss = |base: &[f64], epinet: &[f64]| -> f64 {
            let mut loss = 0.0;
            for index in indices.chunks(2) {
                for ((example, label), share) in batches.examples().iter().zip(batches.labels()).zip(batches.shares()) {
                    let row = *example as usize;
                    let input: Vec<f64> = data.inputs.row(row).iter().map(|x| f64::from(*x)).collect();
                    let index: Vec<f64> = index.iter().map(|z| f64::from(*z)).collect();
                    let logits = plain(&parts[0], base, input.clone()).pop().unwrap();
                    let features = &plain(&parts[0], &fixed, input.clone())[2];
                    let projected = plain(&parts[1], epinet, [&input[..], features, &index].concat()).pop().unwrap();
                    let index_f32: Vec<f32> = index.iter().map(|z| *z as f32).collect();
                    let prior: Vec<f32> = prior.row(row, 3, &index_f32).collect();
                    let sums: Vec<f64> = (0..3)
                        .map(|k| logits[k] + projected[2 * k] * index[0] + projected[2 * k + 1] * index[1])
                        .zip(prior)
                        .map(|(sum, prior)| sum + f64::from(prior))
                        .collect();
                    let normaliser = sums.iter().map(|sum| sum.exp()).sum::<f64>().ln();
                    loss += f64::from(*share) / INDICES as f64 * (normaliser - sums[*label as usize]);
                }
            }
            loss
        };
        let mut parameters = [fixed.clone(), doubles(&gradient.epinet.parameters)];
        let gradients = [doubles(&gradient.base.gradient), doubles(&gradient.epinet_slopes)];
        for (part, widths) in parts.iter().enumerate() {
            let mut largest = 0.0f64;
            for at in layout(widths).into_iter().flat_map(|block| block.weights().chain(block.biases())) {
                let original = parameters[part][at];
                let mut shifted = |by: f64| {
                    parameters[part][at] = original + by;
                    loss(&parameters[0], &parameters[1])
                };
                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                parameters[part][at] = original;
                let derivative = gradients[part][at];
                assert!((difference - derivative).abs() < TOLERANCE, "{part}, {at}: {difference} and {derivative}");
                largest = largest.max(derivative.abs());
            }
            assert!(largest > 100.0 * TOLERANCE, "the gradient vanishes");
        }
    }
}
