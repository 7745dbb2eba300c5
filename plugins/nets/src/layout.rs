//! Indices of the parameters of a network's layers.

use crate::simd::{LANES, Lanes, floats_mut, vectors};

/// Returns the number of vectors in a row of a layer's values, including the one that multiplies the next layer's bias.
pub fn stride(width: usize) -> usize {
    vectors(width + 1)
}

/// The parameters of one layer: a row of weights for each input, then a row of biases.
///
/// For a convolution, the inputs are the numbers of a patch and the outputs are the filters.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs.
    pub outputs: usize,
    /// Index of the first number of its first row.
    start: usize,
}

impl Block {
    /// Numbers in a row: `outputs` parameters, then zeros as padding.
    fn stride(self) -> usize {
        vectors(self.outputs) * LANES
    }

    /// Indices of the weights.
    pub fn weights(self) -> impl Iterator<Item = usize> {
        (0..self.inputs).flat_map(move |i| self.row(i))
    }

    /// Indices of the biases.
    pub fn biases(self) -> impl Iterator<Item = usize> {
        self.row(self.inputs)
    }

    /// The range of vectors that hold all parameters of the layer.
    pub fn vectors(self) -> std::ops::Range<usize> {
        let from = self.start / LANES;
        from..from + (self.inputs + 1) * vectors(self.outputs)
    }

    /// The indices of row `i`: the weights of input `i`, or the biases if `i` is the number of inputs.
    pub fn row(self, i: usize) -> std::ops::Range<usize> {
        let from = self.start + i * self.stride();
        from..from + self.outputs
    }
}

/// Returns the layers of a network with the given widths, from inputs to outputs.
pub fn layout(widths: &[usize]) -> Vec<Block> {
    let pairs = widths.windows(2).map(|pair| (pair[0], pair[1]));
    blocks(pairs)
}

/// Returns layers with the given pairs of inputs and outputs, one after the other.
pub(crate) fn blocks(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Block> {
    let mut start = 0;
    let blocks = pairs.map(|(inputs, outputs)| {
        let block = Block { inputs, outputs, start };
        start += (block.inputs + 1) * block.stride();
        block
    });
    blocks.collect()
}

/// Returns how many numbers the parameters of a network with these widths take, with padding; `None` if that overflows.
pub fn numbers(widths: &[usize]) -> Option<usize> {
    widths.windows(2).try_fold(0usize, |sum, pair| {
        let row = pair[1].checked_next_multiple_of(LANES)?;
        row.checked_mul(pair[0].checked_add(1)?)?.checked_add(sum)
    })
}

/// Returns one where a network with these widths has a parameter, and zero where a row is padded.
pub fn mask(widths: &[usize]) -> Vec<Lanes> {
    mask_of(&layout(widths))
}

/// Returns one where these layers have a parameter, and zero where a row is padded.
pub fn mask_of(blocks: &[Block]) -> Vec<Lanes> {
    let mut mask = Vec::new();
    for block in blocks {
        mask.resize(block.vectors().end, Lanes::splat(0.0));
        let values = floats_mut(&mut mask);
        (0..=block.inputs).for_each(|i| values[block.row(i)].fill(1.0));
    }
    mask
}

/// Returns 1 / sqrt(n + 1) for each parameter of a layer with n inputs, where the bias counts as one more input; zero
/// where a row is padded.
///
/// A network of standard normal numbers is multiplied by these deviations so that the values of its units do not grow
/// with its width (Neal, 1995).
pub fn unit_deviations(widths: &[usize]) -> Vec<Lanes> {
    let mut deviations = mask(widths);
    for block in layout(widths) {
        let deviation = 1.0 / ((block.inputs + 1) as f32).sqrt();
        let values = floats_mut(&mut deviations);
        (0..=block.inputs).flat_map(|i| block.row(i)).for_each(|at| values[at] = deviation);
    }
    deviations
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::simd::floats;
    use crate::{FirstBiases, Network};

    #[test]
    fn agrees_with_what_a_network_is_made_of() {
        for widths in [&[3, 2][..], &[2, 5, 3], &[4, 13, 8, 2], &[1, 3, 17, 5, 4]] {
            let network = Network::new(widths, FirstBiases::Zero, &mut Rng::new(1, 0));
            let parameters = floats(&network.parameters);
            let blocks = layout(widths);
            assert!(blocks.iter().flat_map(|block| block.weights()).all(|at| parameters[at] != 0.0));
            assert!(blocks.iter().flat_map(|block| block.biases()).all(|at| parameters[at] == 0.0));
            let weights = blocks.iter().map(|block| block.weights().count()).sum::<usize>();
            assert_eq!(weights, parameters.iter().filter(|value| **value != 0.0).count());
        }
    }

    #[test]
    fn numbers_beyond_memory_are_none() {
        assert_eq!(numbers(&[2, usize::MAX - 20, 1]), None);
        assert_eq!(numbers(&[usize::MAX, 1]), None);
    }

    #[test]
    fn a_fresh_network_is_zero_beside_the_mask() {
        for widths in [&[2, 3][..], &[5, 8, 2], &[1, 13, 9, 4]] {
            let network = Network::new(widths, FirstBiases::Normal, &mut Rng::new(0, 0));
            let mask = mask(widths);
            assert_eq!(mask.len(), network.parameters.len());
            assert_eq!(numbers(widths), Some(floats(&mask).len()));
            let parameters: usize = widths.windows(2).map(|pair| (pair[0] + 1) * pair[1]).sum();
            assert_eq!(floats(&mask).iter().sum::<f32>(), parameters as f32);
            for (value, is) in floats(&network.parameters).iter().zip(floats(&mask)) {
                assert!(*is == 1.0 || *value == 0.0);
            }
        }
    }
}
