//! A network of dense layers, of which hidden units are rectified unless it is told otherwise, behind convolutions where its
//! inputs are images: its parameters, its values and their gradient.

use jointly_sdk::{Rng, Task};

use crate::activation::Activation;
use crate::convolution::Images;
use crate::front::{Front, FrontValues};
use crate::layout::{Block, blocks, stride};
use crate::product::{Target, narrow, product};
use crate::simd::{LANES, Lanes, Left, NARROW, Right, floats, floats_mut, transpose, vectors};
use crate::sparse::{Pattern, Rectified};

/// How the biases of the first layer start; those of the other layers are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstBiases {
    /// At zero.
    Zero,
    /// Truncated normal with scale `1 / sqrt(input_dim)`, as the weights.
    Truncated,
    /// Normal with standard deviation `1 / sqrt(input_dim)`: the law of the testbed's environment.
    Normal,
}

/// One dense layer: `inputs + 1` rows of `outputs` numbers, of which the last row is the biases.
#[derive(Clone, Copy, Debug)]
struct Layer {
    inputs: usize,
    outputs: usize,
    /// Where its parameters start, in vectors.
    offset: usize,
}

impl Layer {
    /// Vectors in a row of parameters.
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

/// A network: what its layers are, and their parameters, padded with zeros to whole vectors.
#[derive(Clone, Debug)]
pub struct Network {
    /// What makes the inputs of the dense layers of an image.
    front: Option<Front>,
    layers: Vec<Layer>,
    activation: Activation,
    /// Every layer's parameters, one after the other, those of convolutions first.
    pub parameters: Vec<Lanes>,
}

/// Widths from a task's inputs to its outputs, with the given hidden layers.
pub fn widths(task: &Task, hidden: &[usize]) -> Vec<usize> {
    [&[task.input_dim], hidden, &[task.num_classes]].concat()
}

impl Network {
    /// A network with the given widths, from inputs to outputs, as it is before it has learnt anything.
    ///
    /// Weights are truncated normal with scale `1 / sqrt(fan-in)`.
    ///
    /// # Panics
    ///
    /// Where there are fewer than two widths.
    pub fn new(widths: &[usize], first_biases: FirstBiases, rng: &mut Rng) -> Self {
        Self::with_front(None, widths, first_biases, rng)
    }

    /// A network of images: the layers of `front`, dense hidden layers of the given widths, and the outputs.
    ///
    /// Weights are truncated normal with scale `1 / sqrt(fan-in)`, the fan-in of a filter being its numbers; biases are zero.
    /// The units of `front` are rectified, whatever the hidden units are.
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

    /// The same parameters with other hidden units.
    #[must_use]
    pub fn with_activation(self, activation: Activation) -> Self {
        Self { activation, ..self }
    }

    /// What the hidden units do.
    pub fn activation(&self) -> Activation {
        self.activation
    }

    /// The same network with its outputs multiplied by `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        let last = self.layers[self.layers.len() - 1];
        for value in floats_mut(last.of_mut(&mut self.parameters)) {
            *value *= factor;
        }
        self
    }

    /// What stands in front of the dense layers.
    pub fn front(&self) -> Option<&Front> {
        self.front.as_ref()
    }

    /// Where the parameters of every layer lie, those of convolutions first.
    pub fn blocks(&self) -> Vec<Block> {
        let convolutions = self.front.iter().flat_map(Front::convolutions);
        let convolutions = convolutions.map(|layer| (layer.depth(), layer.output().channels));
        blocks(convolutions.chain(self.layers.iter().map(|layer| (layer.inputs, layer.outputs))))
    }

    /// Number of convolutions.
    pub fn convolutions(&self) -> usize {
        self.front.iter().flat_map(Front::convolutions).count()
    }

