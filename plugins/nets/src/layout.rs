//! Where the parameters of a network of given widths lie among its vectors.

use crate::simd::{LANES, vectors};

/// The parameters of one layer: a row of weights for each of its inputs, and a row of biases.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Units that it reads.
    pub inputs: usize,
    /// Units that it feeds.
    pub outputs: usize,
    /// Where its first row starts, in numbers.
    start: usize,
}

impl Block {
    /// Numbers in a row, of which the first `outputs` are parameters and the others zero.
    fn stride(self) -> usize {
        vectors(self.outputs) * LANES
    }

    /// Where the weights lie.
    pub fn weights(self) -> impl Iterator<Item = usize> {
        (0..self.inputs).flat_map(move |i| self.row(i))
    }

    /// Where the biases lie.
    pub fn biases(self) -> impl Iterator<Item = usize> {
        self.row(self.inputs)
    }

    /// Where row `i` lies: the weights of input `i`, or the biases where `i` is the number of inputs.
    pub fn row(self, i: usize) -> std::ops::Range<usize> {
        let from = self.start + i * self.stride();
        from..from + self.outputs
    }
}

/// The layers of a network with the given widths, from inputs to outputs.
pub fn layout(widths: &[usize]) -> Vec<Block> {
    let mut start = 0;
    let blocks = widths.windows(2).map(|pair| {
        let block = Block { inputs: pair[0], outputs: pair[1], start };
        start += (block.inputs + 1) * block.stride();
        block
    });
    blocks.collect()
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
}
