//! Networks whose parameters are a linear function of an index.

use jointly_nets::product::{Target, product};
use jointly_nets::simd::{Lanes, Left, Right, floats_mut};
use jointly_nets::{FirstBiases, Network, Stream};
use jointly_sdk::Rng;

/// The smallest parameter that is kept. Added to a sum of 1e-4 or more, its term is rounded away, and a probability shows
/// no difference of logits below 1e-8. Inputs and units of order one are assumed.
const SMALLEST: f32 = 1e-12;

/// A linear map from an index to the parameters of a network.
///
/// # Formula
///
/// theta(z) = A z + b: `parameters` holds the columns of A, one after the other, and then b.
#[derive(Clone, Debug)]
pub(crate) struct Hypernetwork {
    network: Network,
    index_dim: usize,
    pub(crate) parameters: Vec<Lanes>,
}

/// Draws an index: a normal vector of expected squared length one, followed by a 1 that multiplies the offset b.
pub(crate) fn draw_index(index_dim: usize, rng: &mut Rng) -> Vec<f32> {
    let scale = 1.0 / (index_dim as f32).sqrt();
    let mut index: Vec<f32> = (0..index_dim).map(|_| scale * rng.normal()).collect();
    index.push(1.0);
    index
}

impl Hypernetwork {
    /// Creates a map whose value is zero for every index.
    pub(crate) fn zero(widths: &[usize], index_dim: usize) -> Self {
        let network = Network::new(widths, FirstBiases::Zero, &mut Rng::new(0, 0));
        let parameters = vec![Lanes::splat(0.0); network.parameters.len() * (index_dim + 1)];
        Self { network, index_dim, parameters }
    }

    /// Creates an untrained map.
    ///
    /// The columns of A are independent networks with the usual random initialisation, and b is zero. As an index has
    /// expected squared length one, a parameter at a random index has the mean and variance of a network's initial
    /// parameters.
    pub(crate) fn start(widths: &[usize], index_dim: usize, seed: u64) -> Self {
        let mut start = Self::zero(widths, index_dim);
        let columns = start.parameters.chunks_exact_mut(start.network.parameters.len());
        for (k, column) in columns.take(index_dim).enumerate() {
            let network = Network::new(widths, FirstBiases::Zero, &mut Stream::Start.rng(seed, k as u64));
            column.copy_from_slice(&network.parameters);
        }
        start
    }

    /// Returns the length of a row of indices, including the 1 that multiplies the offset.
    pub(crate) fn index_stride(&self) -> usize {
        self.index_dim + 1
    }

    /// Returns the number of parameter vectors of a network.
    pub(crate) fn width(&self) -> usize {
        self.network.parameters.len()
    }

    /// Computes the parameters at some indices, one network after the other.
    pub(crate) fn generate(&self, indices: &[f32], out: &mut [Lanes]) {
        let (depth, width) = (self.index_stride(), self.width());
        let right = Right { values: &self.parameters, stride: width };
        let target = Target { out, stride: width, rows: indices.len() / depth, width };
        product(Left::rows(indices, depth), right, depth, None, target, |sum, _| sum);
    }

    /// Returns the network at one index.
    pub(crate) fn network(&self, index: &[f32]) -> Network {
        let mut network = self.network.clone();
        self.generate(index, &mut network.parameters);
        network
    }

    /// Replaces A and b by zero where they are too small to change a prediction.
    ///
    /// With a single example the penalty drives all of them towards zero, until products of two layers are below the
    /// smallest normal number. On such numbers processors compute many times slower than on others.
    pub(crate) fn without_the_smallest(mut self) -> Self {
        for parameter in floats_mut(&mut self.parameters) {
            if parameter.abs() < SMALLEST {
                *parameter = 0.0;
            }
        }
        self
    }

    /// Computes the gradient with respect to A and b from the gradients with respect to the parameters at the
    /// indices.
    pub(crate) fn backward(&self, indices: &[f32], gradients: &[Lanes], out: &mut [Lanes]) {
        let (rows, width) = (self.index_stride(), self.width());
        let right = Right { values: gradients, stride: width };
        let target = Target { out, stride: width, rows, width };
        product(Left::columns(indices, rows), right, indices.len() / rows, None, target, |sum, _| sum);
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::layout::layout;
    use jointly_nets::simd::floats;
    use jointly_nets::{Rows, predict};
    use jointly_sdk::Matrix;

    use super::*;

    /// Variance of a truncated normal number before it is scaled.
    const TRUNCATED_VARIANCE: f32 = 0.774;
    /// Relative tolerance of a variance over all weights of a layer and a thousand models.
    const TOLERANCE: f32 = 0.05;

    #[test]
    fn generated_weights_start_with_the_law_of_a_networks() {
        let widths = [4, 7, 5, 3];
        let models = 1000;
        let mut squares = [0.0f32; 3];
        for seed in 0..models {
            let model = Hypernetwork::start(&widths, 6, seed);
            let network = model.network(&draw_index(6, &mut Rng::new(seed, 1)));
            let parameters = floats(&network.parameters);
            for (block, squares) in layout(&widths).into_iter().zip(&mut squares) {
                *squares += block.weights().map(|at| parameters[at].powi(2)).sum::<f32>();
                assert!(block.biases().all(|at| parameters[at] == 0.0));
            }
        }
        for (block, squares) in layout(&widths).into_iter().zip(squares) {
            let variance = squares / (models as usize * block.inputs * block.outputs) as f32;
            let expected = TRUNCATED_VARIANCE / block.inputs as f32;
            assert!((variance / expected - 1.0).abs() < TOLERANCE, "{variance} and {expected}");
        }
    }

    #[test]
    fn what_is_as_good_as_zero_changes_no_prediction() {
        let rows = Rows::of(&Matrix::new(3, 2, vec![0.5, -1.0, 0.0, 2.0, -3.0, 0.25]).unwrap());
        let prior = Network::new(&[2, 5, 3], FirstBiases::Normal, &mut Rng::new(1, 0));
        let predicted = |model: &Hypernetwork| {
            let mut out = vec![0.0; 3 * 3];
            predict(&[&model.network(&[1.0, -2.0, 0.5, 1.0]), &prior], &rows, &mut out).unwrap();
            out
        };
        let mut model = Hypernetwork::start(&[2, 9, 9, 3], 3, 0);
        for (i, parameter) in floats_mut(&mut model.parameters).iter_mut().enumerate() {
            *parameter = if i % 2 == 0 { 1e-13 } else { -1e-20 };
        }
        let small = predicted(&model);
        let zero = model.clone().without_the_smallest();
        assert!(floats(&zero.parameters).iter().all(|parameter| *parameter == 0.0));
        assert_eq!(predicted(&zero), small);
        floats_mut(&mut model.parameters)[..2].copy_from_slice(&[f32::NAN, 1.0]);
        let kept = model.without_the_smallest();
        assert!(floats(&kept.parameters)[0].is_nan() && floats(&kept.parameters)[1..3] == [1.0, 0.0]);
    }

    #[test]
    fn networks_generated_together_and_alone_are_the_same() {
        let model = Hypernetwork::start(&[2, 9, 3], 4, 0);
        let indices: Vec<Vec<f32>> = (0..7).map(|m| draw_index(4, &mut Rng::new(0, m))).collect();
        let mut together = vec![Lanes::splat(0.0); 7 * model.width()];
        model.generate(&indices.concat(), &mut together);
        for (index, together) in indices.iter().zip(together.chunks(model.width())) {
            assert_eq!(floats(together), floats(&model.network(index).parameters));
        }
    }
}
