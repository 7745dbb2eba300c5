//! The derivative of a network's outputs with respect to its parameters in one direction, by a forward pass.

use crate::layout::stride;
use crate::layout::{Block, layout};
use crate::network::Network;
use crate::product::{Target, product};
use crate::simd::{LANES, Lanes, Left, Right, floats, vectors};

/// Rows that pass through together.
const BLOCK: usize = 64;

/// The function x -> J(x, theta) v: the derivative of a network's outputs at theta in the direction v.
#[derive(Clone, Debug)]
pub struct Tangent {
    network: Network,
    direction: Network,
    blocks: Vec<Block>,
}

impl Tangent {
    /// Takes the derivative of `network`, which has the given widths, in the direction of another network, whose last
    /// layer counts as zero.
    ///
    /// If both are drawn from a distribution with independent parameters of mean zero, f(x, theta) + J(x, theta) v has
    /// the covariance of the neural tangent kernel E [J(x, theta) S J(x', theta)^T], with S the variances of the
    /// parameters: f contributes the part of the last layer, in which it is linear, and J v the parts of the other
    /// layers. Parameters that are always zero contribute nothing.
    ///
    /// # Panics
    ///
    /// Panics if one of the networks has other widths.
    pub fn new(network: Network, mut direction: Network, widths: &[usize]) -> Self {
        let len = layout(widths).last().map_or(0, |last| last.vectors().end);
        assert!(network.parameters.len() == len && direction.parameters.len() == len, "networks of widths {widths:?}");
        let blocks = layout(widths);
        if let Some(last) = blocks.last() {
            direction.parameters[last.vectors()].fill(Lanes::splat(0.0));
        }
        Self { network, direction, blocks }
    }

    /// Returns the derivative at every row of inputs: `out[t * outputs + k]`.
    ///
    /// # Formula
    ///
    /// With a the values and t the tangents of a layer, the tangents of the next are t' = [a' > 0] (t W + a V + c),
    /// where W are the weights and (V, c) the direction of the weights and biases; the tangents of the inputs are zero,
    /// and outputs are not gated.
    pub fn outputs(&self, inputs: &[f32]) -> Vec<f32> {
        let dim = self.network.inputs();
        let rows = BLOCK.min(inputs.len() / dim);
        let room = || self.blocks.iter().map(|block| vec![Lanes::splat(0.0); rows * stride(block.outputs)]).collect();
        let (mut values, mut tangents): (Vec<Vec<Lanes>>, Vec<Vec<Lanes>>) = (room(), room());
        let mut out = Vec::new();
        for inputs in inputs.chunks(BLOCK * dim) {
            let rows = inputs.len() / dim;
            for l in 0..self.blocks.len() {
                self.layer(l, inputs, rows, &mut values, &mut tangents);
            }
            let classes = self.network.outputs();
            for row in
                tangents.last().map_or(&[][..], |last| floats(last)).chunks_exact(stride(classes) * LANES).take(rows)
            {
                out.extend_from_slice(&row[..classes]);
            }
        }
        out
    }

