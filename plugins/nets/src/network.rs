//! A network of dense layers, behind convolutions if its inputs are images: its parameters, its values and their
//! gradient. Hidden units are rectified unless another activation is set.

use jointly_sdk::{Rng, Task};

use crate::activation::Activation;
use crate::convolution::Images;
use crate::front::{Front, FrontValues};
use crate::layout::{Block, blocks, stride};
use crate::product::{Target, narrow, product};
use crate::simd::{LANES, Lanes, Left, NARROW, Right, floats, floats_mut, transpose, vectors};
use crate::sparse::{Pattern, Rectified};

/// The initial biases of the first layer; those of the other layers start at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstBiases {
    /// Zero.
    Zero,
    /// Truncated normal with scale `1 / sqrt(input_dim)`, like the weights.
    Truncated,
    /// Normal with standard deviation `1 / sqrt(input_dim)`: the distribution of the testbed's environment.
    Normal,
}

/// A dense layer: `inputs + 1` rows of `outputs` numbers; the last row contains the biases.
#[derive(Clone, Copy, Debug)]
struct Layer {
    inputs: usize,
    outputs: usize,
    /// Index of the first vector of its parameters.
    offset: usize,
}

impl Layer {
    /// The number of vectors in a row of parameters.
    fn width(self) -> usize {
        vectors(self.outputs)
    }

    fn len(self) -> usize {
        (self.inputs + 1) * self.width()
    }

    fn of(self, parameters: &[Lanes]) -> &[Lanes] {
        &parameters[self.offset..self.offset + self.len()]
    }

    fn of_mut(self, parameters: &mut [Lanes]) -> &mut [Lanes] {
        &mut parameters[self.offset..self.offset + self.len()]
    }
}

/// The layers of a network and their parameters, padded with zeros to whole vectors.
#[derive(Clone, Debug)]
pub struct Network {
    /// The convolutions and poolings that make the inputs of the dense layers from an image.
    front: Option<Front>,
    layers: Vec<Layer>,
    activation: Activation,
    /// The parameters of all layers, one after the other, convolutions first.
    pub parameters: Vec<Lanes>,
}

/// Returns the widths of all layers from the task's inputs to its outputs, with the given hidden layers.
pub fn widths(task: &Task, hidden: &[usize]) -> Vec<usize> {
    [&[task.input_dim], hidden, &[task.num_classes]].concat()
}

impl Network {
    /// Makes an untrained network with the given widths, from inputs to outputs.
    ///
    /// Weights are truncated normal with scale `1 / sqrt(fan-in)`.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than two widths.
    pub fn new(widths: &[usize], first_biases: FirstBiases, rng: &mut Rng) -> Self {
        Self::with_front(None, widths, first_biases, rng)
    }

    /// Makes an untrained network for images: the layers of `front`, dense hidden layers of the given widths, and the
    /// outputs.
    ///
    /// Weights are truncated normal with scale `1 / sqrt(fan-in)`, where the fan-in of a filter is the number of values
    /// in its patch; biases are zero. The units of `front` are always rectified, whatever the activation of the dense
    /// hidden units.
    pub fn convolutional(front: Front, hidden: &[usize], outputs: usize, rng: &mut Rng) -> Self {
        let widths = [&[front.features()], hidden, &[outputs]].concat();
        Self::with_front(Some(front), &widths, FirstBiases::Zero, rng)
    }

    fn with_front(front: Option<Front>, widths: &[usize], first_biases: FirstBiases, rng: &mut Rng) -> Self {
        assert!(widths.len() > 1, "a network has inputs and outputs");
        let mut layers = Vec::new();
        let mut offset = front.as_ref().map_or(0, |front| front.len);
        for pair in widths.windows(2) {
            let layer = Layer { inputs: pair[0], outputs: pair[1], offset };
            offset += layer.len();
            layers.push(layer);
        }
        let activation = Activation::Relu;
        let mut network = Self { front, layers, activation, parameters: vec![Lanes::splat(0.0); offset] };
        for block in network.blocks().into_iter().take(network.convolutions()) {
            let scale = 1.0 / (block.inputs as f32).sqrt();
            let parameters = floats_mut(&mut network.parameters);
            block.weights().for_each(|at| parameters[at] = scale * rng.truncated_normal());
        }
        for (l, layer) in network.layers.clone().into_iter().enumerate() {
            let scale = 1.0 / (layer.inputs as f32).sqrt();
            let rows = layer.width() * LANES;
            for (i, row) in floats_mut(layer.of_mut(&mut network.parameters)).chunks_exact_mut(rows).enumerate() {
                for value in &mut row[..layer.outputs] {
                    *value = match first_biases {
                        _ if i < layer.inputs => scale * rng.truncated_normal(),
                        FirstBiases::Truncated if l == 0 => scale * rng.truncated_normal(),
                        FirstBiases::Normal if l == 0 => scale * rng.normal(),
                        _ => 0.0,
                    };
                }
            }
        }
        network
    }

