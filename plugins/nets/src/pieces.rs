//! The second layer of a network with at most two inputs. It is affine on each piece into which the kinks of the first
//! layer cut the plane.

use crate::activation::Activation;
use crate::layout::stride;
use crate::network::Network;
use crate::simd::{Integers, LANES, Lanes, SIGNS, WORD, floats, floats_mut, signs};

/// The largest number of inputs.
pub const MAX_INPUTS: usize = 2;

/// Coefficients of an affine function: a constant, and a slope for each input.
const COEFFICIENTS: usize = MAX_INPUTS + 1;

/// Vectors that one iteration of an unrolled loop computes, to save loop overhead.
const UNROLLED: usize = 4;

/// A sum has an absolute value below 2^29; one more bit is spare for what rounding adds.
const BITS: i32 = 29;

/// The largest absolute exponent of sums and weights for which no intermediate result leaves the range of `f32`.
const MAX_EXPONENT: i32 = 40;

/// Computes the values of the second layer incrementally. The bits of a row do not depend on the rows before it.
///
/// # Formula
///
/// With w_ki and b_k the weights and biases of the first layer and v_kj and c_j those of the second, unit j of the
/// second layer before rectification is c_j + sum_k [k is active] v_kj (b_k + sum_i w_ki x_i). Its constant and its
/// slopes are sums over the active units of v_kj b_k and v_kj w_ki. From one row to the next few units turn on or off,
/// and only their terms are added or subtracted. Sums of integers do not depend on the order of their terms, so the
/// terms are truncated to integer multiples of a power of two, chosen such that every sum is below 2^30.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The biases of the first layer and the weights of each input, in groups of sixteen units.
    lines: Vec<[[Lanes; COEFFICIENTS]; SIGNS]>,
    /// One bit for each unit of the first layer.
    units: u64,
    /// Vectors that hold one coefficient of all units of the second layer.
    width: usize,
    /// The terms that each unit of the first layer adds to the sums.
    terms: Vec<Integers>,
    /// The sums over the active units: the coefficients of each vector of the second layer.
    sums: Vec<Integers>,
    active: u64,
    /// The network whose layers above the second have weights in units of the integers.
    above: Network,
}

impl Pieces {
    /// Prepares the second layer of the network. Returns `None` if the network has convolutions in front or units that
    /// are not rectified, more than two inputs, fewer than two hidden layers, more than 64 units in the first layer, or
    /// parameters that are not finite or of extreme size.
    pub fn new(network: &Network) -> Option<Self> {
        let (dim, depth) = (network.inputs(), network.depth());
        let rectified = network.activation() == Activation::Relu;
        if network.front().is_some() || !rectified || dim > MAX_INPUTS || depth < 3 || network.width(0) > WORD {
            return None;
        }
        let zero = Lanes::splat(0.0);
        let first: Vec<&[Lanes]> = network.rows(0).collect();
        let second: Vec<&[Lanes]> = network.rows(1).collect();
        let (biases, weights) = (first[dim], &first[..dim]);
        let mut lines = vec![[[zero; COEFFICIENTS]; SIGNS]; biases.len().div_ceil(SIGNS)];
        for (v, bias) in biases.iter().enumerate() {
            let line = &mut lines[v / SIGNS][v % SIGNS];
            line[0] = *bias;
            line[1..].iter_mut().zip(weights).for_each(|(line, weights)| *line = weights[v]);
        }
        let scale = scale(&first, &second)?;

        let units = network.width(0);
        let width = second[0].len();
        let mut terms = vec![Integers::splat(0); units * width * COEFFICIENTS];
        for (k, (row, terms)) in second.iter().zip(terms.chunks_exact_mut(width * COEFFICIENTS)).enumerate() {
            let v = k / LANES;
            let line = lines[v / SIGNS][v % SIGNS].map(|line| Lanes::splat(line.to_array()[k % LANES] * scale));
            for (terms, weight) in terms.as_chunks_mut::<COEFFICIENTS>().0.iter_mut().zip(*row) {
                *terms = line.map(|line| Integers::truncate(line * *weight));
            }
        }
        let nothing = Integers::splat(0);
        let constants = second[units].iter().map(|bias| Integers::truncate(*bias * Lanes::splat(scale)));
        let sums = constants.flat_map(|constant| [constant, nothing, nothing]).collect();
        let mut above = network.clone();
        above.scale_weights(2, 1.0 / scale);
        Some(Self { lines, units: u64::MAX >> (WORD - units), width, terms, sums, active: 0, above })
    }

    /// The network whose layers above the second fit the values that [`fill`](Self::fill) writes.
    pub fn above(&self) -> &Network {
        &self.above
    }

