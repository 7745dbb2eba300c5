//! The additive prior: an ensemble of small random networks, weighed by the index.

use jointly_nets::shifted::outputs;
use jointly_nets::{FirstBiases, Network, Stream};

use crate::epinet::dot;

/// One network for each dimension of the index, with their outputs times a scale; never trained.
#[derive(Debug)]
pub(crate) struct Prior {
    networks: Vec<Network>,
    classes: usize,
}

/// The outputs of a prior's networks at some rows, which all indices share.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// Of row t, class k and network i at `(t * classes + k) * networks + i`.
    values: Vec<f32>,
    networks: usize,
}

impl Prior {
    /// Networks as any network starts.
    pub(crate) fn new(widths: &[usize], index_dim: usize, scale: f32, seed: u64) -> Self {
        let network = |i: usize| {
            let rng = &mut Stream::Prior.rng(seed, i as u64);
            Network::new(widths, FirstBiases::Zero, rng).scaled(scale)
        };
        Self { networks: (0..index_dim).map(network).collect(), classes: widths[widths.len() - 1] }
    }

    /// The networks' outputs at every row of inputs.
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
    /// The prior's logits at one index: for each row and class, sum_i z_i f_i(x).
    pub(crate) fn at_index<'a>(&'a self, index: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        self.values.chunks_exact(self.networks).map(|values| dot(values, index))
    }

    /// The prior's logits at one index and row.
    pub(crate) fn row<'a>(&'a self, row: usize, classes: usize, index: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let values = &self.values[row * classes * self.networks..][..classes * self.networks];
        values.chunks_exact(self.networks).map(|values| dot(values, index))
    }
}