    /// Replaces the activation of the hidden units.
    #[must_use]
    pub fn with_activation(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// The activation of the hidden units.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// Multiplies the outputs of the network by `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        let last = self.layers[self.layers.len() - 1];
        for value in floats_mut(last.of_mut(&mut self.parameters)) {
            *value *= factor;
        }
        self
    }

    /// The convolutions and poolings in front of the dense layers, if any.
    pub fn front(&self) -> Option<&Front> {
        self.front.as_ref()
    }

    /// Returns where the parameters of every layer lie, convolutions first.
    pub fn blocks(&self) -> Vec<Block> {
        let convolutions = self.front.iter().flat_map(Front::convolutions);
        let convolutions = convolutions.map(|layer| (layer.depth(), layer.output().channels));
        blocks(convolutions.chain(self.layers.iter().map(|layer| (layer.inputs, layer.outputs))))
    }

    /// The number of convolutions.
    pub fn convolutions(&self) -> usize {
        self.front.iter().flat_map(Front::convolutions).count()
    }

    /// Returns the inputs of the first dense layer for each row of inputs, side by side: the features that the front
    /// computes from an image, or the inputs themselves. The bits of a row depend on that row alone.
    pub fn features(&self, inputs: &[f32]) -> Vec<f32> {
        /// Images that are processed together.
        const BLOCK: usize = 16;
        let Some(front) = &self.front else {
            return inputs.to_vec();
        };
        let (dim, width) = (self.inputs(), front.features());
        let mut room = FrontValues::new(front, BLOCK.min(inputs.len() / dim));
        let mut block = vec![Lanes::splat(0.0); BLOCK * stride(width)];
        let mut features = Vec::with_capacity(inputs.len() / dim * width);
        for inputs in inputs.chunks(BLOCK * dim) {
            let images = Images { values: inputs, stride: dim, count: inputs.len() / dim };
            front.forward(&self.parameters, images, &mut room, &mut block);
            let rows = floats(&block).chunks_exact(stride(width) * LANES).take(images.count);
            rows.for_each(|row| features.extend_from_slice(&row[..width]));
        }
        features
    }

    /// Returns the dense layers alone, whose inputs are the [`features`](Self::features).
    #[must_use]
    pub fn dense(&self) -> Self {
        let from = self.layers[0].offset;
        let layers = self.layers.iter().map(|layer| Layer { offset: layer.offset - from, ..*layer }).collect();
        Self { front: None, layers, activation: self.activation, parameters: self.parameters[from..].to_vec() }
    }

    /// Returns all layers but the last as a network, whose outputs are the last hidden layer before its activation.
    /// Returns `None` if there is only one dense layer.
    pub fn without_last(&self) -> Option<Self> {
        let (last, layers) = self.layers.split_last().filter(|(_, layers)| !layers.is_empty())?;
        let parameters = self.parameters[..last.offset].to_vec();
        Some(Self { front: self.front.clone(), layers: layers.to_vec(), activation: self.activation, parameters })
    }

    /// Returns the last layer alone.
    #[must_use]
    pub fn last(&self) -> Self {
        let last = self.layers[self.layers.len() - 1];
        let parameters = self.parameters[last.offset..].to_vec();
        Self { front: None, layers: vec![Layer { offset: 0, ..last }], activation: self.activation, parameters }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.front.as_ref().map_or(self.layers[0].inputs, |front| front.image().numbers())
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs
    }

    /// Computes the values of every layer at `rows` rows of inputs; [`Values::outputs`] then gives those of the last
    /// layer.
    ///
    /// # Panics
    ///
    /// Panics if there are more rows than `values` was made for.
    pub fn forward(&self, inputs: &[f32], inputs_stride: usize, rows: usize, values: &mut Values) {
        self.forward_from(0, inputs, inputs_stride, rows, values);
    }

