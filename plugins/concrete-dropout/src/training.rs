//! Training under relaxed dropout: every example of every step has its own masks, and the rates are learnt with the
//! weights.

use jointly_nets::adam::Adam;
use jointly_nets::fit::{Decay, check_parameters, shuffle};
use jointly_nets::layout::stride;
use jointly_nets::layout::{Block, layout};
use jointly_nets::points::Batch;
use jointly_nets::product::{Target, product};
use jointly_nets::simd::{LANES, Lanes, Left, Right, floats, floats_mut, transpose, vectors};
use jointly_nets::{Network, PointLoss, Points, Progress, Stream};
use jointly_sdk::{Failure, Rng};

use crate::relaxed::{LOGITS, Mask, odds, rate};

/// The settings of training a network and its rates.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) loss: PointLoss,
    pub(crate) epochs: usize,
    pub(crate) batch_size: usize,
    pub(crate) learning_rate: f32,
    pub(crate) regularizer: Regularizer,
}

/// The terms that the loss of Gal, Hron and Kendall (2017) adds to the mean negative log-likelihood.
///
/// # Formula
///
/// For a layer of n inputs with weights W and rate p the terms are
///
///   weights |W|^2 / (1 - p) + rates n (p ln p + (1 - p) ln (1 - p))
///
/// where weights = l^2 / (2 N) and rates = 1 / N with length scale l and N examples. This is half the term of the
/// reference implementation, which minimises twice the negative log-likelihood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regularizer {
    weights: f32,
    rates: f32,
}

impl Regularizer {
    pub(crate) fn new(length_scale: f32, examples: usize) -> Self {
        let examples = examples.max(1) as f32;
        Self { weights: length_scale * length_scale / (2.0 * examples), rates: 1.0 / examples }
    }
}

/// A network and the logits of the rates at which each layer's inputs are dropped; `None` for a layer whose inputs
/// are not.
#[derive(Clone, Debug)]
pub(crate) struct Trained {
    pub(crate) network: Network,
    pub(crate) logits: Vec<Option<f32>>,
}

/// Minimises the mean loss under masks plus the regulariser.
///
/// # Errors
///
/// The loss stopped being finite.
pub(crate) fn train(
    mut trained: Trained,
    widths: &[usize],
    recipe: &Recipe,
    points: &Points,
    seed: u64,
) -> Result<Trained, Failure> {
    let rows = recipe.batch_size.min(points.len());
    let mut batch = Batch::new(points.dim(), rows);
    let mut masked = Masked::new(widths, rows);
    let mut adam = Adam::new(trained.network.parameters.len(), recipe.learning_rate);
    let mut rates_adam = Adam::new(vectors(trained.logits.len()), recipe.learning_rate);
    let mut logits = vec![Lanes::splat(0.0); vectors(trained.logits.len())];
    let mut slopes = logits.clone();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let (mut batches, mut masks) = (Stream::Batches.rng(seed, 0), Stream::Masks.rng(seed, 0));
    let mut progress = Progress::new(recipe.epochs.saturating_mul(points.len().div_ceil(recipe.batch_size)));
    for epoch in 0..if points.is_empty() { 0 } else { recipe.epochs } {
        shuffle(&mut order, &mut batches);
        let mut total = 0.0;
        for places in order.chunks(recipe.batch_size) {
            batch.gather(points, places.iter().copied());
            masked.draw(batch.rows(), &mut masks);
            total += masked.differentiate(&trained, &batch, &recipe.loss);
            masked.regularize(&trained, recipe.regularizer);
            adam.update(&mut trained.network.parameters, &masked.gradient, 0.0);

            let at = floats_mut(&mut logits).iter_mut().zip(floats_mut(&mut slopes));
            for ((logit, slope), (now, gradient)) in at.zip(trained.logits.iter().zip(&masked.slopes)) {
                *logit = now.unwrap_or(0.0);
                *slope = if now.is_some() { *gradient } else { 0.0 };
            }
            rates_adam.update(&mut logits, &slopes, 0.0);
            for (now, moved) in trained.logits.iter_mut().zip(floats(&logits)) {
                *now = now.map(|_| moved.clamp(LOGITS.0, LOGITS.1));
            }
            progress.step();
        }
        if !total.is_finite() || trained.logits.iter().flatten().any(|logit| !logit.is_finite()) {
            return Err(Failure::Diverged(format!("the loss is not finite in epoch {epoch}")));
        }
    }
    check_parameters(&trained.network)?;
    Ok(trained)
}

