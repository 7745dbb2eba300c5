//! A trained network whose draws differ in the last layer only; all layers before it are computed once per call.

use crate::Network;
use crate::last_layer::{Hidden, LastLayer, sample_last_layers};
use crate::layout::Block;
use crate::simd::floats;
use jointly_sdk::{Failure, Matrix};

/// A network split before its last layer.
#[derive(Debug)]
pub struct Last {
    layer: LastLayer,
    /// The position of the last layer's parameters among the network's.
    block: Block,
    /// The weights of the last layer, class by class, each followed by its bias.
    weights: Vec<f32>,
}

impl Last {
    /// Splits a network before its last layer.
    ///
    /// # Panics
    ///
    /// Never: a network has at least one layer.
    pub fn of(network: &Network) -> Self {
        let block = *network.blocks().last().expect("a network has a layer");
        let parameters = floats(&network.parameters);
        let class = |k: usize| (0..=block.inputs).map(move |j| parameters[block.row(j)][k]);
        Self { layer: LastLayer::of(network), block, weights: (0..block.outputs).flat_map(class).collect() }
    }

    /// Numbers per class: a weight for each feature, and the bias.
    pub fn width(&self) -> usize {
        self.block.inputs + 1
    }

    /// The trained weights: `out[k * width + j]`.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Writes the class probabilities of draws with different last layers: `out[(m * rows + t) * classes + k]`, where
    /// draw m adds `deviations[(m * classes + k) * width + j]` to the trained weights.
    ///
    /// # Errors
    ///
    /// Fails if the rows do not have the network's number of inputs.
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
