//! A distribution given by some of its quantiles.

use jointly_nets::Network;
use jointly_nets::layout::layout;
use jointly_nets::quantile::normal_within;
use jointly_nets::simd::floats_mut;

/// The levels 1 / (2 K), 3 / (2 K), ..., 1 - 1 / (2 K).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knots(usize);

impl Knots {
    pub(crate) fn new(levels: usize) -> Self {
        Self(levels)
    }

    pub(crate) fn len(self) -> usize {
        self.0
    }

    /// Returns all levels, ascending.
    pub(crate) fn levels(self) -> Vec<f32> {
        (0..self.0).map(|k| self.level(k) as f32).collect()
    }

    fn level(self, k: usize) -> f64 {
        (k as f64 + 0.5) / self.0 as f64
    }

    /// Initialises the outputs' biases to the quantiles of a standard normal distribution, which the standardised
    /// targets have approximately.
    pub(crate) fn start(self, network: &mut Network, widths: &[usize]) {
        let blocks = layout(widths);
        let parameters = floats_mut(&mut network.parameters);
        for (k, at) in blocks[blocks.len() - 1].biases().enumerate() {
            parameters[at] = normal(self.level(k)) as f32;
        }
    }

    /// Returns the quantile at a level between 0 and 1, from the ascending quantiles at the knots.
    ///
    /// # Formula
    ///
    /// Between knots it is linear. Beyond an outermost knot, at level p_1, with m the median, it is
    /// m + (q_1 - m) z(p) / z(p_1).
    pub(crate) fn quantile(self, quantiles: &[f64], level: f64) -> f64 {
        let last = self.0 - 1;
        let place = level * self.0 as f64 - 0.5;
        if place < 0.0 || place > last as f64 {
            let outermost = if place < 0.0 { 0 } else { last };
            let median = self.quantile(quantiles, 0.5);
            return median + (quantiles[outermost] - median) * normal(level) / normal(self.level(outermost));
        }
        let k = (place as usize).min(last - 1);
        let share = place - k as f64;
        quantiles[k] + share * (quantiles[k + 1] - quantiles[k])
    }

    /// Returns the mean and standard deviation of the distribution with mass 1 / K at each of the K quantiles.
    pub(crate) fn moments(self, quantiles: &[f64]) -> (f64, f64) {
        let count = self.0 as f64;
        let mean = quantiles.iter().sum::<f64>() / count;
        let variance = quantiles.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt())
    }
}

/// Returns the standard normal quantile at a level between 0 and 1.
fn normal(level: f64) -> f64 {
    let within = (2.0 * level - 1.0).abs();
    // Clamps to the largest level below one that an `f64` can hold.
    let z = normal_within(within.min(1.0 - f64::EPSILON));
    if level < 0.5 { -z } else { z }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn quantiles_by_hand() {
        let knots = Knots::new(4);
        assert_eq!(knots.levels(), [0.125, 0.375, 0.625, 0.875]);
        let at = |level| knots.quantile(&[0.0, 1.0, 3.0, 7.0], level);
        for (level, expected) in [(0.125, 0.0), (0.25, 0.5), (0.5, 2.0), (0.625, 3.0), (0.75, 5.0), (0.875, 7.0)] {
            assert!((at(level) - expected).abs() < TOLERANCE, "{level}");
        }
        let (mean, deviation) = knots.moments(&[0.0, 1.0, 3.0, 8.0]);
        assert!((mean - 3.0).abs() < TOLERANCE && (deviation - (38.0f64 / 4.0).sqrt()).abs() < TOLERANCE);
    }

    #[test]
    fn a_normal_laws_tails_are_its_own() {
        let knots = Knots::new(50);
        let quantiles: Vec<f64> = (0..50).map(|k| 1.0 + 2.0 * normal(knots.level(k))).collect();
        for level in [1e-6, 0.001, 0.005, 0.995, 0.9999] {
            let expected = 1.0 + 2.0 * normal(level);
            assert!((knots.quantile(&quantiles, level) - expected).abs() < 1e-6, "{level}");
        }
        let ascending: Vec<f64> = (1..1000).map(|p| knots.quantile(&quantiles, f64::from(p) / 1000.0)).collect();
        assert!(ascending.is_sorted());
        // The moments omit the tails beyond the outermost levels.
        let (mean, deviation) = knots.moments(&quantiles);
        assert!((mean - 1.0).abs() < TOLERANCE && (1.95..2.0).contains(&deviation), "{deviation}");
    }
}
