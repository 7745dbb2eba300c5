//! Evaluates many draws of a network under dropout at once; each draw is the network that one set of masks leaves.
//!
//! All draws share the layers before the first dense layer, and the sums of that layer without masks. A draw subtracts
//! the terms of its dropped inputs or, if inputs are dropped more often than not, adds the terms of those that remain.
//! Most numbers of an image are zero and add nothing, and few of the others are dropped, so the widest layer costs a
//! draw the least.

use crate::layout::Block;
use crate::product::Target;
use crate::simd::{LANES, Lanes, Left, Right, WORD, floats, floats_mut, nonzero, sparse_row, vectors};
use crate::sparse::{Pattern, Rectified};
use crate::{Network, Stream};
use jointly_sdk::Matrix;

use super::rows::probabilities;

/// Rows that pass through the network together.
const BLOCK: usize = 32;

/// Draws that share a row's first layer while it is in the cache.
const GROUP: usize = 16;

/// A network whose dense layers drop their inputs, each layer with its own probability; a draw names one set of masks.
///
/// # Formula
///
/// A dense layer reads m_i x_i / (1 - p), where m_i is 0 with probability p and 1 otherwise, the same for all rows of a
/// draw.
#[derive(Debug)]
pub struct Masked {
    network: Network,
    rates: Vec<f32>,
    /// The dense layers; the weights of the first are divided by 1 - p.
    layers: Vec<Dense>,
    /// The weights of the first layer, negated if the terms of dropped inputs are subtracted from the full sums.
    terms: Vec<Lanes>,
    seed: u64,
}

/// The parameters of a dense layer.
#[derive(Debug)]
struct Dense {
    block: Block,
    weights: Vec<Lanes>,
    biases: Vec<Lanes>,
}

/// The dropout masks of a draw.
struct Mask {
    /// The inputs of the first layer whose terms are added, one bit each.
    selected: Vec<u64>,
    /// The factors of the inputs of each later dense layer.
    factors: Vec<Vec<Lanes>>,
}

/// Scratch buffers for a block of rows.
struct Room {
    read: Vec<Lanes>,
    /// The non-zero numbers of each row, one bit each.
    active: Vec<u64>,
    /// The sums of the first layer without masks.
    full: Vec<Lanes>,
    /// The sums of the first layer for each draw of a group.
    sums: Vec<Lanes>,
    /// The inputs and outputs of later layers.
    hidden: [Vec<Lanes>; 2],
    pattern: Pattern,
    columns: Vec<Lanes>,
}

impl Masked {
    /// Makes a network in which each dense layer drops its inputs with the given probability, below one.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many probabilities as dense layers.
    pub fn new(network: Network, rates: &[f32], seed: u64) -> Self {
        let blocks = network.blocks().into_iter().skip(network.convolutions());
        let mut layers: Vec<Dense> = blocks
            .map(|block| {
                let parameters = &network.parameters[block.vectors()];
                let (weights, biases) = parameters.split_at(block.inputs * vectors(block.outputs));
                Dense { block, weights: weights.to_vec(), biases: biases.to_vec() }
            })
            .collect();
        assert_eq!(rates.len(), layers.len(), "a rate for each dense layer");
        let keeps = Lanes::splat(1.0 / (1.0 - rates[0]));
        let first = &mut layers[0].weights;
        for weight in first.iter_mut() {
            *weight = *weight * keeps;
        }
        let sign = if takes_away(rates[0]) { -1.0 } else { 1.0 };
        let terms = first.iter().map(|weight| *weight * Lanes::splat(sign)).collect();
        Self { rates: rates.to_vec(), layers, terms, network, seed }
    }

    /// Returns whether anything is dropped; if not, all draws are the same.
    pub fn drops(&self) -> bool {
        self.rates.iter().any(|rate| *rate > 0.0)
    }

