//! Training under dropout: every example of every step has its own masks.

use jointly_nets::adam::Adam;
use jointly_nets::examples::Examples;
use jointly_nets::layout::stride;
use jointly_nets::loss::CrossEntropy;
use jointly_nets::product::{Target, product};
use jointly_nets::simd::{LANES, Lanes, Left, Right, floats, floats_mut, transpose, vectors};
use jointly_nets::sparse::{Pattern, Rectified};
use jointly_nets::{Network, Progress, Stream};
use jointly_sdk::{Failure, Rng};

use crate::masks::{Rates, factor};

/// The settings of training a network.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) rates: Rates,
    /// Number of steps of Adam.
    pub(crate) steps: usize,
    /// Step size of Adam.
    pub(crate) learning_rate: f32,
    /// Factor of the sum of squares of all parameters in the loss.
    pub(crate) penalty: f32,
}

/// Minimises the mean cross-entropy of the thinned network plus the penalty.
///
/// # Errors
///
/// The loss stopped being finite.
pub(crate) fn train(
    mut network: Network,
    widths: &[usize],
    recipe: &Recipe,
    examples: &mut Examples<'_>,
    seed: u64,
) -> Result<Network, Failure> {
    let mut thinned = Thinned::new(widths, recipe.rates.clone(), examples.max_rows());
    let mut loss = CrossEntropy::new(widths[widths.len() - 1]);
    let mut adam = Adam::new(network.parameters.len(), recipe.learning_rate);
    let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
    let mut progress = Progress::new(recipe.steps);
    for step in 0..recipe.steps {
        examples.next_batch();
        thinned.drop_units(examples.inputs(), examples.rows(), &mut Stream::Masks.rng(seed, step as u64));
        if !differentiate(&mut thinned, &mut loss, &network, examples, &mut gradient) {
            return Err(Failure::Diverged(format!("the loss is not finite at step {step}")));
        }
        adam.update(&mut network.parameters, &gradient, 2.0 * recipe.penalty);
        progress.step();
    }
    Ok(network)
}

/// Like [`Thinned::differentiate`] for the cross-entropy; returns whether the loss is finite.
fn differentiate(
    thinned: &mut Thinned<'_>,
    loss: &mut CrossEntropy,
    network: &Network,
    examples: &Examples<'_>,
    gradient: &mut [Lanes],
) -> bool {
    thinned.differentiate(network, gradient, |outputs, stride| loss.differentiate(outputs, stride, examples.targets()))
}

/// The values of a batch's rows, each in the network under its own masks.
pub(crate) struct Thinned<'a> {
    widths: &'a [usize],
    rates: Rates,
    rows: usize,
    inputs: Vec<Lanes>,
    /// The values of each layer's units once they are computed; before that, their mask factors.
    layers: Vec<Vec<Lanes>>,
    patterns: Vec<Pattern>,
    deltas: Pattern,
    transposed: Vec<Lanes>,
}

impl<'a> Thinned<'a> {
    /// Allocates buffers for at most `max_rows` rows.
    pub(crate) fn new(widths: &'a [usize], rates: Rates, max_rows: usize) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let layers = widths[1..].iter().map(|width| zeros(max_rows * stride(*width))).collect();
        let transposed = widths.windows(2).map(|pair| pair[1] * vectors(pair[0])).max().unwrap_or(0);
        Self {
            widths,
            rates,
            rows: 0,
            inputs: zeros(max_rows * stride(widths[0])),
            layers,
            patterns: vec![Pattern::default(); widths.len() - 1],
            deltas: Pattern::default(),
            transposed: zeros(transposed),
        }
    }

    /// Draws the masks of every row.
    pub(crate) fn drop_units(&mut self, inputs: &[f32], rows: usize, rng: &mut Rng) {
        self.rows = rows;
        floats_mut(&mut self.inputs).copy_from_slice(inputs);
        let mut draw = |rate: f32| factor(rate == 0.0 || rng.uniform() >= rate, rate);
        if self.rates.input > 0.0 {
            let dim = self.widths[0];
            for row in floats_mut(&mut self.inputs).chunks_exact_mut(stride(dim) * LANES).take(rows) {
                row[..dim].iter_mut().for_each(|value| *value *= draw(self.rates.input));
            }
        }
        let hidden = self.layers.len() - 1;
        for (layer, width) in self.layers[..hidden].iter_mut().zip(&self.widths[1..]) {
            for row in floats_mut(layer).chunks_exact_mut(stride(*width) * LANES).take(rows) {
                row[..*width].iter_mut().for_each(|value| *value = draw(self.rates.hidden));
            }
        }
    }

