//! Forward and backward passes: a network's values, and the derivatives of its output with respect to them, at a
//! batch's rows.

use jointly_nets::layout::{Block, stride};
use jointly_nets::points::Points;
use jointly_nets::product::{Target, product};
use jointly_nets::simd::{LANES, Lanes, Left, Right, floats, floats_mut, transpose, vectors};

/// The buffers for passes through a network with one output.
#[derive(Debug)]
pub(crate) struct Passes {
    blocks: Vec<Block>,
    rows: usize,
    targets: Vec<f32>,
    /// For each layer its inputs, [`stride`] vectors per row, each followed by a one; the last entry is the output.
    values: Vec<Vec<Lanes>>,
    /// For each layer the derivatives of the output with respect to its pre-activations, in whole vectors per row.
    slopes: Vec<Vec<Lanes>>,
    transposed: Vec<Lanes>,
    weighted: Vec<Lanes>,
}

impl Passes {
    /// Allocates buffers for at most `rows` rows of the network with these layers.
    pub(crate) fn new(blocks: &[Block], rows: usize) -> Self {
        let zeros = |len: usize| vec![Lanes::splat(0.0); len];
        let outputs = blocks.iter().map(|block| block.outputs);
        let widths: Vec<usize> = blocks.iter().take(1).map(|block| block.inputs).chain(outputs).collect();
        let transposed = blocks.iter().map(|block| block.outputs * vectors(block.inputs)).max().unwrap_or(0);
        let widest = blocks.iter().map(|block| vectors(block.outputs)).max().unwrap_or(0);
        Self {
            blocks: blocks.to_vec(),
            rows: 0,
            targets: Vec::new(),
            values: widths.iter().map(|width| zeros(rows * stride(*width))).collect(),
            slopes: blocks.iter().map(|block| zeros(rows * vectors(block.outputs))).collect(),
            transposed: zeros(transposed),
            weighted: zeros(rows * widest),
        }
    }

    /// Loads these examples as the rows.
    pub(crate) fn load(&mut self, data: &Points, which: &[u32]) {
        let dim = self.blocks[0].inputs;
        self.rows = which.len();
        self.targets.clear();
        let rows = floats_mut(&mut self.values[0]).chunks_exact_mut(stride(dim) * LANES);
        for (row, example) in rows.zip(which) {
            row[..dim].copy_from_slice(data.row(*example as usize));
            row[dim] = 1.0;
            self.targets.push(data.targets()[*example as usize]);
        }
    }

    /// Computes all values and derivatives; returns the mean squared error of the output.
    pub(crate) fn run(&mut self, parameters: &[Lanes]) -> f64 {
        let last = self.blocks.len() - 1;
        for (l, block) in self.blocks.iter().enumerate() {
            let (before, after) = self.values.split_at_mut(l + 1);
            let (width, step) = (vectors(block.outputs), stride(block.outputs));
            let left = Left::rows(floats(&before[l]), stride(block.inputs) * LANES);
            let right = Right { values: &parameters[block.vectors()], stride: width };
            let target = Target { out: &mut after[0], stride: step, rows: self.rows, width };
            product(left, right, block.inputs + 1, None, target, |sum, _| if l == last { sum } else { sum.relu() });
            if l < last {
                let ones = floats_mut(&mut after[0]).iter_mut().skip(block.outputs).step_by(step * LANES);
                ones.take(self.rows).for_each(|one| *one = 1.0);
            }
        }
        self.differentiate(parameters);
        let sum: f64 = self.errors().map(|error| f64::from(error) * f64::from(error)).sum();
        sum / self.rows.max(1) as f64
    }

    /// Returns the targets minus the outputs.
    fn errors(&self) -> impl Iterator<Item = f32> {
        let outputs = floats(&self.values[self.blocks.len()]).iter().step_by(stride(1) * LANES);
        self.targets.iter().zip(outputs).map(|(target, output)| target - output)
    }

    fn differentiate(&mut self, parameters: &[Lanes]) {
        let last = self.blocks.len() - 1;
        for row in floats_mut(&mut self.slopes[last]).chunks_exact_mut(LANES) {
            row[0] = 1.0;
        }
        for l in (1..=last).rev() {
            let block = self.blocks[l];
            let width = vectors(block.inputs);
            let (before, after) = self.slopes.split_at_mut(l);
            let transposed = &mut self.transposed[..block.outputs * width];
            transpose(&parameters[block.vectors()], block.inputs, block.outputs, transposed);
            // Units that the rectifier set to zero have no derivative: their values gate it.
            let values = self.values[l].chunks_exact(stride(block.inputs));
            for (out, values) in before[l - 1].chunks_exact_mut(width).zip(values).take(self.rows) {
                out.copy_from_slice(&values[..width]);
            }
            let left = Left::rows(floats(&after[0]), vectors(block.outputs) * LANES);
            let right = Right { values: transposed, stride: width };
            let target = Target { out: &mut before[l - 1], stride: width, rows: self.rows, width };
            product(left, right, block.outputs, None, target, Lanes::where_positive);
        }
    }

