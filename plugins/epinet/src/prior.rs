//! The additive prior: an ensemble of small random networks, weighted by the index.

use jointly_nets::predict::outputs;
use jointly_nets::{FirstBiases, Network, Stream};

use crate::epinet::dot;

/// One network for each dimension of the index, with scaled outputs; never trained.
#[derive(Debug)]
pub(crate) struct Prior {
    networks: Vec<Network>,
    classes: usize,
}

/// The outputs of a prior's networks at some rows, shared by all indices.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// The output of network i for row t and class k is at `(t * classes + k) * networks + i`.
    values: Vec<f32>,
    networks: usize,
}

impl Prior {
    /// Creates networks with the usual random initialisation.
    pub(crate) fn new(widths: &[usize], index_dim: usize, scale: f32, seed: u64) -> Self {
        let network = |i: usize| {
            let rng = &mut Stream::Prior.rng(seed, i as u64);
            Network::new(widths, FirstBiases::Zero, rng).scaled(scale)
        };
        Self { networks: (0..index_dim).map(network).collect(), classes: widths[widths.len() - 1] }
    }

    /// Computes the networks' outputs at every row of inputs.
    pub(crate) fn outputs(&self, inputs: &[f32]) -> Outputs {
        let networks = self.networks.len();
        let mut values = vec![0.0; inputs.len() / self.networks[0].inputs() * self.classes * networks];
        for (i, network) in self.networks.iter().enumerate() {
            let to = values.iter_mut().skip(i).step_by(networks);
            to.zip(outputs(network, inputs)).for_each(|(to, value)| *to = value);
        }
        Outputs { values, networks }
    }
}

impl Outputs {
    /// Returns the prior's logits at one index: for each row and class, sum_i z_i f_i(x).
    pub(crate) fn at_index<'a>(&'a self, index: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        self.values.chunks_exact(self.networks).map(|values| dot(values, index))
    }

    /// Returns the prior's logits at one index and row.
    pub(crate) fn row<'a>(&'a self, row: usize, classes: usize, index: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let values = &self.values[row * classes * self.networks..][..classes * self.networks];
        values.chunks_exact(self.networks).map(|values| dot(values, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-6;

    #[test]
    fn an_index_weighs_the_networks() {
        let prior = Prior::new(&[2, 5, 5, 3], 4, 0.5, 1);
        let inputs = [0.3, -1.0, 2.0, 0.7, 0.1, 0.2];
        let together = prior.outputs(&inputs);
        let index = [0.5, -1.0, 2.0, 0.25];
        let logits: Vec<f32> = together.at_index(&index).collect();
        for (t, input) in inputs.chunks(2).enumerate() {
            let mut expected = [0.0; 3];
            for (network, z) in prior.networks.iter().zip(index) {
                expected.iter_mut().zip(outputs(network, input)).for_each(|(sum, value)| *sum += z * value);
            }
            let row: Vec<f32> = together.row(t, 3, &index).collect();
            assert_eq!(row, logits[3 * t..][..3]);
            assert!(row.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < TOLERANCE));
        }
    }
}