    /// Like `drop_units`, but draws the distances between dropped units: one random number per dropped unit instead
    /// of one per unit.
    pub(crate) fn drop_few(&mut self, inputs: &[f32], rows: usize, rng: &mut Rng) {
        self.rows = rows;
        floats_mut(&mut self.inputs).copy_from_slice(inputs);
        let (rate, dim) = (self.rates.input, self.widths[0]);
        let keeps = factor(true, rate);
        let mut gaps = Gaps::new(rate, rng);
        for row in floats_mut(&mut self.inputs).chunks_exact_mut(stride(dim) * LANES).take(rows) {
            row[..dim].iter_mut().for_each(|value| *value *= keeps);
            gaps.drop(&mut row[..dim], rng);
        }
        let (rate, hidden) = (self.rates.hidden, self.layers.len() - 1);
        let keeps = Lanes::splat(factor(true, rate));
        let mut gaps = Gaps::new(rate, rng);
        for (layer, width) in self.layers[..hidden].iter_mut().zip(&self.widths[1..]) {
            let stride = stride(*width);
            layer[..rows * stride].fill(keeps);
            for row in floats_mut(layer).chunks_exact_mut(stride * LANES).take(rows) {
                gaps.drop(&mut row[..*width], rng);
            }
        }
    }

    /// Writes the gradient of a loss with respect to the parameters to `gradient`, under the masks drawn last. The
    /// closure `loss` receives the outputs and their stride per row, and replaces the outputs by its gradient with
    /// respect to them; its return value is passed on.
    ///
    /// # Formula
    ///
    /// Layer l has the values h_l = m_l relu(W_l h_{l-1} + b_l), where m_l is a unit's mask factor. Where h_l is not
    /// zero, the derivative passes through both the mask and the rectifier, times 1 / (1 - p).
    pub(crate) fn differentiate<T>(
        &mut self,
        network: &Network,
        gradient: &mut [Lanes],
        loss: impl FnOnce(&mut [f32], usize) -> T,
    ) -> T {
        self.forward(network);
        let outputs = floats_mut(&mut self.layers[self.widths.len() - 2]);
        let value = loss(outputs, stride(self.widths[self.widths.len() - 1]) * LANES);
        self.backward(network, gradient);
        value
    }

    fn forward(&mut self, network: &Network) {
        let mut parameters = &network.parameters[..];
        for l in 0..self.layers.len() {
            let (width_in, width_out) = (self.widths[l], self.widths[l + 1]);
            let width = vectors(width_out);
            let (layer, rest) = parameters.split_at((width_in + 1) * width);
            parameters = rest;
            let (weights, biases) = layer.split_at(width_in * width);
            let right = Right { values: weights, stride: width };
            let (before, after) = self.layers.split_at_mut(l);
            let stride = stride(width_out);
            let target = Target { out: &mut after[0], stride, rows: self.rows, width };
            let last = l + 2 == self.widths.len();
            let finish = |sum: Lanes, mask: Lanes| if last { sum } else { sum.relu() * mask };
            let left_stride = jointly_nets::layout::stride(width_in);
            if let Some(hidden) = before.last() {
                let left = Rectified { values: hidden, stride: left_stride };
                self.patterns[l].product(left, right, width_in, Some(biases), target, finish);
            } else {
                let left = Left::rows(floats(&self.inputs), left_stride * LANES);
                product(left, right, width_in, Some(biases), target, finish);
            }
            if !last {
                let ones = floats_mut(&mut after[0]).iter_mut().skip(width_out).step_by(stride * LANES);
                ones.take(self.rows).for_each(|one| *one = 1.0);
            }
        }
    }