    /// Writes the rectified values of the second layer at each point, [`stride`] of its width vectors per point, in the
    /// integers' units that [`above`](Self::above) expects.
    pub fn fill(&mut self, points: &[[f32; MAX_INPUTS]], out: &mut [Lanes]) {
        let width = self.above.width(1);
        let stride = stride(width);
        // Find all patterns first: the processor then knows early which units change at each point.
        let patterns: Vec<u64> = points.iter().map(|point| self.find(point.map(Lanes::splat))).collect();
        for ((point, pattern), row) in points.iter().zip(patterns).zip(out.chunks_exact_mut(stride)) {
            let [x, y] = point.map(Lanes::splat);
            self.go(pattern);
            let value = |[constant, slope_x, slope_y]: [Integers; COEFFICIENTS]| {
                slope_y.to_lanes().mul_add(y, slope_x.to_lanes().mul_add(x, constant.to_lanes())).relu()
            };
            let (sums, _) = self.sums.as_chunks::<COEFFICIENTS>();
            let (sums, sums_rest) = sums.as_chunks::<UNROLLED>();
            let (out, out_rest) = row[..self.width].as_chunks_mut::<UNROLLED>();
            for (out, sums) in out.iter_mut().zip(sums) {
                for (out, sums) in out.iter_mut().zip(sums) {
                    *out = value(*sums);
                }
            }
            out_rest.iter_mut().zip(sums_rest).for_each(|(out, sums)| *out = value(*sums));
            floats_mut(row)[width] = 1.0;
        }
    }

    /// Returns the units of the first layer that are active at a point, one bit each.
    fn find(&self, [x, y]: [Lanes; MAX_INPUTS]) -> u64 {
        let mut inactive = [0; WORD / 16];
        for (inactive, lines) in inactive.iter_mut().zip(&self.lines) {
            *inactive = signs(lines.map(|[bias, slope_x, slope_y]| slope_y.mul_add(y, slope_x.mul_add(x, bias))));
        }
        let inactive = inactive.iter().rev().fold(0, |bits, part| bits << 16 | *part);
        !inactive & self.units
    }

    /// Updates the sums to the piece on which exactly these units are active.
    fn go(&mut self, active: u64) {
        let mut changed = self.active ^ active;
        self.active = active;
        let len = self.sums.len();
        while changed != 0 {
            let unit = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let minus = Integers::splat((active >> unit & 1) as i32 - 1);
            let add = |sum: &mut Integers, term: &Integers| *sum = sum.add_signed(*term, minus);
            let (sums, sums_rest) = self.sums.as_chunks_mut::<{ UNROLLED * COEFFICIENTS }>();
            let (terms, terms_rest) = self.terms[unit * len..][..len].as_chunks::<{ UNROLLED * COEFFICIENTS }>();
            for (sums, terms) in sums.iter_mut().zip(terms) {
                for (sum, term) in sums.iter_mut().zip(terms) {
                    add(sum, term);
                }
            }
            sums_rest.iter_mut().zip(terms_rest).for_each(|(sum, term)| add(sum, term));
        }
    }
}

