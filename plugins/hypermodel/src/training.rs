//! Training by steps of Adam on batches of examples and of indices.

use jointly_nets::adam::Adam;
use jointly_nets::examples::Examples;
use jointly_nets::layout::stride;
use jointly_nets::loss::{CrossEntropy, Targets};
use jointly_nets::network::{Network, Values};
use jointly_nets::simd::{LANES, Lanes};
use jointly_nets::{Progress, Stream, Weighting};
use jointly_sdk::{Dataset, Failure, Task};

use crate::bootstrap::Bootstrap;
use crate::hypernetwork::{Hypernetwork, draw_index};

/// The settings of training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// Dimension of the index.
    pub(crate) index_dim: usize,
    /// Number of indices in a step.
    pub(crate) indices: usize,
    /// Number of steps of Adam.
    pub(crate) steps: usize,
    /// Number of examples in a batch.
    pub(crate) batch_size: usize,
    /// Step size of Adam.
    pub(crate) learning_rate: f32,
    /// The factor of the sum of squares of A and b in the loss.
    pub(crate) penalty: f32,
    /// The weighting of the examples by an index.
    pub(crate) weighting: Weighting,
}

/// Trains the hypermodel with its prior added.
///
/// # Formula
///
/// Minimises over A and b the mean over indices z of sum_t w_t(z) / T CE(f(x_t; A z + b) + prior(x_t, z), y_t), plus
/// penalty (|A|^2 + |b|^2), with the means over a batch of examples and of fresh indices at each step.
///
/// # Errors
///
/// The loss stopped being finite, or the data do not fit the task.
pub(crate) fn train(
    mut model: Hypernetwork,
    prior: Option<&Hypernetwork>,
    recipe: &Recipe,
    task: &Task,
    data: &Dataset,
    seed: u64,
) -> Result<Hypernetwork, Failure> {
    let rng = Stream::Batches.rng(seed, 0);
    let mut batches = Examples::new(task, data, recipe.batch_size, rng)?;
    let bootstrap = Bootstrap::new(recipe.weighting, data.labels.len(), recipe.index_dim, seed);
    let mut gradient = Gradient::new(&model, prior, recipe.indices, batches.max_rows());
    let mut adam = Adam::new(model.parameters.len(), recipe.learning_rate);
    let mut progress = Progress::new(recipe.steps);
    for step in 0..recipe.steps {
        batches.next_batch();
        let mut rng = Stream::IndicesOfSteps.rng(seed, step as u64);
        let indices: Vec<f32> = (0..recipe.indices).flat_map(|_| draw_index(recipe.index_dim, &mut rng)).collect();
        if !gradient.compute(&model, prior, &indices, &batches, &bootstrap) {
            return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
        }
        adam.update(&mut model.parameters, &gradient.total, 2.0 * recipe.penalty);
        progress.step();
    }
    Ok(model)
}

/// The buffers for the gradient of a step.
#[derive(Debug)]
struct Gradient {
    network: Network,
    values: Values,
    prior: Option<(Network, Values)>,
    loss: CrossEntropy,
    weights: Vec<f32>,
    offsets: Vec<f32>,
    /// The parameters at each index, later overwritten by their gradient.
    generated: Vec<Lanes>,
    prior_generated: Vec<Lanes>,
    /// The gradient with respect to A and b, without the penalty.
    total: Vec<Lanes>,
}

