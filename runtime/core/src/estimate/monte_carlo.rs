//! Algorithm 3: the likelihood of the labels averaged over sampled functions.

use super::bracket::Bracket;
use super::jackknife::correction;
use super::joint_estimate::JointEstimate;
use super::likelihood::{log_sum_exp, relative, relative_variance};

/// Monte Carlo estimate of one tau-sample's joint log-likelihood under an agent's posterior.
///
/// # Formula
/// log (1/M) sum over m of exp(`v_m`), in nats, where `v_m` is the [joint log-likelihood](super::joint_log_likelihood)
/// of the labels under function m; -inf if every `v_m` is. Functions are sorted by their value and equal values merged
/// before they are added, so the estimate depends only on how often each value occurs.
///
/// It is unbiased for the likelihood, but needs a number of draws that is exponential in tau, so it is meant for tau up
/// to about
/// 10. Osband et al., "The Neural Testbed", algorithm 3.
#[derive(Clone, Debug, Default)]
pub struct MonteCarlo {
    functions: Vec<(f64, u64)>,
}

impl MonteCarlo {
    /// Makes an estimate without draws.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function that `count` draws name, under which the labels have this log-likelihood.
    pub fn add(&mut self, log_likelihood: f64, count: u64) {
        self.functions.push((log_likelihood, count));
    }

    /// Returns the estimate with the bias of its logarithm corrected by the jackknife over draws.
    ///
    /// # Formula
    /// M v - (M - 1) (1/M) sum over m of `v_{-m}`, where v is the plain estimate and `v_{-m}` the estimate without draw
    /// m. It removes the part of the bias that falls as 1/M, about -V / 2M with the relative
    /// [variance](JointEstimate::variance) V, at the cost of a little more spread. Weights and variance are those of the
    /// plain estimate. Quenouille, "Notes on bias in estimation" (1956); for the logarithm of a likelihood, Nowozin,
    /// "Debiasing evidence approximations" (2018).
    ///
    /// The draws must be independent: draws that name each member of an ensemble equally often have no bias to correct.
    ///
    /// It is the plain estimate where no correction can be computed: with one draw, and if only one draw gives the labels
    /// a positive probability, because nothing is left without that draw.
    pub fn finish_jackknife(self) -> JointEstimate {
        let (values, plain) = self.estimate();
        JointEstimate { log_likelihood: plain.log_likelihood + correction(&values, plain.log_likelihood), ..plain }
    }

    /// Returns a confidence interval for the labels' log-likelihood under the posterior. Its upper end is infinite with
    /// fewer than `min_effective_draws`; [`MIN_EFFECTIVE_DRAWS`](super::MIN_EFFECTIVE_DRAWS) is the number that
    /// experiments support.
    pub fn bracket(&self, min_effective_draws: f64) -> Bracket {
        Bracket::of(&distinct(self.functions.clone()), min_effective_draws)
    }

    /// Returns the estimate. The weight of function m is exp(`v_m`) divided by the mean of exp(`v_m`) over draws.
    pub fn finish(self) -> JointEstimate {
        self.estimate().1
    }

    /// Returns the distinct values with their numbers of draws, and the estimate.
    fn estimate(&self) -> (Vec<(f64, u64)>, JointEstimate) {
        let values = distinct(self.functions.clone());
        let draws = values.iter().map(|value| value.1).sum::<u64>() as f64;
        let shares = || values.iter().map(|&(value, count)| (value, count as f64 / draws));
        let log_likelihood = if values.is_empty() { f64::NAN } else { log_sum_exp(shares()) };
        let weights = self.functions.iter().map(|&(value, _)| relative(value, log_likelihood)).collect();
        let variance = relative_variance(shares(), log_likelihood);
        (values, JointEstimate { log_likelihood, weights, variance })
    }
}

/// Returns the values in ascending order, with equal ones merged.
fn distinct(mut functions: Vec<(f64, u64)>) -> Vec<(f64, u64)> {
    functions.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    functions.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        kept.1 += if equal { next.1 } else { 0 };
        equal
    });
    functions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Tolerance for a few roundings of a number near 1.
    const ROUNDING: f64 = 1e-14;

    fn estimate(values: &[f64]) -> f64 {
        let mut estimate = MonteCarlo::new();
        for &value in values {
            estimate.add(value, 1);
        }
        estimate.finish().log_likelihood
    }

    #[test]
    fn one_certain_function_among_n_impossible_ones_has_likelihood_one_nth() {
        for n in [1, 2, 10, 1000] {
            let mut values = vec![f64::NEG_INFINITY; n];
            values[n / 2] = 0.0;
            assert_eq!(estimate(&values), libm::log(1.0 / n as f64));
        }
    }

    #[test]
    fn where_every_function_is_impossible_so_are_the_labels() {
        assert_eq!(estimate(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
    }

    #[test]
    fn functions_that_agree_have_the_likelihood_that_each_has() {
        for value in [0.0, -0.3, -1e5] {
            assert_eq!(estimate(&[value; 7]), value);
        }
    }

    #[test]
    fn without_draws_there_is_no_estimate() {
        assert!(estimate(&[]).is_nan());
    }

    #[test]
    fn likelihoods_far_below_the_smallest_float_are_averaged() {
        let expected = -5000.0 + libm::log(f64::midpoint(1.0, libm::exp(-1.0)));
        assert!((estimate(&[-5000.0, -5001.0]) / expected - 1.0).abs() < ROUNDING);
    }

    proptest! {
        #[test]
        fn repetition_and_order_do_not_change_a_bit(
            functions in prop::collection::vec((-300.0..0.0_f64, 1u64..5), 1..20),
        ) {
            let mut counted = MonteCarlo::new();
            for &(value, count) in functions.iter().rev() {
                counted.add(value, count);
            }
            let all: Vec<f64> =
                functions.iter().flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize)).collect();
            prop_assert_eq!(counted.finish().log_likelihood.to_bits(), estimate(&all).to_bits());
        }

        #[test]
        fn it_is_the_mean_of_the_likelihoods(values in prop::collection::vec(-30.0..0.0_f64, 1..20)) {
            let mean = values.iter().map(|value| value.exp()).sum::<f64>() / values.len() as f64;
            prop_assert!((estimate(&values).exp() / mean - 1.0).abs() < ROUNDING * 10.0);
        }
    }
}