/// Returns the largest power of two that keeps every sum below 2^29, or `None` if a sum or a weight is not finite or is
/// of extreme size.
fn scale(first: &[&[Lanes]], second: &[&[Lanes]]) -> Option<f32> {
    let greatest = |numbers: &[Lanes]| floats(numbers).iter().fold(0.0, |max: f32, value| max.max(value.abs()));
    let steepest = first.iter().map(|row| greatest(row)).fold(0.0, f32::max);
    let (biases, weights) = second.split_last()?;
    let mut totals = vec![Lanes::splat(0.0); biases.len()];
    for row in weights {
        totals.iter_mut().zip(*row).for_each(|(total, weight)| *total = *total + weight.abs());
    }
    // A weight of the second layer that is not finite makes its total not finite.
    let are_finite = |numbers: &[Lanes]| floats(numbers).iter().all(|value| value.is_finite());
    if !(first.iter().all(|row| are_finite(row)) && are_finite(biases) && are_finite(&totals)) {
        return None;
    }
    let reach = greatest(&totals) * steepest + greatest(biases);
    let exponent = |value: f32| (value.to_bits() >> 23) as i32 - 127;
    let is_ordinary = |value: f32| (-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent(value));
    // Builds a power of two from its bits.
    let scale = || f32::from_bits(((127 + BITS - 1 - exponent(reach)) as u32) << 23);
    if reach == 0.0 {
        // All sums are zero in any unit.
        return Some(1.0);
    }
    (is_ordinary(reach) && (is_ordinary(steepest) || steepest == 0.0)).then(scale)
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;
    use crate::network::{FirstBiases, Values};

    /// Tolerance for a logit of order one after two layers.
    const TOLERANCE: f32 = 2e-5;

    const WIDTHS: [&[usize]; 4] = [&[2, 50, 50, 2], &[1, 7, 13, 3], &[2, 64, 20, 5, 3], &[2, 1, 1, 6]];

    fn points(dim: usize, rows: usize) -> Vec<[f32; MAX_INPUTS]> {
        let mut rng = Rng::new(4, dim as u64);
        (0..rows).map(|_| [rng.normal(), if dim == 2 { rng.normal() } else { 0.0 }]).collect()
    }

    fn network(widths: &[usize]) -> Network {
        Network::new(widths, FirstBiases::Normal, &mut Rng::new(6, widths.len() as u64))
    }

    /// Returns the outputs computed by [`Pieces`], without padding.
    fn outputs(network: &Network, pieces: &mut Pieces, points: &[[f32; MAX_INPUTS]]) -> Vec<f32> {
        let mut values = Values::new(network, points.len());
        pieces.fill(points, values.layer(1));
        pieces.above().forward_from(2, &[], 0, points.len(), &mut values);
        unpadded(network, &mut values)
    }

    fn unpadded(network: &Network, values: &mut Values) -> Vec<f32> {
        let classes = network.outputs();
        let rows = values.outputs().chunks_exact(stride(classes) * LANES);
        rows.flat_map(|row| row[..classes].to_vec()).collect()
    }

    #[test]
    fn agrees_with_layer_after_layer() {
        for widths in WIDTHS {
            let network = network(widths);
            let points = points(widths[0], 300);
            let found = outputs(&network, &mut Pieces::new(&network).unwrap(), &points);
            let inputs: Vec<f32> = points.iter().flat_map(|point| point[..widths[0]].to_vec()).collect();
            let mut values = Values::new(&network, points.len());
            network.forward(&inputs, widths[0], points.len(), &mut values);
            for (found, expected) in found.into_iter().zip(unpadded(&network, &mut values)) {
                assert!(
                    (found - expected).abs() < TOLERANCE * (1.0 + expected.abs()),
                    "{widths:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_point_has_the_same_bits_wherever_it_comes_from() {
        for widths in WIDTHS {
            let network = network(widths);
            let points = points(widths[0], 40);
            let together = outputs(&network, &mut Pieces::new(&network).unwrap(), &points);
            let mut backwards = Pieces::new(&network).unwrap();
            for (point, together) in points.iter().zip(together.chunks(network.outputs())).rev() {
                assert_eq!(outputs(&network, &mut Pieces::new(&network).unwrap(), &[*point]), together);
                assert_eq!(outputs(&network, &mut backwards, &[*point]), together);
            }
        }
    }

    #[test]
    fn parameters_of_any_ordinary_size_keep_their_precision() {
        let points = points(2, 50);
        let expected = outputs(&network(WIDTHS[0]), &mut Pieces::new(&network(WIDTHS[0])).unwrap(), &points);
        // Scale the first layer by the inverse of a power of two and the second layer by that power.
        for exponent in [-30, -7, 13, 30] {
            let factor = 2f32.powi(exponent);
            let mut network = network(WIDTHS[0]).scaled(1.0 / factor);
            network.scale_weights(1, factor);
            let found = outputs(&network, &mut Pieces::new(&network).unwrap(), &points);
            assert_eq!(found, expected, "{exponent}");
        }
    }

    #[test]
    fn other_networks_are_refused() {
        for widths in [&[3, 5, 5, 2][..], &[2, 5, 2], &[2, 65, 5, 2]] {
            assert!(Pieces::new(&network(widths)).is_none(), "{widths:?}");
        }
        for parameter in [f32::NAN, f32::INFINITY, 1e30] {
            let mut network = network(WIDTHS[0]);
            network.scale_weights(1, parameter);
            assert!(Pieces::new(&network).is_none(), "{parameter}");
            for at in [0, 3, 200] {
                let mut network = self::network(WIDTHS[0]);
                floats_mut(&mut network.parameters)[at] = parameter;
                assert!(Pieces::new(&network).is_none(), "{parameter} at {at}");
            }
        }
    }

    #[test]
    fn layers_of_zeros_are_taken() {
        let points = points(2, 30);
        let inputs: Vec<f32> = points.concat();
        for (l, place) in [(0, "first"), (1, "second")] {
            let mut network = network(WIDTHS[0]);
            network.scale_weights(l, 0.0);
            let found = outputs(&network, &mut Pieces::new(&network).expect(place), &points);
            let mut values = Values::new(&network, points.len());
            network.forward(&inputs, 2, points.len(), &mut values);
            for (found, expected) in found.into_iter().zip(unpadded(&network, &mut values)) {
                assert!((found - expected).abs() < TOLERANCE, "{place}: {found} {expected}");
            }
        }
        let mut nothing = network(WIDTHS[0]);
        floats_mut(&mut nothing.parameters).fill(0.0);
        assert!(outputs(&nothing, &mut Pieces::new(&nothing).unwrap(), &points).iter().all(|value| *value == 0.0));
    }

    #[test]
    fn what_is_not_finite_stays_so() {
        let network = network(WIDTHS[0]);
        let found = outputs(&network, &mut Pieces::new(&network).unwrap(), &[[f32::NAN, 0.0], [0.5, 0.5]]);
        assert!(found[0].is_nan() && found[1].is_nan() && found[2].is_finite());
    }
}