    fn mask(&self, draw: u64) -> Mask {
        let mut rng = Stream::Parameters.rng(self.seed, draw);
        let mut kept = |l: usize, at: usize| at < self.layers[l].block.inputs && rng.uniform() >= self.rates[l];
        let first = self.layers[0].block.inputs;
        let adds = !takes_away(self.rates[0]);
        let word = |from: usize, kept: &mut dyn FnMut(usize, usize) -> bool| {
            (0..WORD.min(first - from)).fold(0, |word, bit| word | u64::from(kept(0, from + bit) == adds) << bit)
        };
        let selected = (0..first).step_by(WORD).map(|from| word(from, &mut kept)).collect();
        let factors = (1..self.layers.len()).map(|l| {
            let mut factors = vec![Lanes::splat(0.0); vectors(self.layers[l].block.inputs)];
            let keeps = 1.0 / (1.0 - self.rates[l]);
            for (at, factor) in floats_mut(&mut factors).iter_mut().enumerate() {
                *factor = if kept(l, at) { keeps } else { 0.0 };
            }
            factors
        });
        Mask { selected, factors: factors.collect() }
    }

    /// Writes the class probabilities of the networks that the draws' masks leave, one after the other, at every row of
    /// `read`: `out[(m * rows + t) * classes + k]`. The bits of a row of a draw depend on that row and that draw alone.
    ///
    /// # Panics
    ///
    /// Panics if the rows do not have the network's number of inputs, or if `out` has the wrong length.
    pub fn probs(&self, read: &Matrix, draws: &[u64], out: &mut [f32]) {
        let (dim, classes, rows) = (self.network.inputs(), self.network.outputs(), read.rows());
        assert!(
            read.cols() == dim && out.len() == draws.len() * rows * classes,
            "what is read is not what is asked for"
        );
        let masks: Vec<Mask> = draws.iter().map(|draw| self.mask(*draw)).collect();
        let mut room = self.room();
        for (b, block) in read.values().chunks(BLOCK * dim).enumerate() {
            let count = block.len() / dim;
            self.prepare(block, count, &mut room);
            let groups = masks.chunks(GROUP).zip(out.chunks_mut(GROUP * rows * classes));
            for (masks, out) in groups {
                self.first_layer(masks, count, &mut room);
                for (g, (mask, out)) in masks.iter().zip(out.chunks_exact_mut(rows * classes)).enumerate() {
                    let out = &mut out[b * BLOCK * classes..][..count * classes];
                    self.other_layers(mask, g, count, &mut room, out);
                }
            }
        }
    }

    fn room(&self) -> Room {
        let zeros = |len: usize| vec![Lanes::splat(0.0); len];
        let first = self.layers[0].block;
        let widest = self.layers.iter().map(|layer| vectors(layer.block.outputs)).max().unwrap_or(0);
        Room {
            read: zeros(BLOCK * vectors(first.inputs)),
            active: vec![0; BLOCK * first.inputs.div_ceil(WORD)],
            full: zeros(BLOCK * vectors(first.outputs)),
            sums: zeros(GROUP * BLOCK * vectors(first.outputs)),
            hidden: [zeros(BLOCK * widest), zeros(BLOCK * widest)],
            pattern: Pattern::default(),
            columns: zeros(self.network.outputs()),
        }
    }

    /// Computes what all draws share at a block of rows.
    fn prepare(&self, block: &[f32], rows: usize, room: &mut Room) {
        let Dense { block: shape, weights, biases } = &self.layers[0];
        let (stride, width) = (vectors(shape.inputs), vectors(shape.outputs));
        let features = self.network.features(block);
        let read = floats_mut(&mut room.read).chunks_exact_mut(stride * LANES);
        read.zip(features.chunks_exact(shape.inputs)).for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
        let words = room.active.chunks_exact_mut(shape.inputs.div_ceil(WORD));
        for (words, row) in words.zip(room.read.chunks_exact(stride)).take(rows) {
            words.iter_mut().zip(row.chunks(WORD / LANES)).for_each(|(word, part)| *word = nonzero(part));
        }
        let left = Rectified { values: &room.read, stride };
        let right = Right { values: weights, stride: width };
        let target = Target { out: &mut room.full, stride: width, rows, width };
        room.pattern.product(left, right, shape.inputs, Some(biases), target, |sum, _| sum);
    }