impl Gradient {
    fn new(model: &Hypernetwork, prior: Option<&Hypernetwork>, indices: usize, rows: usize) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let zero_index = vec![0.0; model.index_stride()];
        let network = model.network(&zero_index);
        let prior_width = prior.map_or(0, Hypernetwork::width);
        let prior = prior.map(|prior| {
            let network = prior.network(&zero_index);
            let values = Values::new(&network, rows);
            (network, values)
        });
        Self {
            values: Values::new(&network, rows),
            loss: CrossEntropy::new(network.outputs()),
            network,
            prior,
            weights: Vec::new(),
            offsets: Vec::new(),
            generated: zeros(indices * model.width()),
            prior_generated: zeros(indices * prior_width),
            total: zeros(model.parameters.len()),
        }
    }

    /// Computes the gradient; returns whether the loss is finite.
    fn compute(
        &mut self,
        model: &Hypernetwork,
        prior: Option<&Hypernetwork>,
        indices: &[f32],
        batch: &Examples<'_>,
        bootstrap: &Bootstrap,
    ) -> bool {
        model.generate(indices, &mut self.generated);
        if let Some(prior) = prior {
            prior.generate(indices, &mut self.prior_generated);
        }
        let rows = batch.rows();
        let (inputs, inputs_stride) = (batch.inputs(), batch.stride());
        let classes = self.network.outputs();
        let mut finite = true;
        let index_share = model.index_stride() as f32 / indices.len() as f32;
        for (m, index) in indices.chunks_exact(model.index_stride()).enumerate() {
            self.weights.clear();
            let examples = batch.examples().iter().zip(batch.shares());
            self.weights.extend(examples.map(|(row, share)| index_share * share * bootstrap.weight(*row, index)));
            self.offsets.clear();
            if let Some((network, values)) = &mut self.prior {
                let width = network.parameters.len();
                network.parameters.copy_from_slice(&self.prior_generated[m * width..][..width]);
                network.forward(inputs, inputs_stride, rows, values);
                for row in values.outputs().chunks_exact(stride(classes) * LANES).take(rows) {
                    self.offsets.extend_from_slice(&row[..classes]);
                }
            }
            let generated = &mut self.generated[m * model.width()..][..model.width()];
            self.network.parameters.copy_from_slice(generated);
            self.network.forward(inputs, inputs_stride, rows, &mut self.values);
            let targets = Targets { labels: batch.labels(), weights: &self.weights, offsets: &self.offsets };
            finite &= self.loss.differentiate(self.values.outputs(), stride(classes) * LANES, targets);
            self.network.backward(inputs, inputs_stride, rows, &mut self.values, generated);
        }
        model.backward(indices, &self.generated, &mut self.total);
        finite
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::layout::layout;
    use jointly_nets::simd::{floats, floats_mut};
    use jointly_sdk::{Matrix, Rng};

    use super::*;
    use crate::prior::prior;

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Tolerance of a derivative of order one in single precision.
    const TOLERANCE: f64 = 1e-4;

    const WIDTHS: [usize; 4] = [2, 5, 4, 3];
    const PRIOR_WIDTHS: [usize; 3] = [2, 3, 3];
    const INDEX_DIM: usize = 3;

    fn data() -> Dataset {
        let mut rng = Rng::new(3, 0);
        let inputs = (0..2 * 6).map(|_| rng.normal()).collect();
        Dataset { inputs: Matrix::new(6, 2, inputs).unwrap(), labels: vec![0, 2, 1, 1, 0, 2] }
    }

    /// Computes the logits, at one input, of the network that `parameters` generate at an index, in double precision.
    fn logits(widths: &[usize], parameters: &[f64], index: &[f32], input: &[f32]) -> Vec<f64> {
        let width = parameters.len() / index.len();
        let theta = |at: usize| -> f64 {
            let terms = index.iter().enumerate().map(|(k, z)| f64::from(*z) * parameters[k * width + at]);
            terms.sum()
        };
        let mut values: Vec<f64> = input.iter().map(|value| f64::from(*value)).collect();
        for (l, block) in layout(widths).iter().enumerate() {
            let mut sums: Vec<f64> = block.biases().map(theta).collect();
            for (i, value) in values.iter().enumerate() {
                sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * theta(at));
            }
            let last = l + 2 == widths.len();
            values = sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect();
        }
        values
    }

    fn doubles(parameters: &[Lanes]) -> Vec<f64> {
        floats(parameters).iter().map(|value| f64::from(*value)).collect()
    }

    #[test]
    fn gradient_agrees_with_finite_differences() {
        let data = data();
        let task = Task::new(2, 3);
        for weighting in [Weighting::Equal, Weighting::Exponential] {
            let mut rng = Rng::new(7, 0);
            let mut model = Hypernetwork::start(&WIDTHS, INDEX_DIM, 1);
            let width = model.width();
            for column in model.parameters.chunks_exact_mut(width) {
                for at in layout(&WIDTHS).iter().flat_map(|block| block.biases().collect::<Vec<_>>()) {
                    floats_mut(column)[at] = 0.3 * rng.normal();
                }
            }
            let prior = prior(&PRIOR_WIDTHS, INDEX_DIM, 2.0, 1);
            let bootstrap = Bootstrap::new(weighting, data.labels.len(), INDEX_DIM, 1);
            let indices: Vec<f32> = (0..4).flat_map(|_| draw_index(INDEX_DIM, &mut rng)).collect();
            let mut batches = Examples::new(&task, &data, 8, Rng::new(0, 0)).unwrap();
            batches.next_batch();
            let mut gradient = Gradient::new(&model, Some(&prior), 4, batches.max_rows());
            assert!(gradient.compute(&model, Some(&prior), &indices, &batches, &bootstrap));

            let prior_parameters = doubles(&prior.parameters);
            let loss = |parameters: &[f64]| -> f64 {
                let mut loss = 0.0;
                for index in indices.chunks(INDEX_DIM + 1) {
                    for ((example, label), share) in
                        batches.examples().iter().zip(batches.labels()).zip(batches.shares())
                    {
                        let input = data.inputs.row(*example as usize);
                        let model = logits(&WIDTHS, parameters, index, input);
                        let prior = logits(&PRIOR_WIDTHS, &prior_parameters, index, input);
                        let sums: Vec<f64> = model.iter().zip(prior).map(|(model, prior)| model + prior).collect();
                        let normaliser = sums.iter().map(|sum| sum.exp()).sum::<f64>().ln();
                        let weight = f64::from(share * bootstrap.weight(*example, index)) / 4.0;
                        loss += weight * (normaliser - sums[*label as usize]);
                    }
                }
                loss
            };
            let mut parameters = doubles(&model.parameters);
            let total = floats(&gradient.total).to_vec();
            let width = parameters.len() / (INDEX_DIM + 1);
            let mut largest = 0.0;
            for block in layout(&WIDTHS) {
                for at in block.weights().chain(block.biases()) {
                    for at in (at..parameters.len()).step_by(width) {
                        let original = parameters[at];
                        let mut shifted = |by: f64| {
                            parameters[at] = original + by;
                            loss(&parameters)
                        };
                        let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                        parameters[at] = original;
                        let derivative = f64::from(total[at]);
                        assert!((difference - derivative).abs() < TOLERANCE, "{at}: {difference} and {derivative}");
                        largest = derivative.abs().max(largest);
                    }
                }
            }
            assert!(largest > 100.0 * TOLERANCE, "the gradient vanishes");
        }
    }
}