    /// Adds to `gradient` `share` times the mean over the rows of the error times the derivative of the output. This
    /// is the gradient of the log-likelihood for noise with variance one.
    pub(crate) fn add_gradient(&mut self, share: f32, gradient: &mut [Lanes], room: &mut Vec<Lanes>) {
        let share = share / self.rows.max(1) as f32;
        for l in 0..self.blocks.len() {
            let block = self.blocks[l];
            let width = vectors(block.outputs);
            let errors: Vec<f32> = self.errors().collect();
            let slopes = self.slopes[l].chunks_exact(width).zip(self.weighted.chunks_exact_mut(width));
            for ((slopes, out), error) in slopes.zip(errors) {
                let factor = Lanes::splat(share * error);
                out.iter_mut().zip(slopes).for_each(|(out, slope)| *out = *slope * factor);
            }
            room.resize((block.inputs + 1) * width, Lanes::splat(0.0));
            let left = Left::columns(floats(&self.values[l]), stride(block.inputs) * LANES);
            let right = Right { values: &self.weighted, stride: width };
            let target = Target { out: room, stride: width, rows: block.inputs + 1, width };
            product(left, right, self.rows, None, target, |sum, _| sum);
            for (out, sum) in gradient[block.vectors()].iter_mut().zip(room.iter()) {
                *out = *out + *sum;
            }
        }
    }

    /// Returns the mean over the rows of z z^T, a square matrix, where z holds the inputs of layer `l` and a one.
    pub(crate) fn input_moments(&self, l: usize) -> Vec<f64> {
        moments(&self.values[l], stride(self.blocks[l].inputs), self.rows, self.blocks[l].inputs + 1)
    }

    /// Returns the mean over the rows of d d^T, where d holds the derivatives of the output with respect to the
    /// pre-activations of layer `l`.
    pub(crate) fn slope_moments(&self, l: usize) -> Vec<f64> {
        moments(&self.slopes[l], vectors(self.blocks[l].outputs), self.rows, self.blocks[l].outputs)
    }
}

/// Computes the mean over the rows of the outer product of their first `size` numbers.
fn moments(values: &[Lanes], stride: usize, rows: usize, size: usize) -> Vec<f64> {
    let width = vectors(size);
    let mut sums = vec![Lanes::splat(0.0); size * width];
    let target = Target { out: &mut sums, stride: width, rows: size, width };
    let left = Left::columns(floats(values), stride * LANES);
    product(left, Right { values, stride }, rows, None, target, |sum, _| sum);
    let rows = rows.max(1) as f64;
    floats(&sums).chunks_exact(width * LANES).flat_map(|row| &row[..size]).map(|sum| f64::from(*sum) / rows).collect()
}

#[cfg(test)]
mod tests {
    use jointly_nets::layout::{layout, mask};
    use jointly_nets::predict::outputs;
    use jointly_nets::{FirstBiases, Network};
    use jointly_sdk::{Matrix, RegressionTask, Rng, Targets};

    use super::*;

    /// Step of a central difference, and relative tolerance of the derivative, in single precision.
    const STEP: f32 = 3e-3;
    const TOLERANCE: f32 = 1e-2;
    const WIDTHS: [usize; 4] = [3, 9, 5, 1];

    fn case() -> (Network, Points, Passes) {
        let mut rng = Rng::new(6, 0);
        let network = Network::new(&WIDTHS, FirstBiases::Normal, &mut rng);
        let inputs = Matrix::new(4, 3, (0..12).map(|_| rng.normal()).collect()).unwrap();
        let data = Targets { inputs, targets: (0..4).map(|_| rng.normal()).collect() };
        let data = Points::new(&RegressionTask { input_dim: 3, noise_std: None }, &data).unwrap();
        let mut passes = Passes::new(&layout(&WIDTHS), 4);
        passes.load(&data, &[2, 0, 1]);
        (network, data, passes)
    }

    #[test]
    fn the_gradient_is_that_of_the_log_likelihood() {
        let (mut network, data, mut passes) = case();
        let error = passes.run(&network.parameters);
        let by_hand: f32 = (0..3).map(|t| (outputs(&network, data.row(t))[0] - data.targets()[t]).powi(2) / 3.0).sum();
        assert!((error - f64::from(by_hand)).abs() < 1e-5);
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        passes.add_gradient(1.0, &mut gradient, &mut Vec::new());
        for at in (0..floats(&gradient).len()).filter(|at| floats(&mask(&WIDTHS))[*at] == 1.0) {
            let mut beside = |step: f32| {
                floats_mut(&mut network.parameters)[at] += step;
                let error = passes.run(&network.parameters);
                floats_mut(&mut network.parameters)[at] -= step;
                error as f32
            };
            let expected = -(beside(STEP) - beside(-STEP)) / (4.0 * STEP);
            let found = floats(&gradient)[at];
            assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{at}: {found} and {expected}");
        }
    }

    #[test]
    fn of_one_row_the_moments_product_is_the_squared_gradient() {
        // The derivative of the output with respect to a layer's weights is z d^T; for one row, E z z^T x E d d^T is
        // its square.
        let (network, data, mut passes) = case();
        passes.load(&data, &[3]);
        passes.run(&network.parameters);
        let error = data.targets()[3] - outputs(&network, data.row(3))[0];
        let mut gradient = vec![Lanes::splat(0.0); network.parameters.len()];
        passes.add_gradient(1.0 / error, &mut gradient, &mut Vec::new());
        for (l, block) in layout(&WIDTHS).into_iter().enumerate() {
            let (a, s) = (passes.input_moments(l), passes.slope_moments(l));
            let slope = |i: usize, j: usize| f64::from(floats(&gradient)[block.row(i).start + j]);
            for (i, j) in (0..=block.inputs).flat_map(|i| (0..block.outputs).map(move |j| (i, j))) {
                for (k, m) in [(0, 0), (block.inputs, block.outputs - 1), (1, block.outputs / 2)] {
                    let found = a[i * (block.inputs + 1) + k] * s[j * block.outputs + m];
                    let expected = slope(i, j) * slope(k, m);
                    assert!((found - expected).abs() < 1e-5, "{l}: {found} and {expected}");
                }
            }
        }
    }
}