    fn backward(&mut self, network: &Network, gradient: &mut [Lanes]) {
        let mut end = network.parameters.len();
        let scale = Lanes::splat(factor(true, self.rates.hidden));
        for l in (0..self.layers.len()).rev() {
            let (width_in, width_out) = (self.widths[l], self.widths[l + 1]);
            let width = vectors(width_out);
            let from = end - (width_in + 1) * width;
            let (before, after) = self.layers.split_at_mut(l);
            let delta = Rectified { values: &after[0], stride: stride(width_out) };
            let right = Right { values: delta.values, stride: delta.stride };
            let target = Target { out: &mut gradient[from..end], stride: width, rows: width_in + 1, width };
            let left_stride = stride(width_in);
            let Some(hidden) = before.last_mut() else {
                let left = Left::columns(floats(&self.inputs), left_stride * LANES);
                product(left, right, self.rows, None, target, |sum, _| sum);
                continue;
            };
            let left = Rectified { values: hidden, stride: left_stride };
            self.patterns[l].transposed_product(left, right, self.rows, target);

            let width_back = vectors(width_in);
            let transposed = &mut self.transposed[..width_out * width_back];
            transpose(&network.parameters[from..end], width_in, width_out, transposed);
            let right = Right { values: transposed, stride: width_back };
            let target = Target { out: hidden, stride: left_stride, rows: self.rows, width: width_back };
            let finish = |sum: Lanes, value| (sum * scale).where_positive(value);
            self.deltas.product(delta, right, width_out, None, target, finish);
            end = from;
        }
    }
}

/// The number of units that are kept before the next one is dropped; it carries over from row to row.
struct Gaps {
    /// 1 / ln(1 - p) for the rate p; `None` if no unit is dropped.
    scale: Option<f32>,
    kept: usize,
}

impl Gaps {
    fn new(rate: f32, rng: &mut Rng) -> Self {
        let scale = (rate > 0.0).then(|| 1.0 / libm::log1pf(-rate));
        let mut gaps = Self { scale, kept: 0 };
        gaps.kept = gaps.next(rng);
        gaps
    }

    /// Draws a geometric number: floor(ln u / ln(1 - p)), with u uniform on (0, 1].
    fn next(&self, rng: &mut Rng) -> usize {
        self.scale.map_or(usize::MAX, |scale| (libm::logf(1.0 - rng.uniform()) * scale) as usize)
    }

