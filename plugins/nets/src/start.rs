//! Initial parameters other than those of [`Network::new`]: all biases random, or Glorot's uniform weights.

use jointly_sdk::Rng;

use crate::convolution::Convolution;
use crate::front::Front;
use crate::layout::layout;
use crate::network::{FirstBiases, Network};
use crate::simd::floats_mut;

/// The variance of a standard normal truncated at two standard deviations. A weight has this variance divided by its
/// fan-in.
pub const TRUNCATED_VARIANCE: f32 = 0.774;

/// Makes a network with the given widths in which the weights and biases of all layers are truncated normal with scale
/// `1 / sqrt(fan-in)`.
///
/// [`Network::new`] starts the biases of all layers but the first at zero; that gives no distribution to anchor them
/// to.
///
/// # Panics
///
/// Panics if there are fewer than two widths.
pub fn all_drawn(widths: &[usize], rng: &mut Rng) -> Network {
    let mut network = Network::new(widths, FirstBiases::Truncated, rng);
    let parameters = floats_mut(&mut network.parameters);
    for block in layout(widths).into_iter().skip(1) {
        let scale = 1.0 / (block.inputs as f32).sqrt();
        block.biases().for_each(|at| parameters[at] = scale * rng.truncated_normal());
    }
    network
}

/// Makes a network with the given widths whose weights are uniform within sqrt(6 / (fan-in + fan-out)) of zero, and
/// whose biases are zero: the initialisation of Glorot and Bengio (2010), which is Keras' default for dense layers.
///
/// # Panics
///
/// Panics if there are fewer than two widths.
pub fn glorot(widths: &[usize], rng: &mut Rng) -> Network {
    // `glorot_again` overwrites these weights; a copy of the stream draws them, so that they do not change what
    // follows.
    glorot_again(Network::new(widths, FirstBiases::Zero, &mut rng.clone()), rng)
}

/// Draws the weights of a network as [`glorot`] does. The fan-in of a filter is the number of values in its patch, and
/// its fan-out the number of its pixels times the number of filters, as in Keras. Biases stay as they are.
#[must_use]
pub fn glorot_again(mut network: Network, rng: &mut Rng) -> Network {
    let areas = network.front().into_iter().flat_map(Front::convolutions).map(Convolution::area);
    let areas: Vec<usize> = areas.chain(std::iter::repeat_n(1, network.depth())).collect();
    let blocks = network.blocks();
    let parameters = floats_mut(&mut network.parameters);
    for (block, area) in blocks.into_iter().zip(areas) {
        let bound = (6.0 / (block.inputs + area * block.outputs) as f32).sqrt();
        block.weights().for_each(|at| parameters[at] = bound * (2.0 * rng.uniform() - 1.0));
    }
    network
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::mask;
    use crate::simd::floats;

    #[test]
    fn glorots_weights_fill_their_range_and_biases_are_zero() {
        let widths = [3, 40, 30, 1];
        let network = glorot(&widths, &mut Rng::new(1, 0));
        let parameters = floats(&network.parameters);
        for block in layout(&widths) {
            let bound = (6.0 / (block.inputs + block.outputs) as f32).sqrt();
            assert!(block.biases().all(|at| parameters[at] == 0.0));
            let largest = block.weights().map(|at| parameters[at].abs()).fold(0.0, f32::max);
            assert!((0.8 * bound..=bound).contains(&largest), "{largest} of {bound}");
        }
    }

    #[test]
    fn every_parameter_is_drawn_with_the_variance_and_the_padding_is_not() {
        const DRAWS: u64 = 2000;
        let widths = [3, 7, 5, 2];
        let mask = mask(&widths);
        let mut squares = vec![0.0; floats(&mask).len()];
        for draw in 0..DRAWS {
            let network = all_drawn(&widths, &mut Rng::new(1, draw));
            assert_eq!(network.parameters.len(), mask.len());
            let values = floats(&network.parameters).iter().zip(floats(&mask));
            for (sum, (value, is)) in squares.iter_mut().zip(values) {
                assert_eq!(*is == 1.0, *value != 0.0);
                *sum += value * value / DRAWS as f32;
            }
        }
        for block in layout(&widths) {
            for at in block.weights().chain(block.biases()) {
                let ratio = squares[at] * block.inputs as f32 / TRUNCATED_VARIANCE;
                // Five standard errors; the fourth moment of this distribution is less than a normal's.
                assert!((ratio - 1.0).abs() < 5.0 * (2.0 / DRAWS as f32).sqrt(), "{at}: {ratio}");
            }
        }
    }
}