    /// Like [`forward`](Self::forward), but starts at layer `from`. The values of the layer before it must be filled
    /// in; `inputs` is read only if `from` is 0.
    pub(crate) fn forward_from(
        &self,
        from: usize,
        inputs: &[f32],
        inputs_stride: usize,
        rows: usize,
        values: &mut Values,
    ) {
        let Values { front, layers, transposed, patterns, .. } = values;
        // With a front, the features take the first place among the values.
        let first = usize::from(self.front.is_some());
        if let Some((front, room)) = self.front.as_ref().zip(front.as_mut()).filter(|_| from == 0) {
            let images = Images { values: inputs, stride: inputs_stride, count: rows };
            front.forward(&self.parameters, images, room, &mut layers[0]);
            ones(&mut layers[0], self.layers[0].inputs, rows);
        }
        for (l, layer) in self.layers.iter().enumerate().skip(from) {
            let (before, after) = layers.split_at_mut(l + first);
            let (weights, biases) = layer.of(&self.parameters).split_at(layer.inputs * layer.width());
            let right = Right { values: weights, stride: layer.width() };
            let start = Some(biases);
            let stride = stride(layer.outputs);
            let target = Target { out: &mut after[0], stride, rows, width: layer.width() };
            let last = l + 1 == self.layers.len();
            let plain = last || self.activation != Activation::Relu;
            let finish = |sum: Lanes, _| if plain { sum } else { sum.relu() };
            // The features of a front use the general product, so that the bits are those of the dense layers alone.
            if let Some(hidden) = before.last().filter(|_| l > 0 && last && layer.outputs <= NARROW) {
                // The column of ones multiplies the biases.
                let stride = self::stride(layer.inputs);
                let columns = &mut transposed[..layer.outputs * stride];
                transpose(layer.of(&self.parameters), layer.inputs + 1, layer.outputs, columns);
                narrow(hidden, stride, columns, target);
            } else if let Some(hidden) = before.last() {
                let left = Rectified { values: hidden, stride: self::stride(layer.inputs) };
                patterns[l + first - 1].product(left, right, layer.inputs, start, target, finish);
            } else {
                product(Left::rows(inputs, inputs_stride), right, layer.inputs, start, target, finish);
            }
            if !last {
                if self.activation == Activation::Tanh {
                    Activation::tanh(&mut after[0][..rows * stride]);
                }
                ones(&mut after[0], layer.outputs, rows);
            }
        }
    }

    /// The number of dense layers, including the last.
    pub(crate) fn depth(&self) -> usize {
        self.layers.len()
    }

    /// The number of units of layer `l`.
    pub(crate) fn width(&self, l: usize) -> usize {
        self.layers[l].outputs
    }