    /// Computes the first layer's sums for each draw of a group.
    fn first_layer(&self, masks: &[Mask], rows: usize, room: &mut Room) {
        let width = vectors(self.layers[0].block.outputs);
        let mut j = 0;
        while j < width {
            j += match width - j {
                13.. => self.band::<13>(j, masks, rows, room),
                8.. => self.band::<8>(j, masks, rows, room),
                4.. => self.band::<4>(j, masks, rows, room),
                2.. => self.band::<2>(j, masks, rows, room),
                _ => self.band::<1>(j, masks, rows, room),
            };
        }
    }

    /// Computes N vectors of these sums, from vector `j` on, and returns N.
    fn band<const N: usize>(&self, j: usize, masks: &[Mask], rows: usize, room: &mut Room) -> usize {
        let Dense { block, biases, .. } = &self.layers[0];
        let (stride, width) = (vectors(block.inputs), vectors(block.outputs));
        let left = Left::rows(floats(&room.read), stride * LANES);
        let right = Right { values: &self.terms, stride: width };
        let words = block.inputs.div_ceil(WORD);
        let mut terms = vec![0; words];
        for r in 0..rows {
            let start = if takes_away(self.rates[0]) { &room.full[r * width..][..width] } else { &biases[..] };
            let mut from = [Lanes::splat(0.0); N];
            from.copy_from_slice(&start[j..j + N]);
            let active = &room.active[r * words..][..words];
            for (g, mask) in masks.iter().enumerate() {
                for (term, (active, selected)) in terms.iter_mut().zip(active.iter().zip(&mask.selected)) {
                    *term = active & selected;
                }
                let sums = sparse_row::<N, false>(left, right, (r, j), &terms, from);
                room.sums[(g * BLOCK + r) * width + j..][..N].copy_from_slice(&sums);
            }
        }
        N
    }

    /// Computes the later layers and the class probabilities for draw `g` of the group.
    fn other_layers(&self, mask: &Mask, g: usize, rows: usize, room: &mut Room, out: &mut [f32]) {
        let mut width = vectors(self.layers[0].block.outputs);
        let [values, next] = &mut room.hidden;
        values[..rows * width].copy_from_slice(&room.sums[g * BLOCK * width..][..rows * width]);
        for (layer, factors) in self.layers[1..].iter().zip(&mask.factors) {
            for row in values.chunks_exact_mut(width).take(rows) {
                row.iter_mut().zip(factors).for_each(|(value, factor)| *value = value.relu() * *factor);
            }
            let left = Rectified { values, stride: width };
            width = vectors(layer.block.outputs);
            let right = Right { values: &layer.weights, stride: width };
            let target = Target { out: next, stride: width, rows, width };
            room.pattern.product(left, right, layer.block.inputs, Some(&layer.biases), target, |sum, _| sum);
            std::mem::swap(values, next);
        }
        probabilities(&floats(values)[..rows * width * LANES], width * LANES, &mut room.columns, out);
    }
}

/// Returns whether the sums of a draw start with all terms and subtract those that are dropped.
fn takes_away(rate: f32) -> bool {
    rate <= 0.5
}

#[cfg(test)]
mod tests {
    use crate::predict::outputs;
    use crate::{FirstBiases, Front, Image, Stage};
    use jointly_sdk::{Rng, softmax};

    use super::*;

    /// Tolerance between probabilities from shared sums and from the thinned network, both in single precision.
    const TOLERANCE: f32 = 1e-5;

    fn networks() -> Vec<Network> {
        let mut rng = Rng::new(2, 0);
        let image = Image { height: 8, width: 9, channels: 1 };
        let stages = [Stage::Convolution { filters: 9, kernel: 3 }, Stage::Pooling { size: 2 }];
        vec![
            Network::new(&[70, 3], FirstBiases::Normal, &mut rng),
            Network::new(&[130, 110, 20, 5], FirstBiases::Normal, &mut rng),
            Network::convolutional(Front::new(image, &stages).unwrap(), &[33], 4, &mut rng),
        ]
    }