    /// What the dense layers read at each row of inputs, side by side: the numbers that the front makes of an image, or the
    /// inputs themselves. The bits of a row depend on that row alone.
    pub fn features(&self, inputs: &[f32]) -> Vec<f32> {
        /// Images that pass through together.
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

    /// The dense layers alone, whose inputs are the [`features`](Self::features).
    #[must_use]
    pub fn dense(&self) -> Self {
        let from = self.layers[0].offset;
        let layers = self.layers.iter().map(|layer| Layer { offset: layer.offset - from, ..*layer }).collect();
        Self { front: None, layers, activation: self.activation, parameters: self.parameters[from..].to_vec() }
    }

    /// All layers but the last, of which the last is then no hidden one; none where there is one dense layer alone.
    pub fn without_last(&self) -> Option<Self> {
        let (last, layers) = self.layers.split_last().filter(|(_, layers)| !layers.is_empty())?;
        let parameters = self.parameters[..last.offset].to_vec();
        Some(Self { front: self.front.clone(), layers: layers.to_vec(), activation: self.activation, parameters })
    }

    /// The last layer alone.
    #[must_use]
    pub fn last(&self) -> Self {
        let last = self.layers[self.layers.len() - 1];
        let parameters = self.parameters[last.offset..].to_vec();
        Self { front: None, layers: vec![Layer { offset: 0, ..last }], activation: self.activation, parameters }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.front.as_ref().map_or(self.layers[0].inputs, |front| front.image().numbers())
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.layers[self.layers.len() - 1].outputs
    }

    /// Computes every layer's values at `rows` rows of inputs; the last layer's are `values.outputs(rows)`.
    ///
    /// # Panics
    ///
    /// Where there are more rows than `values` has room for.
    pub fn forward(&self, inputs: &[f32], inputs_stride: usize, rows: usize, values: &mut Values) {
        self.forward_from(0, inputs, inputs_stride, rows, values);
    }

    /// As [`forward`](Self::forward) from layer `from` on, where the values of the layer before are there already; the
    /// inputs are those of the first layer.
    pub(crate) fn forward_from(
        &self,
        from: usize,
        inputs: &[f32],
        inputs_stride: usize,
        rows: usize,
        values: &mut Values,
    ) {
        let Values { front, layers, transposed, patterns, .. } = values;
        // The features of a front are values of their own.
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
            // Features are multiplied as the inputs of the dense layers alone are.
            if let Some(hidden) = before.last().filter(|_| l > 0 && last && layer.outputs <= NARROW) {
                // The column of ones takes the biases along.
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

    /// Number of layers, the last one too.
    pub(crate) fn depth(&self) -> usize {
        self.layers.len()
    }

    /// Number of units of layer `l`.
    pub(crate) fn width(&self, l: usize) -> usize {
        self.layers[l].outputs
    }

    /// The parameters of layer `l`: a row for each input, and then the biases, [`vectors`] of the width a row.
    pub(crate) fn rows(&self, l: usize) -> std::slice::ChunksExact<'_, Lanes> {
        let layer = self.layers[l];
        layer.of(&self.parameters).chunks_exact(layer.width())
    }

    /// Multiplies the weights of dense layer `l` by a factor for each number that it reads: with those of a dropout mask, the
    /// network that the mask leaves.
    pub fn scale_inputs(&mut self, l: usize, factors: &[f32]) {
        let layer = self.layers[l];
        let rows = layer.of_mut(&mut self.parameters).chunks_exact_mut(layer.width());
        for (row, factor) in rows.take(layer.inputs).zip(factors) {
            for weight in row {
                *weight = *weight * Lanes::splat(*factor);
            }
        }
    }

    /// Multiplies the weights of layer `l`, not its biases, by `factor`.
    pub(crate) fn scale_weights(&mut self, l: usize, factor: f32) {
        let layer = self.layers[l];
        let (weights, _) = layer.of_mut(&mut self.parameters).split_at_mut(layer.inputs * layer.width());
        for weight in weights {
            *weight = *weight * Lanes::splat(factor);
        }
    }

    /// The gradient with respect to the parameters, given the gradient with respect to the outputs in place of the
    /// outputs, at the rows of the last call of [`forward`](Self::forward). Each row of inputs must be followed by a
    /// one. Consumes the values: a layer's gradient takes their place.
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
                // A front's features are rectified whatever the hidden units are.
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

/// Puts a one behind each of so many rows of `width` values.
pub(crate) fn ones(values: &mut [Lanes], width: usize, rows: usize) {
    let ones = floats_mut(values).iter_mut().skip(width).step_by(stride(width) * LANES);
    ones.take(rows).for_each(|one| *one = 1.0);
}

/// The values of every layer's units, at a block of rows.
#[derive(Debug)]
pub struct Values {
    /// Of the layers in front of the dense ones.
    front: Option<FrontValues>,
    /// Of the dense layers; before them the features, where there is a front.
    layers: Vec<Vec<Lanes>>,
    /// Weights with rows and columns exchanged, of one layer at a time.
    transposed: Vec<Lanes>,
    /// Where each hidden layer's values are not zero.
    patterns: Vec<Pattern>,
    /// Where a gradient with respect to a layer's values is not zero, of one layer at a time.
    deltas: Pattern,
}

impl Values {
    /// Room for `rows` rows.
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

    /// The values of layer `l`, [`stride`] of its width vectors a row.
    pub(crate) fn layer(&mut self, l: usize) -> &mut [Lanes] {
        &mut self.layers[l]
    }

    /// The outputs, `stride(outputs)` vectors a row.
    ///
    /// # Panics
    ///
    /// Never: a network has a layer.
    pub fn outputs(&mut self) -> &mut [f32] {
        floats_mut(self.layers.last_mut().expect("a network has a layer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the step of a central difference, which is a compromise between curvature and rounding.
    const STEP: f32 = 1e-2;
    /// Of a derivative of order one by such a difference in single precision.
    const TOLERANCE: f32 = 2e-3;

    const ROWS: usize = 7;

    /// Rows of inputs, each followed by a one and padded to whole vectors.
    fn inputs(dim: usize, rng: &mut Rng) -> Vec<Lanes> {
        let mut inputs = vec![Lanes::splat(0.0); ROWS * stride(dim)];
        for row in floats_mut(&mut inputs).chunks_exact_mut(stride(dim) * LANES) {
            row[..dim].fill_with(|| rng.normal());
            row[dim] = 1.0;
        }
        inputs
    }

    /// The sum over rows and outputs of `slopes` times the outputs, whose gradient by the outputs is `slopes`.
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
                // Where a unit turns on or off between the two points, the difference is no derivative.
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
