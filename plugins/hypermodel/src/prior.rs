//! The additive prior: a small random network as a function of the index; never trained.

use std::ops::Range;

use jointly_nets::Stream;
use jointly_nets::layout::layout;
use jointly_nets::simd::floats_mut;

use crate::hypernetwork::Hypernetwork;
use crate::sphere::unit_vector;

/// Creates a network in which each layer is linear in its own part of the index, with outputs times `scale`.
///
/// # Formula
///
/// A weight is u . z_l / sqrt(fan-in), except in the first layer, where it is u . z_l whatever the fan-in; a bias is
/// u . z_l. Here z_l is the layer's part of the index and u a vector on the unit sphere of that part's dimension,
/// drawn for each parameter. The parts have equal size, except that the first ones are one larger if the dimension is
/// not divisible by the number of layers. If there are fewer dimensions than layers, every layer depends on all of
/// them.
pub(crate) fn prior(widths: &[usize], index_dim: usize, scale: f32, seed: u64) -> Hypernetwork {
    let mut prior = Hypernetwork::zero(widths, index_dim);
    let width = prior.width();
    let mut columns: Vec<&mut [f32]> = prior.parameters.chunks_exact_mut(width).map(floats_mut).collect();
    let mut rng = Stream::Prior.rng(seed, 0);
    let blocks = layout(widths);
    for (l, block) in blocks.iter().enumerate() {
        let output_scale = if l + 1 == blocks.len() { scale } else { 1.0 };
        let fan_in = if l == 0 { 1.0 } else { block.inputs as f32 };
        let weight_scale = output_scale / fan_in.sqrt();
        let weights = block.weights().map(|at| (at, weight_scale));
        for (at, scale) in weights.chain(block.biases().map(|at| (at, output_scale))) {
            let part = part(l, blocks.len(), index_dim);
            let direction = unit_vector(part.len(), &mut rng);
            columns[part].iter_mut().zip(direction).for_each(|(column, u)| column[at] = scale * u);
        }
    }
    prior
}

/// Returns the range of index dimensions that layer `l` depends on.
fn part(l: usize, layers: usize, index_dim: usize) -> Range<usize> {
    if index_dim < layers {
        return 0..index_dim;
    }
    let start = |l: usize| l * (index_dim / layers) + l.min(index_dim % layers);
    start(l)..start(l + 1)
}

#[cfg(test)]
mod tests {
    use jointly_nets::simd::floats;

    use super::*;

    const TOLERANCE: f32 = 1e-5;

    #[test]
    fn layers_share_no_dimension_where_there_are_enough() {
        for (index_dim, layers) in [(6, 2), (7, 3), (5, 2), (3, 3)] {
            let parts: Vec<usize> = (0..layers).flat_map(|l| part(l, layers, index_dim)).collect();
            assert_eq!(parts, (0..index_dim).collect::<Vec<_>>());
            assert!((0..layers).all(|l| part(l, layers, index_dim).len() >= index_dim / layers));
        }
        assert_eq!((part(0, 2, 1), part(1, 2, 1)), (0..1, 0..1));
    }

    #[test]
    fn a_parameter_is_a_direction_in_its_layers_part_of_the_index() {
        let widths = [3, 4, 2];
        let (index_dim, scale) = (5, 2.0);
        let prior = prior(&widths, index_dim, scale, 9);
        let columns: Vec<&[f32]> = prior.parameters.chunks_exact(prior.width()).map(floats).collect();
        for (l, (block, output_scale)) in layout(&widths).iter().zip([1.0, scale]).enumerate() {
            let fan_in: f32 = if l == 0 { 1.0 } else { 4.0 };
            let weights = block.weights().map(|at| (at, output_scale / fan_in.sqrt()));
            for (at, expected) in weights.chain(block.biases().map(|at| (at, output_scale))) {
                let inside = part(l, 2, index_dim);
                let squares = columns[inside.clone()].iter().map(|column| column[at].powi(2));
                assert!((squares.sum::<f32>().sqrt() - expected).abs() < TOLERANCE);
                assert!((0..=index_dim).filter(|k| !inside.contains(k)).all(|k| columns[k][at] == 0.0));
            }
        }
    }
}