    /// Returns the network that a draw's masks leave, with the factors multiplied into its weights.
    fn thinned(masked: &Masked, draw: u64) -> Network {
        let mask = masked.mask(draw);
        let mut network = masked.network.clone();
        let adds = !takes_away(masked.rates[0]);
        let first: Vec<f32> = (0..masked.layers[0].block.inputs)
            .map(|i| mask.selected[i / WORD] >> (i % WORD) & 1 == u64::from(adds))
            .map(|kept| if kept { 1.0 / (1.0 - masked.rates[0]) } else { 0.0 })
            .collect();
        network.scale_inputs(0, &first);
        for (l, factors) in mask.factors.iter().enumerate() {
            network.scale_inputs(l + 1, &floats(factors)[..masked.layers[l + 1].block.inputs]);
        }
        network
    }

    #[test]
    fn draws_that_share_are_the_thinned_networks() {
        for (network, rate) in networks().into_iter().flat_map(|network| [0.0, 0.2, 0.8].map(|p| (network.clone(), p)))
        {
            let mut rng = Rng::new(3, 1);
            let dense = network.blocks().len() - network.convolutions();
            let (dim, classes) = (network.inputs(), network.outputs());
            let mut rates = vec![rate; dense];
            rates[dense - 1] = 0.3;
            let masked = Masked::new(network, &rates, 5);
            let rows = BLOCK + 7;
            let values: Vec<f32> = (0..rows * dim).map(|_| rng.normal().max(-0.2) + 0.2).collect();
            let read = Matrix::new(rows, dim, values.clone()).unwrap();
            let draws: Vec<u64> = (0..GROUP as u64 + 3).map(|draw| draw * 1_000_003).collect();
            let mut found = vec![f32::NAN; draws.len() * rows * classes];
            masked.probs(&read, &draws, &mut found);
            for (draw, found) in draws.iter().zip(found.chunks(rows * classes)) {
                let mut expected = outputs(&thinned(&masked, *draw), &values);
                expected.chunks_mut(classes).for_each(softmax);
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < TOLERANCE, "{found} {expected} at rate {rate}");
                }
            }
            assert!(masked.drops());
        }
    }

    #[test]
    fn numbers_are_dropped_as_often_as_they_should_be() {
        let network = Network::new(&[1000, 500, 2], FirstBiases::Zero, &mut Rng::new(1, 0));
        let masked = Masked::new(network, &[0.3, 0.7], 5);
        let masks: Vec<Mask> = (0..40).map(|draw| masked.mask(draw)).collect();
        let dropped: u32 = masks.iter().flat_map(|mask| &mask.selected).map(|word| word.count_ones()).sum();
        // Five standard errors.
        assert!((dropped as f32 / 40_000.0 - 0.3).abs() < 5.0 * (0.21f32 / 40_000.0).sqrt(), "{dropped}");
        let factors = masks.iter().flat_map(|mask| &floats(&mask.factors[0])[..500]);
        let kept = factors.filter(|factor| **factor == 1.0 / (1.0 - 0.7f32)).count();
        assert!((kept as f32 / 20_000.0 - 0.3).abs() < 5.0 * (0.21f32 / 20_000.0).sqrt(), "{kept}");
    }

    #[test]
    fn what_is_not_finite_is_not_hidden() {
        let network = networks().swap_remove(1);
        let masked = Masked::new(network, &[0.1, 0.1, 0.1], 5);
        let mut values = vec![0.5; 2 * 130];
        values[3] = f32::NAN;
        let mut out = vec![0.0; 4 * 5];
        masked.probs(&Matrix::new(2, 130, values).unwrap(), &[0, 1], &mut out);
        assert!(out.chunks(10).all(|draw| draw[..5].iter().all(|p| p.is_nan()) && draw[5..].iter().all(|p| *p > 0.0)));
    }
}