/// The values of a batch's rows, each under its own masks, and the gradient.
struct Masked {
    blocks: Vec<Block>,
    rows: usize,
    /// Each layer's inputs, then the outputs; the backward pass replaces the outputs and hidden values by gradients.
    values: Vec<Vec<Lanes>>,
    /// The values times the masks, with a one at the end of each row.
    kept: Vec<Vec<Lanes>>,
    /// The odds that the masks are made from.
    odds: Vec<Vec<f32>>,
    /// The factors of each layer's inputs, and their derivatives with respect to the logit.
    factors: Vec<Vec<(f32, f32)>>,
    /// The gradient with respect to a layer's masked inputs.
    deltas: Vec<Lanes>,
    transposed: Vec<Lanes>,
    gradient: Vec<Lanes>,
    /// The gradient with respect to the logits.
    slopes: Vec<f32>,
}

impl Masked {
    fn new(widths: &[usize], rows: usize) -> Self {
        let blocks = layout(widths);
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let inputs = &widths[..blocks.len()];
        let widest = inputs.iter().map(|width| stride(*width)).max().unwrap_or(0);
        let transposed = blocks.iter().map(|block| block.outputs * vectors(block.inputs)).max().unwrap_or(0);
        Self {
            rows,
            values: widths.iter().map(|width| zeros(rows * stride(*width))).collect(),
            kept: inputs.iter().map(|width| zeros(rows * stride(*width))).collect(),
            odds: inputs.iter().map(|width| vec![0.0; rows * width]).collect(),
            factors: inputs.iter().map(|width| vec![(1.0, 0.0); rows * width]).collect(),
            deltas: zeros(rows * widest),
            transposed: zeros(transposed),
            gradient: zeros(blocks.iter().map(|block| block.vectors().len()).sum()),
            slopes: vec![0.0; blocks.len()],
            blocks,
        }
    }

    /// Draws the odds for the masks of `rows` rows.
    fn draw(&mut self, rows: usize, rng: &mut Rng) {
        self.rows = rows;
        for (odds_of, block) in self.odds.iter_mut().zip(&self.blocks) {
            odds_of[..rows * block.inputs].fill_with(|| odds(rng));
        }
    }

    /// Computes the gradients of the mean loss under the masks drawn last; returns that loss.
    fn differentiate(&mut self, trained: &Trained, batch: &Batch, loss: &PointLoss) -> f64 {
        let len = self.rows * batch.stride();
        floats_mut(&mut self.values[0])[..len].copy_from_slice(&batch.inputs()[..len]);
        for l in 0..self.blocks.len() {
            self.mask(l, trained.logits[l]);
            let block = self.blocks[l];
            let width = vectors(block.outputs);
            let (weights, biases) = trained.network.parameters[block.vectors()].split_at(block.inputs * width);
            let left = Left::rows(floats(&self.kept[l]), stride(block.inputs) * LANES);
            let out = &mut self.values[l + 1];
            let target = Target { out, stride: stride(block.outputs), rows: self.rows, width };
            let last = l + 1 == self.blocks.len();
            let finish = |sum: Lanes, _| if last { sum } else { sum.relu() };
            product(left, Right { values: weights, stride: width }, block.inputs, Some(biases), target, finish);
        }
        let depth = self.blocks.len();
        let row = stride(self.blocks[depth - 1].outputs) * LANES;
        let mean = loss.differentiate(floats_mut(&mut self.values[depth]), row, batch.targets());
        for l in (0..depth).rev() {
            self.backward(l, trained);
        }
        mean
    }

