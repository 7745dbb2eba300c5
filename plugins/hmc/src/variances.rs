//! The variances of noise and weights, learnt alongside the chains.

use jointly_nets::adam::Adam;
use jointly_nets::simd::{Lanes, floats, floats_mut};

use crate::chain::Chain;
use crate::posterior::{Posterior, Scales};

/// Bounds of the logarithms of the standard deviations: of the noise, in units of the targets' standard deviation,
/// and of a weight.
const LEAST_NOISE: f64 = -6.0;
const MOST_NOISE: f64 = 2.0;
const MOST_WEIGHT: f64 = 5.0;

/// Maximises the joint likelihood of targets and weights, averaged over the states of the chains.
///
/// # Formula
///
/// The negative log-likelihood is N ln s + S / (2 s^2) + P ln r + |w|^2 / (2 r^2), with N examples, P weights, s and
/// r the standard deviations of noise and weights, and S the sum of squared errors. Adam moves ln s and ln r against
/// the mean over chains of the derivatives N - S / s^2 and P - |w|^2 / r^2: the maximisation step of Monte Carlo
/// expectation-maximisation, one Adam step at a time.
#[derive(Debug)]
pub(crate) struct Variances {
    scales: Scales,
    adam: Adam,
    learn_noise: bool,
}

impl Variances {
    /// Creates variances that start at `scales` and move by steps of about `rate`.
    pub(crate) fn new(scales: Scales, learn_noise: bool, rate: f32) -> Self {
        Self { scales, adam: Adam::new(1, rate), learn_noise }
    }

    /// Returns the logarithms of the standard deviations.
    pub(crate) fn scales(&self) -> Scales {
        self.scales
    }

    /// Takes one step of Adam; the weights' standard deviation moves only if `learn_prior` is set.
    pub(crate) fn learn(&mut self, posterior: &Posterior, chains: &[Chain], learn_prior: bool) {
        let (noise, weight) = self.scales.precisions();
        let share = 1.0 / chains.len() as f64;
        let squares: f64 = chains.iter().map(|chain| share * chain.place.squares).sum();
        let norm: f64 = chains.iter().map(|chain| share * chain.place.norm).sum();
        let (examples, parameters) = (posterior.examples() as f64, posterior.parameters() as f64);
        let mut at = [Lanes::splat(0.0)];
        let mut gradient = [Lanes::splat(0.0)];
        let by_noise = if self.learn_noise { 1.0 - noise * squares / examples } else { 0.0 };
        let by_weight = if learn_prior { 1.0 - weight * norm / parameters } else { 0.0 };
        floats_mut(&mut gradient)[..2].copy_from_slice(&[by_noise as f32, by_weight as f32]);
        self.adam.update(&mut at, &gradient, 0.0);
        let moved = floats(&at);
        // A standard deviation that the task or the settings fix stays unchanged, even outside the bounds.
        if self.learn_noise {
            self.scales.log_noise = (self.scales.log_noise + f64::from(moved[0])).clamp(LEAST_NOISE, MOST_NOISE);
        }
        if learn_prior {
            self.scales.log_weight = (self.scales.log_weight + f64::from(moved[1])).clamp(-MOST_WEIGHT, MOST_WEIGHT);
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::points::Points;
    use jointly_sdk::{Matrix, RegressionTask, Rng, Targets};

    use super::*;

    #[test]
    fn what_is_learnt_keeps_its_bounds_and_what_is_told_stays() {
        let data = Targets { inputs: Matrix::new(3, 1, vec![-1.0, 0.0, 1.0]).unwrap(), targets: vec![0.5, 0.0, -0.5] };
        let points = Points::new(&RegressionTask { input_dim: 1, noise_std: None }, &data).unwrap();
        let mut posterior = Posterior::new(&[1, 3, 1], &points);
        // Both are beyond the learnt range: a noise of 1e-4 and weights of 1000.
        let far = Scales { log_noise: libm::log(1e-4), log_weight: libm::log(1e3) };
        let chains = [Chain::new(&mut posterior, far, 0.01, Rng::new(1, 0))];
        for (learn_noise, learn_prior) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut variances = Variances::new(far, learn_noise, 0.01);
            variances.learn(&posterior, &chains, learn_prior);
            let found = variances.scales();
            assert_eq!(found.log_noise, if learn_noise { LEAST_NOISE } else { far.log_noise });
            assert_eq!(found.log_weight, if learn_prior { MOST_WEIGHT } else { far.log_weight });
        }
    }
}
