//! Weighted squared errors of a network at regression examples, and their gradient.

use crate::layout::stride;
use crate::network::{Network, Values};
use crate::points::Points;
use crate::simd::{LANES, Lanes, floats, floats_mut};

/// Rows that pass through the network together; their values stay in the second-level cache.
const BLOCK: usize = 256;

/// Rows of examples, and scratch buffers for a network's values at them.
#[derive(Debug)]
pub struct Squares {
    dim: usize,
    rows: usize,
    /// Rows of inputs, each followed by a one and padded to whole vectors.
    inputs: Vec<Lanes>,
    targets: Vec<f32>,
    counts: Vec<f32>,
    values: Values,
    slopes: Vec<Lanes>,
}

impl Squares {
    /// Starts without rows, for networks with the shape of `network`.
    pub fn new(network: &Network) -> Self {
        Self {
            dim: network.inputs(),
            rows: 0,
            inputs: Vec::new(),
            targets: Vec::new(),
            counts: Vec::new(),
            values: Values::new(network, BLOCK),
            slopes: network.parameters.clone(),
        }
    }

    /// Takes all examples, each with weight one.
    pub fn of(network: &Network, data: &Points) -> Self {
        let mut squares = Self::new(network);
        let all: Vec<u32> = (0..data.len() as u32).collect();
        squares.load(data, &all, &vec![1.0; all.len()]);
        squares
    }

    /// Replaces the rows by the examples `which`, with the weights `counts`.
    pub fn load(&mut self, data: &Points, which: &[u32], counts: &[f32]) {
        let stride = self.stride();
        self.rows = which.len();
        self.inputs.resize(self.rows * stride / LANES, Lanes::splat(0.0));
        self.targets.clear();
        self.counts.clear();
        self.counts.extend_from_slice(counts);
        for (row, example) in floats_mut(&mut self.inputs).chunks_exact_mut(stride).zip(which) {
            row[..self.dim].copy_from_slice(data.row(*example as usize));
            row[self.dim] = 1.0;
            self.targets.push(data.targets()[*example as usize]);
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The sum of the rows' weights.
    pub fn weight(&self) -> f64 {
        self.counts.iter().map(|count| f64::from(*count)).sum()
    }

    /// Numbers in a row of inputs.
    fn stride(&self) -> usize {
        stride(self.dim) * LANES
    }

    /// Returns the weighted sum of squared errors, and writes half its gradient with respect to the parameters.
    ///
    /// # Formula
    ///
    /// S = sum_t c_t (f(x_t) - y_t)^2, where c_t is the weight of row t; the gradient is that of S / 2.
    pub fn differentiate(&mut self, network: &Network, gradient: &mut [Lanes]) -> f64 {
        let (stride_in, stride_out) = (self.stride(), stride(1) * LANES);
        let mut sum = 0.0;
        gradient.fill(Lanes::splat(0.0));
        for first in (0..self.rows).step_by(BLOCK) {
            let rows = BLOCK.min(self.rows - first);
            let inputs = &floats(&self.inputs)[first * stride_in..(first + rows) * stride_in];
            network.forward(inputs, stride_in, rows, &mut self.values);
            let known = self.targets[first..].iter().zip(&self.counts[first..]);
            for (out, (target, count)) in self.values.outputs().chunks_exact_mut(stride_out).zip(known).take(rows) {
                let error = out[0] - target;
                sum += f64::from(*count) * f64::from(error) * f64::from(error);
                out[0] = count * error;
            }
            network.backward(inputs, stride_in, rows, &mut self.values, &mut self.slopes);
            for (gradient, slope) in gradient.iter_mut().zip(&self.slopes) {
                *gradient = *gradient + *slope;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::{Matrix, RegressionTask, Rng, Targets};

    use super::*;
    use crate::FirstBiases;
    use crate::layout::{mask, unit_deviations};

    /// Step of a central difference in single precision, and relative tolerance for a derivative computed with it.
    const STEP: f32 = 3e-3;
    const TOLERANCE: f64 = 1e-2;

    fn data(rows: usize) -> Points {
        let mut rng = Rng::new(1, 0);
        let inputs = (0..3 * rows).map(|_| rng.normal()).collect();
        let inputs = Matrix::new(rows, 3, inputs).unwrap();
        let data = Targets { inputs, targets: (0..rows).map(|_| rng.normal()).collect() };
        Points::new(&RegressionTask { input_dim: 3, noise_std: None }, &data).unwrap()
    }

    #[test]
    fn the_gradient_is_half_that_of_the_sum() {
        let mut network = Network::new(&[3, 9, 1], FirstBiases::Normal, &mut Rng::new(2, 0));
        let data = data(5);
        let mut squares = Squares::new(&network);
        squares.load(&data, &[3, 0, 1], &[2.0, 1.0, 0.5]);
        assert_eq!((squares.rows(), squares.weight()), (3, 3.5));
        let mut gradient = network.parameters.clone();
        let mut unused = gradient.clone();
        let sum = squares.differentiate(&network, &mut gradient);
        let by_hand: f64 = [(3, 2.0), (0, 1.0), (1, 0.5)]
            .into_iter()
            .map(|(row, count)| {
                let out = crate::predict::outputs(&network, data.row(row))[0];
                count * f64::from(out - data.targets()[row]).powi(2)
            })
            .sum();
        assert!((sum - by_hand).abs() < 1e-5 * by_hand);
        for at in (0..floats(&gradient).len()).filter(|at| floats(&mask(&[3, 9, 1]))[*at] == 1.0) {
            let mut beside = |step: f32| {
                floats_mut(&mut network.parameters)[at] += step;
                let sum = squares.differentiate(&network, &mut unused);
                floats_mut(&mut network.parameters)[at] -= step;
                sum
            };
            let expected = (beside(STEP) - beside(-STEP)) / (4.0 * f64::from(STEP));
            let found = f64::from(floats(&gradient)[at]);
            assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "{at}: {found} and {expected}");
        }
    }

    #[test]
    fn blocks_add_up() {
        let network = Network::new(&[3, 9, 1], FirstBiases::Normal, &mut Rng::new(2, 0));
        let data = data(2 * BLOCK + 3);
        let mut squares = Squares::of(&network, &data);
        let mut gradient = network.parameters.clone();
        let sum = squares.differentiate(&network, &mut gradient);
        let (mut parts, mut total) = (vec![0.0; floats(&gradient).len()], 0.0);
        for row in 0..data.len() as u32 {
            squares.load(&data, &[row], &[1.0]);
            let mut part = network.parameters.clone();
            total += squares.differentiate(&network, &mut part);
            parts.iter_mut().zip(floats(&part)).for_each(|(sum, part)| *sum += f64::from(*part));
        }
        assert!((sum - total).abs() < 1e-5 * total);
        for (sum, gradient) in parts.iter().zip(floats(&gradient)) {
            assert!((sum - f64::from(*gradient)).abs() < 1e-3 * (1.0 + sum.abs()));
        }
    }

    #[test]
    fn unit_deviations_are_by_fan_in() {
        let deviations = unit_deviations(&[3, 9, 1]);
        let sum: f32 = floats(&deviations).iter().sum();
        assert!((sum - (4.0 * 9.0 / 2.0 + 10.0 / 10f32.sqrt())).abs() < 1e-4, "{sum}");
    }
}
