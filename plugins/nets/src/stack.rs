//! Dense layers with a gradient also with respect to their inputs, for networks that feed other networks.

use jointly_sdk::Rng;

use crate::layout::stride;
use crate::layout::{Block, layout};
use crate::network::{FirstBiases, Network};
use crate::product::{Target, product};
use crate::simd::{LANES, Lanes, Left, Right, floats, floats_mut, transpose, vectors};

/// A network, its values at a block of rows, and its gradients.
#[derive(Debug)]
pub struct Stack {
    blocks: Vec<Block>,
    /// The parameters of the layers.
    pub network: Network,
    /// The gradient with respect to the parameters.
    pub gradient: Vec<Lanes>,
    /// The inputs and the values of every layer, with a one behind each row of all but the last.
    values: Vec<Vec<Lanes>>,
    transposed: Vec<Lanes>,
}

impl Stack {
    /// Makes untrained layers of the given widths, with buffers for `rows` rows.
    pub fn new(widths: &[usize], rows: usize, rng: &mut Rng) -> Self {
        Self::of(Network::new(widths, FirstBiases::Zero, rng), widths, rows)
    }

    /// Takes the layers of a network with the given widths, with buffers for `rows` rows.
    pub fn of(network: Network, widths: &[usize], rows: usize) -> Self {
        let blocks = layout(widths);
        let zeros = |len| vec![Lanes::splat(0.0); len];
        let mut values: Vec<Vec<Lanes>> = widths.iter().map(|width| zeros(rows * stride(*width))).collect();
        for (values, block) in values.iter_mut().zip(&blocks) {
            ones(values, block.inputs);
        }
        let transposed = blocks.iter().map(|block| block.outputs * vectors(block.inputs)).max();
        Self {
            gradient: zeros(network.parameters.len()),
            transposed: zeros(transposed.unwrap_or(0)),
            blocks,
            network,
            values,
        }
    }

    /// The rows of inputs, each followed by padding; after [`backward`](Self::backward), the gradient with respect to
    /// them.
    pub fn inputs(&mut self) -> std::slice::ChunksExactMut<'_, f32> {
        let width = self.blocks[0].inputs;
        floats_mut(&mut self.values[0]).chunks_exact_mut(stride(width) * LANES)
    }

    /// The rows of outputs, each followed by padding; replace them by the gradient with respect to them.
    pub fn outputs(&mut self) -> std::slice::ChunksExactMut<'_, f32> {
        let (last, width) = (self.blocks.len(), self.blocks[self.blocks.len() - 1].outputs);
        floats_mut(&mut self.values[last]).chunks_exact_mut(stride(width) * LANES)
    }

    /// The rows of the last hidden layer's values, each followed by padding; the inputs if there is no hidden layer.
    pub fn features(&self) -> std::slice::ChunksExact<'_, f32> {
        let last = self.blocks.len() - 1;
        floats(&self.values[last]).chunks_exact(stride(self.blocks[last].inputs) * LANES)
    }

    /// Computes the outputs at the first `rows` rows of inputs.
    pub fn forward(&mut self, rows: usize) {
        for (l, block) in self.blocks.iter().enumerate() {
            let (before, after) = self.values.split_at_mut(l + 1);
            let width = vectors(block.outputs);
            let (weights, biases) = self.network.parameters[block.vectors()].split_at(block.inputs * width);
            // The last call of `backward` has overwritten the ones.
            ones(&mut before[l], block.inputs);
            let left = Left::rows(floats(&before[l]), stride(block.inputs) * LANES);
            let target = Target { out: &mut after[0], stride: stride(block.outputs), rows, width };
            let last = l + 1 == self.blocks.len();
            let finish = |sum: Lanes, _| if last { sum } else { sum.relu() };
            product(left, Right { values: weights, stride: width }, block.inputs, Some(biases), target, finish);
        }
    }

    /// Computes the gradients with respect to the parameters and to the inputs. Expects the gradient with respect to
    /// the outputs in [`outputs`](Self::outputs), and overwrites the values.
    pub fn backward(&mut self, rows: usize) {
        for (l, block) in self.blocks.iter().enumerate().rev() {
            let (before, after) = self.values.split_at_mut(l + 1);
            let width = vectors(block.outputs);
            let (inputs, delta) = (&mut before[l], &after[0]);
            let right = Right { values: delta, stride: stride(block.outputs) };
            let out = &mut self.gradient[block.vectors()];
            let target = Target { out, stride: width, rows: block.inputs + 1, width };
            let inputs_stride = stride(block.inputs);
            product(Left::columns(floats(inputs), inputs_stride * LANES), right, rows, None, target, |sum, _| sum);

            let width = vectors(block.inputs);
            let transposed = &mut self.transposed[..block.outputs * width];
            transpose(&self.network.parameters[block.vectors()], block.inputs, block.outputs, transposed);
            let left = Left::rows(floats(delta), stride(block.outputs) * LANES);
            let right = Right { values: transposed, stride: width };
            let target = Target { out: inputs, stride: inputs_stride, rows, width };
            // Inputs are not rectified.
            let finish = |sum: Lanes, value: Lanes| if l == 0 { sum } else { sum.where_positive(value) };
            product(left, right, block.outputs, None, target, finish);
        }
    }
}