    /// Multiplies the inputs of layer `l` by its masks.
    fn mask(&mut self, l: usize, logit: Option<f32>) {
        let width = self.blocks[l].inputs;
        let row = stride(width) * LANES;
        if let Some(logit) = logit {
            let mask = Mask::new(logit);
            let pairs = self.factors[l].iter_mut().zip(&self.odds[l]).take(self.rows * width);
            pairs.for_each(|(factor, odds)| *factor = mask.factor(*odds));
        }
        let values = floats(&self.values[l]).chunks_exact(row);
        let kept = floats_mut(&mut self.kept[l]).chunks_exact_mut(row);
        let rows = values.zip(kept).zip(self.factors[l].chunks_exact(width)).take(self.rows);
        for ((values, kept), factors) in rows {
            for ((kept, value), (factor, _)) in kept.iter_mut().zip(values).zip(factors) {
                *kept = value * factor;
            }
            kept[width] = 1.0;
        }
    }

    /// Computes the gradients of layer `l` from the gradients of its outputs; replaces the values of its inputs by
    /// their gradients.
    fn backward(&mut self, l: usize, trained: &Trained) {
        let block = self.blocks[l];
        let width = vectors(block.outputs);
        let (before, after) = self.values.split_at_mut(l + 1);
        let delta = Right { values: &after[0], stride: stride(block.outputs) };
        let inputs_stride = stride(block.inputs);
        let kept = Left::columns(floats(&self.kept[l]), inputs_stride * LANES);
        let out = &mut self.gradient[block.vectors()];
        let target = Target { out, stride: width, rows: block.inputs + 1, width };
        product(kept, delta, self.rows, None, target, |sum, _| sum);

        let width = vectors(block.inputs);
        let transposed = &mut self.transposed[..block.outputs * width];
        transpose(&trained.network.parameters[block.vectors()], block.inputs, block.outputs, transposed);
        let left = Left::rows(floats(delta.values), delta.stride * LANES);
        let right = Right { values: transposed, stride: width };
        let target = Target { out: &mut self.deltas, stride: inputs_stride, rows: self.rows, width };
        product(left, right, block.outputs, None, target, |sum, _| sum);

        let row = inputs_stride * LANES;
        let values = floats_mut(&mut before[l]).chunks_exact_mut(row);
        let deltas = floats(&self.deltas).chunks_exact(row);
        let rows = values.zip(deltas).zip(self.factors[l].chunks_exact(block.inputs)).take(self.rows);
        let mut slope = 0.0;
        for ((values, deltas), factors) in rows {
            for ((value, delta), (factor, by_logit)) in values.iter_mut().zip(deltas).zip(factors) {
                slope += delta * *value * by_logit;
                // For the network's inputs the result is not used.
                *value = if *value > 0.0 { delta * factor } else { 0.0 };
            }
            values[block.inputs..].fill(0.0);
        }
        self.slopes[l] = if trained.logits[l].is_some() { slope } else { 0.0 };
    }

