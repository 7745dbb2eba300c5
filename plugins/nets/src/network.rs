//! A network of dense layers with rectified hidden units: its parameters, its values and their gradient.

use jointly_sdk::Rng;

use crate::product::{Target, product};
use crate::simd::{LANES, Lanes, Left, Right, floats, floats_mut, vectors};

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
    layers: Vec<Layer>,
    /// Every layer's parameters, one after the other.
    pub parameters: Vec<Lanes>,
}

/// Vectors in a row of a layer's values, with room for the one that stands for the bias of the next layer.
pub fn stride(width: usize) -> usize {
    vectors(width + 1)
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
        assert!(widths.len() > 1, "a network has inputs and outputs");
        let mut layers = Vec::new();
        let mut offset = 0;
        for pair in widths.windows(2) {
            let layer = Layer { inputs: pair[0], outputs: pair[1], offset };
            offset += layer.len();
            layers.push(layer);
        }
        let mut network = Self { layers, parameters: vec![Lanes::splat(0.0); offset] };
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

    /// The same network with its outputs multiplied by `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        let last = self.layers[self.layers.len() - 1];
        for value in floats_mut(last.of_mut(&mut self.parameters)) {
            *value *= factor;
        }
        self
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs
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
        for (l, layer) in self.layers.iter().enumerate() {
            let (before, after) = values.layers.split_at_mut(l);
            let left = match before.last() {
                None => Left::rows(inputs, inputs_stride),
                Some(hidden) => Left::rows(floats(hidden), stride(layer.inputs) * LANES),
            };
            let parameters = layer.of(&self.parameters);
            let (weights, biases) = parameters.split_at(layer.inputs * layer.width());
            let right = Right { values: weights, stride: layer.width() };
            let stride = stride(layer.outputs);
            let out = &mut after[0];
            let target = Target { out, stride, rows, width: layer.width() };
            if l + 1 == self.layers.len() {
                product(left, right, layer.inputs, Some(biases), target, |sum, _| sum);
            } else {
                product(left, right, layer.inputs, Some(biases), target, |sum, _| sum.relu());
                let ones = floats_mut(&mut after[0]).iter_mut().skip(layer.outputs).step_by(stride * LANES);
                ones.take(rows).for_each(|one| *one = 1.0);
            }
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
        for (l, layer) in self.layers.iter().enumerate().rev() {
            let (before, after) = values.layers.split_at_mut(l);
            let delta = &after[0];
            let width = layer.width();
            let right = Right { values: delta, stride: stride(layer.outputs) };
            let target = Target { out: layer.of_mut(gradient), stride: width, rows: layer.inputs + 1, width };
            let Some(hidden) = before.last_mut() else {
                product(Left::columns(inputs, inputs_stride), right, rows, None, target, |sum, _| sum);
                continue;
            };
            let stride_before = stride(layer.inputs);
            product(Left::columns(floats(hidden), stride_before * LANES), right, rows, None, target, |sum, _| sum);

            let width = vectors(layer.inputs);
            let transposed = &mut values.transposed[..layer.outputs * width];
            transpose(layer.of(&self.parameters), layer.inputs, layer.outputs, transposed);
            let left = Left::rows(floats(delta), stride(layer.outputs) * LANES);
            let right = Right { values: transposed, stride: width };
            let target = Target { out: hidden, stride: stride_before, rows, width };
            product(left, right, layer.outputs, None, target, Lanes::where_positive);
        }
    }
}

/// The values of every layer's units, at a block of rows.
#[derive(Debug)]
pub struct Values {
    layers: Vec<Vec<Lanes>>,
    /// Weights with rows and columns exchanged, of one layer at a time.
    transposed: Vec<Lanes>,
}

impl Values {
    /// Room for `rows` rows.
    pub fn new(network: &Network, rows: usize) -> Self {
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let transposed = network.layers.iter().map(|layer| layer.outputs * vectors(layer.inputs)).max();
        Self {
            layers: network.layers.iter().map(|layer| zeros(rows * stride(layer.outputs))).collect(),
            transposed: zeros(transposed.unwrap_or(0)),
        }
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

/// Exchanges the rows and columns of a layer's weights; both sides are padded to whole vectors.
fn transpose(weights: &[Lanes], rows: usize, cols: usize, out: &mut [Lanes]) {
    let (from, to) = (vectors(cols) * LANES, vectors(rows) * LANES);
    let out = floats_mut(out);
    for (i, row) in floats(weights).chunks_exact(from).take(rows).enumerate() {
        for (value, out) in row[..cols].iter().zip(out.chunks_exact_mut(to)) {
            out[i] = *value;
        }
    }
}
