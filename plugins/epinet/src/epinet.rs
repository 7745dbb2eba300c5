//! The epinet: a small network of a base network's features and an index, whose outputs are projected on the index.

use jointly_nets::layout::layout;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{FirstBiases, Network};
use jointly_sdk::Rng;

/// The dimensions of the agent's networks.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Number of features of an input.
    pub(crate) input_dim: usize,
    /// Number of classes.
    pub(crate) classes: usize,
    /// Widths of the base network's hidden layers.
    pub(crate) hidden: Vec<usize>,
    /// Widths of the epinet's hidden layers.
    pub(crate) epinet_hidden: Vec<usize>,
    /// Dimension of the index.
    pub(crate) index_dim: usize,
}

impl Shape {
    /// Returns the widths of the base network.
    pub(crate) fn base_widths(&self) -> Vec<usize> {
        [&[self.input_dim], &self.hidden[..], &[self.classes]].concat()
    }

    /// Returns the number of features that the epinet reads: the input itself and the base network's last hidden
    /// layer.
    pub(crate) fn features(&self) -> usize {
        self.input_dim + self.hidden.last().unwrap_or(&0)
    }

    /// Returns the widths of the epinet: from the features and the index to index_dim numbers for each class.
    pub(crate) fn epinet_widths(&self) -> Vec<usize> {
        let inputs = self.features() + self.index_dim;
        [&[inputs], &self.epinet_hidden[..], &[self.classes * self.index_dim]].concat()
    }

    /// Returns the epinet at one index as a network from the features to logits: the index's contribution becomes
    /// part of the first layer's bias, and the projection part of the last layer.
    pub(crate) fn at_index(&self, epinet: &Network, index: &[f32]) -> Network {
        let full_widths = self.epinet_widths();
        let full = layout(&full_widths);
        let mut from = floats(&epinet.parameters).to_vec();
        let first = full[0];
        let biases: Vec<f32> = first
            .biases()
            .enumerate()
            .map(|(j, bias)| {
                let rows = index.iter().enumerate().map(|(i, z)| z * from[first.row(self.features() + i)][j]);
                from[bias] + rows.sum::<f32>()
            })
            .collect();
        from[first.row(first.inputs)].copy_from_slice(&biases);

        let widths = [&[self.features()], &self.epinet_hidden[..], &[self.classes]].concat();
        let mut network = Network::new(&widths, FirstBiases::Zero, &mut Rng::new(0, 0));
        let to = floats_mut(&mut network.parameters);
        for (l, (full, block)) in full.iter().zip(layout(&widths)).enumerate() {
            for i in 0..=block.inputs {
                let full_row = full.row(if i == block.inputs { full.inputs } else { i });
                let row = &from[full_row];
                if l + 2 < widths.len() {
                    to[block.row(i)].copy_from_slice(row);
                } else {
                    let projections = row.chunks_exact(self.index_dim).map(|row| dot(row, index));
                    to[block.row(i)].iter_mut().zip(projections).for_each(|(to, projection)| *to = projection);
                }
            }
        }
        network
    }
}

/// Computes the inner product.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Draws a standard normal index.
pub(crate) fn draw_index(index_dim: usize, rng: &mut Rng) -> Vec<f32> {
    (0..index_dim).map(|_| rng.normal()).collect()
}

#[cfg(test)]
mod tests {
    use jointly_nets::predict::outputs;

    use super::*;

    /// Tolerance of logits of order one that are summed in another order.
    const TOLERANCE: f32 = 1e-4;

    #[test]
    fn at_an_index_it_is_the_projection_of_the_whole() {
        for epinet_hidden in [vec![], vec![6], vec![15, 7]] {
            let hidden = vec![4];
            let shape = Shape { input_dim: 2, classes: 3, hidden, epinet_hidden, index_dim: 5 };
            let mut rng = Rng::new(1, 0);
            let mut epinet = Network::new(&shape.epinet_widths(), FirstBiases::Normal, &mut rng);
            for block in layout(&shape.epinet_widths()) {
                block.biases().for_each(|at| floats_mut(&mut epinet.parameters)[at] = rng.normal());
            }
            let index = draw_index(5, &mut rng);
            let features: Vec<f32> = (0..shape.features()).map(|_| rng.normal()).collect();
            let whole = outputs(&epinet, &[&features[..], &index].concat());
            let folded = outputs(&shape.at_index(&epinet, &index), &features);
            for (k, value) in folded.iter().enumerate() {
                assert!((value - dot(&whole[k * 5..][..5], &index)).abs() < TOLERANCE);
            }
        }
    }
}