    /// Adds the regulariser's gradients.
    fn regularize(&mut self, trained: &Trained, regularizer: Regularizer) {
        let decay = Decay::new(&trained.network);
        for (l, logit) in trained.logits.iter().enumerate() {
            let p = logit.map_or(0.0, rate);
            decay.add_layer(&trained.network, l, regularizer.weights / (1.0 - p), &mut self.gradient);
            if let Some(logit) = logit {
                let parameters = floats(&trained.network.parameters);
                let squares: f32 = self.blocks[l].weights().map(|at| parameters[at] * parameters[at]).sum();
                let by_rate = regularizer.weights * squares / ((1.0 - p) * (1.0 - p))
                    + regularizer.rates * self.blocks[l].inputs as f32 * logit;
                self.slopes[l] += by_rate * p * (1.0 - p);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::point_loss::Head;
    use jointly_nets::start::glorot;
    use jointly_sdk::{Matrix, RegressionTask, Targets};

    use super::*;

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-6;
    /// Relative tolerance of a derivative of order one that was computed in single precision.
    const TOLERANCE: f64 = 2e-4;

    /// Computes the objective by plain loops in double precision.
    fn objective(
        parameters: &[f64],
        logits: &[f64],
        widths: &[usize],
        points: &Points,
        odds: &[Vec<f32>],
        regularizer: Regularizer,
    ) -> f64 {
        let blocks = layout(widths);
        let mut total = 0.0;
        for r in 0..points.len() {
            let mut values: Vec<f64> = points.row(r).iter().map(|value| f64::from(*value)).collect();
            for (l, block) in blocks.iter().enumerate() {
                let p = 1.0 / (1.0 + (-logits[l]).exp());
                for (i, value) in values.iter_mut().enumerate() {
                    let u = f64::from(odds[l][r * block.inputs + i]);
                    let z = 1.0 - 1.0 / (1.0 + (-(logits[l] + u.ln()) / 0.1).exp());
                    *value *= z / (1.0 - p);
                }
                let mut sums: Vec<f64> = block.biases().map(|at| parameters[at]).collect();
                for (i, value) in values.iter().enumerate() {
                    sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * parameters[at]);
                }
                let last = l + 1 == blocks.len();
                values = sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect();
            }
            let error = values[0] - f64::from(points.targets()[r]);
            total += 0.5 * (values[1] + error * error * (-values[1]).exp());
        }
        total /= points.len() as f64;
        for (l, block) in blocks.iter().enumerate() {
            let p = 1.0 / (1.0 + (-logits[l]).exp());
            let squares: f64 = block.weights().map(|at| parameters[at].powi(2)).sum();
            total += f64::from(regularizer.weights) * squares / (1.0 - p);
            let entropy = p * p.ln() + (1.0 - p) * (1.0 - p).ln();
            total += f64::from(regularizer.rates) * block.inputs as f64 * entropy;
        }
        total
    }

    #[test]
    fn gradients_agree_with_finite_differences_in_double_precision() {
        let widths = [2, 7, 5, 2];
        let mut rng = Rng::new(5, 0);
        let data = Targets {
            inputs: Matrix::new(6, 2, (0..12).map(|_| rng.normal()).collect()).unwrap(),
            targets: (0..6).map(|_| rng.normal()).collect(),
        };
        let points = Points::new(&RegressionTask { input_dim: 2, noise_std: None }, &data).unwrap();
        let mut network = glorot(&widths, &mut rng);
        for block in layout(&widths) {
            let parameters = floats_mut(&mut network.parameters);
            block.biases().for_each(|at| parameters[at] = 0.3 * rng.normal());
        }
        let trained = Trained { network, logits: vec![Some(-2.0), Some(-1.0), Some(0.3)] };
        let mut batch = Batch::new(2, 6);
        batch.gather(&points, 0..6);
        let regularizer = Regularizer { weights: 0.02, rates: 0.1 };
        let mut masked = Masked::new(&widths, 8);
        // Two passes, to detect state that an earlier step leaves behind.
        for _ in 0..2 {
            masked.draw(6, &mut rng);
            masked.differentiate(&trained, &batch, &PointLoss::Gaussian(Head::Log));
            masked.regularize(&trained, regularizer);
        }
        let parameters: Vec<f64> = floats(&trained.network.parameters).iter().map(|value| f64::from(*value)).collect();
        let logits: Vec<f64> = trained.logits.iter().map(|logit| f64::from(logit.unwrap())).collect();
        let value = |parameters: &[f64], logits: &[f64]| {
            objective(parameters, logits, &widths, &points, &masked.odds, regularizer)
        };
        let mut compared = 0;
        for at in layout(&widths).into_iter().flat_map(|block| block.weights().chain(block.biases())) {
            let moved = |by: f64| {
                let mut parameters = parameters.clone();
                parameters[at] += by;
                value(&parameters, &logits)
            };
            let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let found = f64::from(floats(&masked.gradient)[at]);
            assert!((difference - found).abs() < TOLERANCE * found.abs().max(1.0), "{at}: {difference} {found}");
            compared += usize::from(found != 0.0);
        }
        assert!(compared > 40, "{compared}");
        for l in 0..3 {
            let moved = |by: f64| {
                let mut logits = logits.clone();
                logits[l] += by;
                value(&parameters, &logits)
            };
            let difference = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let found = f64::from(masked.slopes[l]);
            assert!((difference - found).abs() < 1e-3 * found.abs().max(1.0), "rate {l}: {difference} {found}");
        }
    }
}