/// Writes a one behind every row of `width` values.
fn ones(values: &mut [Lanes], width: usize) {
    floats_mut(values).iter_mut().skip(width).step_by(stride(width) * LANES).for_each(|one| *one = 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Values;

    /// Tolerance for values of order one that are summed in another order.
    const TOLERANCE: f32 = 1e-5;

    const ROWS: usize = 5;

    #[test]
    fn gradients_are_a_networks_and_the_inputs_are_differentiated_too() {
        for widths in [&[3, 2][..], &[4, 13, 8, 2], &[2, 64, 3]] {
            let mut rng = Rng::new(5, widths.len() as u64);
            let mut stack = Stack::new(widths, ROWS + 2, &mut rng);
            let dim = widths[0];
            let rows: Vec<Vec<f32>> = (0..ROWS).map(|_| (0..dim).map(|_| rng.normal()).collect()).collect();
            stack.inputs().zip(&rows).for_each(|(to, row)| to[..dim].copy_from_slice(row));
            stack.forward(ROWS);

            let inputs_stride = stride(dim) * LANES;
            let inputs: Vec<f32> = stack.inputs().flat_map(|row| row.to_vec()).collect();
            let mut values = Values::new(&stack.network, ROWS);
            stack.network.forward(&inputs, inputs_stride, ROWS, &mut values);
            let outputs: Vec<f32> = stack.outputs().take(ROWS).flat_map(|row| row.to_vec()).collect();
            let classes = *widths.last().unwrap();
            let per_row = stride(classes) * LANES;
            for (row, expected) in outputs.chunks(per_row).zip(values.outputs().chunks(per_row)) {
                let pairs = row.iter().zip(expected).take(classes);
                assert!(pairs.into_iter().all(|(value, expected)| (value - expected).abs() < TOLERANCE));
            }

            let slopes: Vec<f32> = (0..ROWS * classes).map(|_| rng.normal()).collect();
            stack.outputs().zip(slopes.chunks(classes)).for_each(|(to, from)| to[..classes].copy_from_slice(from));
            let expected = values.outputs().chunks_mut(per_row);
            expected.zip(slopes.chunks(classes)).for_each(|(to, from)| to[..classes].copy_from_slice(from));
            stack.backward(ROWS);
            let mut gradient = stack.gradient.clone();
            stack.network.backward(&inputs, inputs_stride, ROWS, &mut values, &mut gradient);
            let pairs = floats(&stack.gradient).iter().zip(floats(&gradient));
            assert!(pairs.into_iter().all(|(value, expected)| (value - expected).abs() < 10.0 * TOLERANCE));

            let of_inputs: Vec<Vec<f32>> = stack.inputs().take(ROWS).map(|row| row[..dim].to_vec()).collect();
            for (r, row) in rows.iter().enumerate() {
                for i in 0..dim {
                    let objective = |by: f64| {
                        let mut shifted: Vec<f64> = row.iter().map(|value| f64::from(*value)).collect();
                        shifted[i] += by;
                        plain(&stack.network, widths, shifted)
                            .iter()
                            .zip(&slopes[r * classes..])
                            .map(|(value, slope)| value * f64::from(*slope))
                            .sum::<f64>()
                    };
                    let difference = ((objective(1e-6) - objective(-1e-6)) / 2e-6) as f32;
                    assert!((difference - of_inputs[r][i]).abs() < 1e-4, "{difference} and {}", of_inputs[r][i]);
                }
            }
        }
    }

    /// Returns the outputs at one input, computed in double precision.
    fn plain(network: &Network, widths: &[usize], mut values: Vec<f64>) -> Vec<f64> {
        let parameters = floats(&network.parameters);
        for (l, block) in layout(widths).iter().enumerate() {
            let mut sums: Vec<f64> = block.biases().map(|at| f64::from(parameters[at])).collect();
            for (i, value) in values.iter().enumerate() {
                sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * f64::from(parameters[at]));
            }
            let last = l + 2 == widths.len();
            values = sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect();
        }
        values
    }
}