    /// The parameters of layer `l`: a row for each input, then a row of biases, each of [`vectors`] of the width
    /// vectors.
    pub(crate) fn rows(&self, l: usize) -> std::slice::ChunksExact<'_, Lanes> {
        let layer = self.layers[l];
        layer.of(&self.parameters).chunks_exact(layer.width())
    }

    /// Multiplies the weights of dense layer `l` by one factor for each of the layer's inputs. With the factors of a
    /// dropout mask this gives the network that the mask selects.
    pub fn scale_inputs(&mut self, l: usize, factors: &[f32]) {
        let layer = self.layers[l];
        let rows = layer.of_mut(&mut self.parameters).chunks_exact_mut(layer.width());
        for (row, factor) in rows.take(layer.inputs).zip(factors) {
            for weight in row {
                *weight = *weight * Lanes::splat(*factor);
            }
        }
    }

    /// Multiplies the weights of layer `l`, but not its biases, by `factor`.
    pub(crate) fn scale_weights(&mut self, l: usize, factor: f32) {
        let layer = self.layers[l];
        let (weights, _) = layer.of_mut(&mut self.parameters).split_at_mut(layer.inputs * layer.width());
        for weight in weights {
            *weight = *weight * Lanes::splat(factor);
        }
    }

    /// Computes the gradient with respect to the parameters at the rows of the last call of [`forward`](Self::forward).
    /// Expects the gradient with respect to the outputs in [`Values::outputs`], where it has replaced the outputs, and
    /// a one behind each row of inputs. Overwrites the values of each layer by the gradient with respect to them.
    pub fn backward(
        &self,
        inputs: &[f32],
        inputs_stride: usize,
        rows: usize,
        values: &mut Values,
        gradient: &mut [Lanes],
    ) {
        let Values { front, layers, transposed, patterns, deltas } = values;
        let first = usize::from(self.front.is_some());
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (before, after) = layers.split_at_mut(l + first);
            let delta = Rectified { values: &after[0], stride: stride(layer.outputs) };
            let right = Right { values: delta.values, stride: delta.stride };
            let width = layer.width();
            let target = Target { out: layer.of_mut(gradient), stride: width, rows: layer.inputs + 1, width };
            let Some(hidden) = before.last_mut() else {
                product(Left::columns(inputs, inputs_stride), right, rows, None, target, |sum, _| sum);
                continue;
            };
            let stride = stride(layer.inputs);
            patterns[l + first - 1].transposed_product(Rectified { values: hidden, stride }, right, rows, target);

            let width = vectors(layer.inputs);
            let transposed = &mut transposed[..layer.outputs * width];
            transpose(layer.of(&self.parameters), layer.inputs, layer.outputs, transposed);
            let right = Right { values: transposed, stride: width };
            let target = Target { out: hidden, stride, rows, width };
            match self.activation {
                // The features of a front are always rectified.
                _ if l == 0 => deltas.product(delta, right, layer.outputs, None, target, Lanes::where_positive),
                Activation::Relu => {
                    deltas.product(delta, right, layer.outputs, None, target, Lanes::where_positive);
                }
                Activation::Tanh => {
                    let slope = |value: Lanes| Lanes::splat(1.0) - value * value;
                    let finish = |sum: Lanes, value| sum * slope(value);
                    deltas.product(delta, right, layer.outputs, None, target, finish);
                }
            }
        }
        if let Some((front, room)) = self.front.as_ref().zip(front.as_mut()) {
            let images = Images { values: inputs, stride: inputs_stride, count: rows };
            front.backward(&self.parameters, images, room, &layers[0], gradient);
        }
    }
}

/// Writes a one behind each of `rows` rows of `width` values.
pub(crate) fn ones(values: &mut [Lanes], width: usize, rows: usize) {
    let ones = floats_mut(values).iter_mut().skip(width).step_by(stride(width) * LANES);
    ones.take(rows).for_each(|one| *one = 1.0);
}

/// The values of all layers' units at a block of rows.
#[derive(Debug)]
pub struct Values {
    /// The values of the layers in front of the dense layers.
    front: Option<FrontValues>,
    /// The values of the dense layers, preceded by the features if there is a front.
    layers: Vec<Vec<Lanes>>,
    /// The transposed weights of one layer at a time.
    transposed: Vec<Lanes>,
    /// The positions of the non-zero values of each hidden layer.
    patterns: Vec<Pattern>,
    /// The positions of non-zero numbers in the gradient with respect to one layer's values at a time.
    deltas: Pattern,
}