    /// Sets dropped units to zero.
    fn drop(&mut self, units: &mut [f32], rng: &mut Rng) {
        let mut place = 0;
        while self.kept < units.len() - place {
            place += self.kept;
            units[place] = 0.0;
            place += 1;
            self.kept = self.next(rng);
        }
        if self.scale.is_some() {
            self.kept -= units.len() - place;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Dataset, Matrix, Task};

    use super::*;

    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-5;
    /// Tolerance of a derivative of order one that was computed in single precision.
    const TOLERANCE: f64 = 1e-5;

    /// Computes the loss of the thinned networks by plain loops; `masks` are the factors of each row's hidden units.
    fn loss(parameters: &[f64], widths: &[usize], inputs: &[Vec<f64>], labels: &[u32], masks: &[Vec<Vec<f64>>]) -> f64 {
        let mut total = 0.0;
        for (r, row) in inputs.iter().enumerate() {
            let mut values = row.clone();
            let mut rest = parameters;
            for (l, pair) in widths.windows(2).enumerate() {
                let stride = vectors(pair[1]) * LANES;
                let (layer, after) = rest.split_at((pair[0] + 1) * stride);
                rest = after;
                let sum = |j: usize| {
                    let terms = values.iter().enumerate().map(|(i, value)| value * layer[i * stride + j]);
                    layer[pair[0] * stride + j] + terms.sum::<f64>()
                };
                let sums: Vec<f64> = (0..pair[1]).map(sum).collect();
                values = match masks[r].get(l) {
                    Some(mask) => sums.iter().zip(mask).map(|(sum, mask)| sum.max(0.0) * mask).collect(),
                    None => sums,
                };
            }
            let normaliser = values.iter().map(|logit| logit.exp()).sum::<f64>().ln();
            total += normaliser - values[labels[r] as usize];
        }
        total / inputs.len() as f64
    }

    #[test]
    fn distances_drop_as_many_as_the_rates_say_and_none_more_often_after_another() {
        const ROWS: usize = 4000;
        for (rate, input) in [(0.05, 0.0), (0.3, 0.6), (0.9, 0.01), (0.0, 0.2)] {
            let widths = [3, 7, 5, 1];
            let mut thinned = Thinned::new(&widths, Rates { hidden: rate, input }, ROWS);
            let mut inputs = vec![0.0; ROWS * stride(3) * LANES];
            inputs.chunks_exact_mut(stride(3) * LANES).for_each(|row| row[..4].fill(1.0));
            thinned.drop_few(&inputs, ROWS, &mut Rng::new(6, 0));
            let dropped = |layer: &[Lanes], width: usize| -> Vec<bool> {
                let rows = floats(layer).chunks_exact(stride(width) * LANES);
                rows.flat_map(|row| row[..width].iter().map(|value| *value == 0.0).collect::<Vec<_>>()).collect()
            };
            let layers = [(&thinned.inputs, 3, input), (&thinned.layers[0], 7, rate), (&thinned.layers[1], 5, rate)];
            for (layer, width, rate) in layers {
                let is = dropped(layer, width);
                let share = |count: usize, of: usize| count as f32 / of.max(1) as f32;
                let all = is.iter().filter(|is| **is).count();
                let after = is.windows(2).filter(|pair| pair[0] && pair[1]).count();
                for (found, of) in [(share(all, is.len()), is.len()), (share(after, all), all)] {
                    // Five standard errors.
                    let slack = 5.0 * (rate * (1.0 - rate) / of.max(1) as f32).sqrt();
                    assert!((found - rate).abs() <= slack || of == 0, "{found} for {rate}");
                }
                let kept = floats(layer).chunks_exact(stride(width) * LANES).flat_map(|row| &row[..width]);
                assert!(kept.filter(|value| **value != 0.0).all(|value| *value == factor(true, rate)));
            }
            // The one behind the features is unchanged.
            assert!(floats(&thinned.inputs).chunks_exact(stride(3) * LANES).all(|row| row[3] == 1.0));
        }
    }

    #[test]
    fn gradients_agree_with_finite_differences_in_double_precision() {
        for (widths, input) in [(&[3, 7, 5, 3][..], 0.0), (&[2, 9, 2], 0.4), (&[2, 6, 13, 4, 2], 0.3)] {
            let mut rng = Rng::new(4, widths.len() as u64);
            let (dim, classes) = (widths[0], widths[widths.len() - 1]);
            let task = Task::new(dim, classes);
            let values = (0..6 * dim).map(|_| rng.normal()).collect();
            let labels = (0..6).map(|_| rng.below(classes) as u32).collect();
            let data = Dataset { inputs: Matrix::new(6, dim, values).unwrap(), labels };
            let mut examples = Examples::new(&task, &data, 9, Rng::new(0, 0)).unwrap().repeating();
            let mut network = Network::new(widths, jointly_nets::FirstBiases::Normal, &mut rng);
            // If a row's hidden units are all dropped, the next layer's units are at their kink where a bias is zero,
            // so biases are random.
            let mut rest = floats_mut(&mut network.parameters);
            for pair in widths.windows(2) {
                let stride = vectors(pair[1]) * LANES;
                let (layer, after) = rest.split_at_mut((pair[0] + 1) * stride);
                layer[pair[0] * stride..][..pair[1]].fill_with(|| rng.normal());
                rest = after;
            }
            let rates = Rates { hidden: 0.4, input };
            let mut thinned = Thinned::new(widths, rates, examples.max_rows());
            let mut loss_of = CrossEntropy::new(classes);
            // Two passes, to detect state that an earlier step leaves behind.
            for _ in 0..2 {
                examples.next_batch();
                thinned.drop_units(examples.inputs(), examples.rows(), &mut rng);
                let row = |layer: &[Lanes], width: usize, r: usize| -> Vec<f64> {
                    let row = &floats(layer)[r * stride(width) * LANES..][..width];
                    row.iter().map(|value| f64::from(*value)).collect()
                };
                let inputs: Vec<Vec<f64>> = (0..9).map(|r| row(&thinned.inputs, dim, r)).collect();
                let hidden = &widths[1..widths.len() - 1];
                let mask =
                    |r: usize| hidden.iter().zip(&thinned.layers).map(move |(width, layer)| row(layer, *width, r));
                let masks: Vec<Vec<Vec<f64>>> = (0..9).map(|r| mask(r).collect()).collect();
                let labels = examples.targets().labels.to_vec();
                let mut gradient = vec![Lanes::splat(f32::NAN); network.parameters.len()];
                assert!(differentiate(&mut thinned, &mut loss_of, &network, &examples, &mut gradient));

                let parameters: Vec<f64> = floats(&network.parameters).iter().map(|value| f64::from(*value)).collect();
                let mut moved = 0;
                for at in 0..parameters.len() {
                    let shifted = |by: f64| {
                        let mut parameters = parameters.clone();
                        parameters[at] += by;
                        loss(&parameters, widths, &inputs, &labels, &masks)
                    };
                    let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                    let derivative = f64::from(floats(&gradient)[at]);
                    assert!(
                        (difference - derivative).abs() < TOLERANCE,
                        "{widths:?} at {at}: {difference} {derivative}"
                    );
                    moved += usize::from(difference != 0.0);
                }
                assert!(moved > parameters.len() / 8, "{moved}");
            }
        }
    }
}
