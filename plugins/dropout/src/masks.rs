//! The dropout masks of a draw, and the thinned network.

use jointly_nets::Network;
use jointly_nets::simd::{LANES, floats_mut, vectors};
use jointly_sdk::Rng;

/// The probabilities with which units are dropped.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    /// The rate of the hidden layers' units.
    pub(crate) hidden: f32,
    /// The rate of the inputs.
    pub(crate) input: f32,
}

/// For each layer, the inputs first, which units are kept; outputs are always kept and have no mask.
#[derive(Clone, Debug)]
pub(crate) struct Masks {
    layers: Vec<Vec<bool>>,
}

impl Masks {
    /// Draws masks for a network with these widths; each unit is kept with probability 1 - rate.
    pub(crate) fn draw(widths: &[usize], rates: &Rates, rng: &mut Rng) -> Self {
        let draw = |(l, width): (usize, &usize)| {
            let rate = if l == 0 { rates.input } else { rates.hidden };
            (0..*width).map(|_| rate == 0.0 || rng.uniform() >= rate).collect()
        };
        Self { layers: widths[..widths.len() - 1].iter().enumerate().map(draw).collect() }
    }

    /// Returns which units of hidden layer `l`, counted from 1, are kept.
    pub(crate) fn hidden(&self, l: usize) -> &[bool] {
        &self.layers[l]
    }

    /// Returns the network without the dropped units, with the weights of the kept units scaled up.
    ///
    /// # Formula
    ///
    /// A unit's value h becomes m h / (1 - p), where m is 0 with probability p and 1 otherwise. A rectified unit is
    /// positively homogeneous, so the factor can be applied to all weights that lead to the unit.
    pub(crate) fn thin(&self, network: &Network, widths: &[usize], rates: &Rates) -> Network {
        let mut thinned = network.clone();
        let mut rest = floats_mut(&mut thinned.parameters);
        for (l, pair) in widths.windows(2).enumerate() {
            let stride = vectors(pair[1]) * LANES;
            let (layer, after) = rest.split_at_mut((pair[0] + 1) * stride);
            rest = after;
            for (i, row) in layer.chunks_exact_mut(stride).enumerate() {
                let of_input = if l == 0 && i < pair[0] { factor(self.layers[0][i], rates.input) } else { 1.0 };
                for (j, value) in row[..pair[1]].iter_mut().enumerate() {
                    let of_unit = self.layers.get(l + 1).map_or(1.0, |kept| factor(kept[j], rates.hidden));
                    *value *= of_input * of_unit;
                }
            }
        }
        thinned
    }
}

/// Returns the factor of a unit's value, which preserves its expectation.
pub(crate) fn factor(kept: bool, rate: f32) -> f32 {
    if kept { 1.0 / (1.0 - rate) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_dropped_as_often_as_the_rates_say() {
        const DRAWS: usize = 2000;
        let (widths, rates) = ([3, 10, 20, 2], Rates { hidden: 0.3, input: 0.1 });
        let mut kept = [[0.0; 20]; 3];
        let mut together = 0.0;
        for draw in 0..DRAWS as u64 {
            let masks = Masks::draw(&widths, &rates, &mut Rng::new(1, draw));
            for (layer, kept) in masks.layers.iter().zip(&mut kept) {
                layer.iter().zip(kept).for_each(|(is, kept)| *kept += f64::from(u8::from(*is)));
            }
            together += f64::from(u8::from(masks.hidden(1)[0] && masks.hidden(2)[0]));
        }
        // Five standard errors.
        let close = |count: f64, p: f64| (count / DRAWS as f64 - p).abs() < 5.0 * (p * (1.0 - p) / DRAWS as f64).sqrt();
        assert!(kept[0][..3].iter().all(|count| close(*count, 0.9)), "{kept:?}");
        assert!(kept[1][..10].iter().chain(&kept[2]).all(|count| close(*count, 0.7)), "{kept:?}");
        assert!(close(together, 0.49), "{together}");
    }

    #[test]
    fn without_a_rate_nothing_is_dropped() {
        let masks = Masks::draw(&[4, 5, 2], &Rates { hidden: 0.0, input: 0.0 }, &mut Rng::new(0, 0));
        assert!(masks.layers.iter().flatten().all(|kept| *kept));
    }
}