impl Values {
    /// Makes buffers for `rows` rows.
    pub fn new(network: &Network, rows: usize) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let transposed = network.layers.iter().map(|layer| layer.outputs * stride(layer.inputs)).max();
        let front = network.front.as_ref();
        let widths = front.map(Front::features).into_iter().chain(network.layers.iter().map(|layer| layer.outputs));
        let layers: Vec<Vec<Lanes>> = widths.map(|width| zeros(rows * stride(width))).collect();
        Self {
            front: front.map(|front| FrontValues::new(front, rows)),
            patterns: vec![Pattern::default(); layers.len() - 1],
            layers,
            transposed: zeros(transposed.unwrap_or(0)),
            deltas: Pattern::default(),
        }
    }

    /// The values of dense layer `l`, [`stride`] of its width vectors per row.
    pub(crate) fn layer(&mut self, l: usize) -> &mut [Lanes] {
        &mut self.layers[l]
    }

    /// The outputs, `stride(outputs)` vectors per row.
    ///
    /// # Panics
    ///
    /// Never: a network has at least one layer.
    pub fn outputs(&mut self) -> &mut [f32] {
        floats_mut(self.layers.last_mut().expect("a network has a layer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of a central difference: a compromise between curvature and rounding.
    const STEP: f32 = 1e-2;
    /// Tolerance for a derivative of order one by such a difference in single precision.
    const TOLERANCE: f32 = 2e-3;

    const ROWS: usize = 7;

    /// Returns rows of inputs, each followed by a one and padded to whole vectors.
    fn inputs(dim: usize, rng: &mut Rng) -> Vec<Lanes> {
        let mut inputs = vec![Lanes::splat(0.0); ROWS * stride(dim)];
        for row in floats_mut(&mut inputs).chunks_exact_mut(stride(dim) * LANES) {
            row[..dim].fill_with(|| rng.normal());
            row[dim] = 1.0;
        }
        inputs
    }

    /// Returns the sum over rows and outputs of `slopes` times the outputs; its gradient with respect to the outputs is
    /// `slopes`.
    fn objective(network: &Network, inputs: &[Lanes], slopes: &[f32], values: &mut Values) -> f32 {
        network.forward(floats(inputs), stride(network.inputs()) * LANES, ROWS, values);
        let rows = values.outputs().chunks_exact(stride(network.outputs()) * LANES);
        let pairs = rows.zip(slopes.chunks(network.outputs()));
        pairs.map(|(row, slopes)| row.iter().zip(slopes).map(|(value, slope)| value * slope).sum::<f32>()).sum()
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for widths in [&[3, 2][..], &[2, 5, 3], &[4, 13, 8, 2], &[1, 3, 17, 5, 4]] {
            let mut rng = Rng::new(5, widths.len() as u64);
            let mut network = Network::new(widths, FirstBiases::Normal, &mut rng);
            let inputs = inputs(widths[0], &mut rng);
            let slopes: Vec<f32> = (0..ROWS * network.outputs()).map(|_| rng.normal()).collect();
            let mut values = Values::new(&network, ROWS);
            objective(&network, &inputs, &slopes, &mut values);
            let before: Vec<Vec<Lanes>> = values.layers.clone();
            let outputs = values.outputs().chunks_exact_mut(stride(network.outputs()) * LANES);
            for (row, slopes) in outputs.zip(slopes.chunks(network.outputs())) {
                row[..slopes.len()].copy_from_slice(slopes);
            }
            let mut gradient = vec![Lanes::splat(f32::NAN); network.parameters.len()];
            let inputs_stride = stride(widths[0]) * LANES;
            network.backward(floats(&inputs), inputs_stride, ROWS, &mut values, &mut gradient);

            let active = |layers: &[Vec<Lanes>]| -> Vec<bool> {
                let hidden = layers[..layers.len() - 1].iter();
                hidden.flat_map(|layer| floats(layer).iter().map(|value| *value > 0.0)).collect()
            };
            let mut compared = 0;
            for at in 0..network.parameters.len() * LANES {
                let is_padding = floats(&network.parameters)[at] == 0.0 && floats(&gradient)[at] == 0.0;
                let mut kinked = false;
                let mut shifted = |by: f32| {
                    let original = floats(&network.parameters)[at];
                    floats_mut(&mut network.parameters)[at] = original + by;
                    let value = objective(&network, &inputs, &slopes, &mut values);
                    kinked |= active(&values.layers) != active(&before);
                    floats_mut(&mut network.parameters)[at] = original;
                    value
                };
                let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
                // Skip parameters for which a unit turns on or off between the two points: there the difference is no
                // derivative.
                if !kinked && !is_padding {
                    let derivative = floats(&gradient)[at];
                    let error = (difference - derivative).abs() / (1.0 + derivative.abs());
                    assert!(error < TOLERANCE, "{widths:?} at {at}: {difference} and {derivative}");
                    compared += 1;
                }
            }
            let parameters: usize = widths.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum();
            assert!(compared > parameters / 2, "{compared} of {parameters}");
        }
    }

    #[test]
    fn weights_start_within_two_standard_deviations_and_biases_at_zero() {
        let network = Network::new(&[4, 6, 3], FirstBiases::Zero, &mut Rng::new(0, 0));
        for layer in &network.layers {
            let bound = 2.0 / (layer.inputs as f32).sqrt();
            let rows = floats(layer.of(&network.parameters)).chunks_exact(layer.width() * LANES);
            for (i, row) in rows.enumerate() {
                let is_bias = i == layer.inputs;
                assert!(row[..layer.outputs].iter().all(|value| value.abs() <= bound && (*value == 0.0) == is_bias));
                assert!(row[layer.outputs..].iter().all(|padding| *padding == 0.0));
            }
        }
    }
}