    /// Computes the values and tangents of layer `l` from those of the layer before.
    fn layer(&self, l: usize, inputs: &[f32], rows: usize, values: &mut [Vec<Lanes>], tangents: &mut [Vec<Lanes>]) {
        let block = self.blocks[l];
        let (width, stride) = (vectors(block.outputs), stride(block.outputs));
        let (values_before, values) = values.split_at_mut(l);
        let (tangents_before, tangents) = tangents.split_at_mut(l);
        let (weights, biases) = self.network.parameters[block.vectors()].split_at(block.inputs * width);
        let (direction, bias_direction) = self.direction.parameters[block.vectors()].split_at(block.inputs * width);
        let weights = Right { values: weights, stride: width };
        let direction = Right { values: direction, stride: width };

        let inputs_stride = self::stride(block.inputs) * LANES;
        let before = match values_before.last() {
            Some(values) => Left::rows(floats(values), inputs_stride),
            None => Left::rows(inputs, block.inputs),
        };
        let target = Target { out: &mut tangents[0], stride, rows, width };
        product(before, direction, block.inputs, Some(bias_direction), target, |sum, _| sum);
        if let Some(tangents_before) = tangents_before.last() {
            let before = Left::rows(floats(tangents_before), inputs_stride);
            let target = Target { out: &mut tangents[0], stride, rows, width };
            product(before, weights, block.inputs, None, target, |sum, tangent| sum + tangent);
        }
        if l + 1 < self.blocks.len() {
            let target = Target { out: &mut values[0], stride, rows, width };
            product(before, weights, block.inputs, Some(biases), target, |sum, _| sum.relu());
            let gated = tangents[0].iter_mut().zip(&values[0]).take(rows * stride);
            gated.for_each(|(tangent, value)| *tangent = tangent.where_positive(*value));
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::network::FirstBiases;
    use crate::predict::outputs;
    use crate::simd::floats_mut;
    use crate::start::{TRUNCATED_VARIANCE, all_drawn};

    /// Tolerance for a derivative of order one in single precision.
    const TOLERANCE: f64 = 1e-4;
    /// Step of a central difference in double precision.
    const STEP: f64 = 1e-6;

    /// Returns the outputs at one input, computed in double precision.
    fn plain(widths: &[usize], parameters: &[f64], input: &[f32]) -> Vec<f64> {
        let mut values: Vec<f64> = input.iter().map(|value| f64::from(*value)).collect();
        for (l, block) in layout(widths).iter().enumerate() {
            let mut sums: Vec<f64> = block.biases().map(|at| parameters[at]).collect();
            for (i, value) in values.iter().enumerate() {
                sums.iter_mut().zip(block.row(i)).for_each(|(sum, at)| *sum += value * parameters[at]);
            }
            let last = l + 2 == widths.len();
            values = sums.into_iter().map(|sum| if last { sum } else { sum.max(0.0) }).collect();
        }
        values
    }

    #[test]
    fn derivative_agrees_with_finite_differences_in_any_company() {
        for widths in [&[3, 2][..], &[2, 5, 3], &[4, 13, 8, 2], &[1, 3, 17, 5, 4]] {
            let mut rng = Rng::new(8, widths.len() as u64);
            let network = Network::new(widths, FirstBiases::Normal, &mut rng);
            let direction = network.clone();
            let mut tangent = Tangent::new(network, direction, widths);
            for block in &tangent.blocks {
                for at in block.biases().chain(block.weights()) {
                    floats_mut(&mut tangent.direction.parameters)[at] = rng.normal();
                }
            }
            let inputs: Vec<f32> = (0..70 * widths[0]).map(|_| rng.normal()).collect();
            let classes = tangent.network.outputs();
            let derivatives = tangent.outputs(&inputs);
            for (input, derivatives) in inputs.chunks(widths[0]).zip(derivatives.chunks(classes)) {
                assert_eq!(tangent.outputs(input), derivatives);
                let shifted = |by: f64| {
                    let pairs = floats(&tangent.network.parameters).iter().zip(floats(&tangent.direction.parameters));
                    let parameters: Vec<f64> =
                        pairs.map(|(at, by_one)| f64::from(*at) + by * f64::from(*by_one)).collect();
                    plain(widths, &parameters, input)
                };
                for ((high, low), derivative) in shifted(STEP).iter().zip(shifted(-STEP)).zip(derivatives) {
                    let difference = (high - low) / (2.0 * STEP);
                    let scale = 1.0 + difference.abs();
                    assert!(
                        (difference - f64::from(*derivative)).abs() < TOLERANCE * scale,
                        "{difference} {derivative}"
                    );
                }
            }
        }
    }

    #[test]
    fn with_a_wide_network_it_has_the_covariance_of_the_limits_kernel() {
        const DRAWS: u64 = 2000;
        // Tolerance for a covariance of DRAWS samples, relative to the variances: five standard errors, plus a margin
        // for the finite width.
        const SAMPLING: f64 = 5.0 * 1.5 / 44.7;
        let (dim, widths) = (16, [16, 200, 1]);
        let mut rng = Rng::new(1, 0);
        let inputs: Vec<f32> = (0..2 * dim).map(|_| rng.normal()).collect();
        let mut moments = [0.0; 3];
        for draw in 0..DRAWS {
            let mut rng = Rng::new(2, draw);
            let [network, direction] = [0; 2].map(|_| all_drawn(&widths, &mut rng));
            let values = outputs(&network, &inputs);
            let tangents = Tangent::new(network, direction, &widths).outputs(&inputs);
            let [a, b] = [0, 1].map(|i| f64::from(values[i] + tangents[i]));
            [a * a, b * b, a * b]
                .iter()
                .zip(&mut moments)
                .for_each(|(product, moment)| *moment += product / DRAWS as f64);
        }
        // With one hidden layer, the kernel is E relu(u) relu(u') for the weights of the last layer and E [u > 0] [u' >
        // 0] for those of the first, with (u, u') normal and a factor for each layer's variance (Cho and Saul 2009).
        // The bias is one more input, equal to one. It matters for the hidden units; for the output it is one input of
        // 201, too small to be seen here.
        let variance = f64::from(TRUNCATED_VARIANCE);
        let kernel = |i: usize, j: usize| {
            let row = |i: usize| &inputs[i * dim..][..dim];
            let inner = |i: usize, j: usize| -> f64 {
                let sum: f64 = row(i).iter().zip(row(j)).map(|(a, b)| f64::from(a * b)).sum();
                variance * (sum + 1.0) / dim as f64
            };
            let length = (inner(i, i) * inner(j, j)).sqrt();
            let angle = (inner(i, j) / length).clamp(-1.0, 1.0).acos();
            let open = std::f64::consts::PI - angle;
            let last = length * (angle.sin() + open * angle.cos());
            variance * (last + open * inner(i, j)) / std::f64::consts::TAU
        };
        let scale = (kernel(0, 0) * kernel(1, 1)).sqrt();
        for (moment, expected) in moments.into_iter().zip([kernel(0, 0), kernel(1, 1), kernel(0, 1)]) {
            assert!((moment - expected).abs() < SAMPLING * scale, "{moment} and {expected}");
        }
    }

    #[test]
    fn with_the_network_it_has_the_covariance_of_the_tangent_kernel_at_any_width() {
        const DRAWS: u64 = 40_000;
        /// The kernel is computed for one in this number of draws.
        const ONE_IN: u64 = 4;
        /// Tolerance for variances of one or two, estimated by means over the draws: five standard errors. If the bias
        /// of the output were not drawn, 0.774 / 3 would be missing.
        const SAMPLING: f64 = 0.08;
        let widths = [2, 4, 3, 1];
        let inputs = [1.0, -0.5, 0.3, 2.0_f32];
        let blocks = layout(&widths);
        let (mut moments, mut kernel) = ([0.0; 3], [0.0; 3]);
        let add = |sums: &mut [f64; 3], variance: f64, [a, b]: [f64; 2]| {
            sums.iter_mut().zip([a * a, b * b, a * b]).for_each(|(sum, product)| *sum += variance * product);
        };
        let mut rng = Rng::new(3, 0);
        for draw in 0..DRAWS {
            let [network, direction] = [0; 2].map(|_| all_drawn(&widths, &mut rng));
            let values = outputs(&network, &inputs);
            let tangents = Tangent::new(network.clone(), direction, &widths).outputs(&inputs);
            add(&mut moments, 1.0, [0, 1].map(|i| f64::from(values[i] + tangents[i])));
            if draw % ONE_IN > 0 {
                continue;
            }
            // The kernel itself, parameter by parameter, including the last layer and all biases.
            let parameters: Vec<f64> = floats(&network.parameters).iter().map(|value| f64::from(*value)).collect();
            for block in &blocks {
                let variance = f64::from(TRUNCATED_VARIANCE) / block.inputs as f64;
                for at in block.weights().chain(block.biases()) {
                    let shifted = |input: &[f32], by: f64| {
                        let mut parameters = parameters.clone();
                        parameters[at] += by;
                        plain(&widths, &parameters, input)[0]
                    };
                    let slope = |input: &[f32]| (shifted(input, STEP) - shifted(input, -STEP)) / (2.0 * STEP);
                    add(&mut kernel, ONE_IN as f64 * variance, [slope(&inputs[..2]), slope(&inputs[2..])]);
                }
            }
        }
        for (moment, kernel) in moments.into_iter().zip(kernel) {
            let (moment, kernel) = (moment / DRAWS as f64, kernel / DRAWS as f64);
            assert!((moment - kernel).abs() < SAMPLING, "{moment} and {kernel}");
        }
    }
}
