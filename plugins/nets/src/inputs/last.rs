//! A trained network of which draws differ in the last layer alone: all before it is computed once a call.

use crate::Network;
use crate::last_layer::{Hidden, LastLayer, sample_last_layers};
use crate::layout::Block;
use crate::simd::floats;
use jointly_sdk::{Failure, Matrix};

/// A network taken apart before its last layer.
#[derive(Debug)]
pub struct Last {
    layer: LastLayer,
    /// Where the last layer's parameters lie among the network's.
    block: Block,
    /// The weights of the last layer, class by class, each with its bias behind.
    weights: Vec<f32>,
}

impl Last {
    /// Takes a network apart.
    ///
    /// # Panics
    ///
    /// Never: a network has a layer.
    pub fn of(network: &Network) -> Self {
        let block = *network.blocks().last().expect("a network has a layer");
        let parameters = floats(&network.parameters);
        let class = |k: usize| (0..=block.inputs).map(move |j| parameters[block.row(j)][k]);
        Self { layer: LastLayer::of(network), block, weights: (0..block.outputs).flat_map(class).collect() }
    }

    /// Numbers of a class: a weight of each feature, and the bias behind them.
    pub fn width(&self) -> usize {
        self.block.inputs + 1
    }

    /// The trained weights: `out[k * width + j]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Class probabilities of draws whose last layers deviate: `out[(m * rows + t) * classes + k]`, where what draw m adds to the
    /// trained weights is `deviations[(m * classes + k) * width + j]`.
    ///
    /// # Errors
    ///
    /// Rows of another length than the network reads.
    pub fn probs(&self, read: &Matrix, deviations: &[f32], out: &mut [f32]) -> Result<(), Failure> {
        let Hidden { features, logits } = self.layer.at(read)?;
        let (features_of_row, width) = (self.block.inputs, self.width());
        let mut with_ones = vec![1.0; read.rows() * width];
        for (to, from) in with_ones.chunks_exact_mut(width).zip(features.chunks_exact(features_of_row)) {
            to[..features_of_row].copy_from_slice(from);
        }
        let hidden = Hidden { features: with_ones, logits };
        sample_last_layers(&hidden, (width, self.block.outputs), deviations, out);
        Ok(())
    }
}
