//! The ends of a confidence interval fail as rarely as they say: exactly on small cases, and by a seeded experiment.

use proptest::prelude::*;

use super::super::{MIN_EFFECTIVE_DRAWS, MonteCarlo};
use super::*;
use crate::{Stream, stream};

/// Tolerance for roundings of a few dozen numbers.
const ROUNDING: f64 = 1e-10;
/// Trials of the experiment with coins, and the numbers of inputs and draws of each.
const TRIALS: u64 = 1000;
const TAU: u32 = 30;
const DRAWS: usize = 300;

fn bracket(values: &[f64]) -> Bracket {
    let mut estimate = MonteCarlo::new();
    for &value in values {
        estimate.add(value, 1);
    }
    estimate.bracket(0.0)
}

/// Returns the probability of `ones` of `draws` if each is one with probability `p`.
fn binomial(draws: u32, ones: u32, p: f64) -> f64 {
    let choices = (0..ones).fold(1.0, |product, i| product * f64::from(draws - i) / f64::from(i + 1));
    choices * p.powi(ones as i32) * (1.0 - p).powi((draws - ones) as i32)
}

#[test]
fn the_capital_has_mean_one_where_the_bet_is_on_the_true_mean() {
    for (draws, p, values) in [(1, 0.5, [0.0, 1.0]), (5, 0.1, [0.2, 7.0]), (9, 0.9, [0.0, 3.0])] {
        let mean = (1.0 - p) * values[0] + p * values[1];
        let capital = |ones: u32| {
            let mut ratios = vec![(values[0] / mean, u64::from(draws - ones)), (values[1] / mean, u64::from(ones))];
            ratios.retain(|ratio| ratio.1 > 0);
            libm::exp(log_capital(&ratios, 1.0))
        };
        let expected: f64 = (0..=draws).map(|ones| binomial(draws, ones, p) * capital(ones)).sum();
        assert!((expected - 1.0).abs() < ROUNDING, "{draws} draws: {expected}");
    }
}

#[test]
fn likelihoods_of_two_values_are_missed_no_more_often_than_stated() {
    let [low, high] = [0.001, 0.8];
    let mut most = [0.0_f64; 3];
    for draws in [1, 2, 5, 20, 100] {
        for p in [0.001, 0.01, 0.1, 0.3, 0.7, 0.97] {
            let truth = libm::log((1.0 - p) * low + p * high);
            let mut failures = [0.0; 3];
            for ones in 0..=draws {
                let mut estimate = MonteCarlo::new();
                estimate.add(libm::log(low), u64::from(draws - ones));
                estimate.add(libm::log(high), u64::from(ones));
                let own =
                    if ones == 0 { bracket(&vec![libm::log(low); draws as usize]) } else { estimate.bracket(0.0) };
                let probability = binomial(draws, ones, p);
                failures[0] += if own.low > truth { probability } else { 0.0 };
                failures[1] += if own.limit < truth { probability } else { 0.0 };
                // The assumption of the upper end holds where the larger likelihood was drawn.
                failures[2] += if own.high < truth && ones > 0 { probability } else { 0.0 };
            }
            for (most, failures) in most.iter_mut().zip(failures) {
                assert!(failures <= RISK, "{draws} draws, {p}: {failures}");
                *most = most.max(failures);
            }
        }
    }
    // The ends are not so wide that they could never fail.
    assert!(most.iter().all(|&most| most > RISK / 20.0), "{most:?}");
}

/// Returns the log-likelihood of 30 tosses of a coin from Beta(2, 2) and its interval.
fn coin(source: &mut Stream) -> (f64, Bracket) {
    let mut bias = || {
        let mut deviates = [source.uniform(), source.uniform(), source.uniform()];
        deviates.sort_unstable_by(f64::total_cmp);
        deviates[1]
    };
    let truth = bias();
    let draws: Vec<f64> = (0..DRAWS).map(|_| bias()).collect();
    let heads = (0..TAU).filter(|_| source.uniform() < truth).count() as u32;
    let tails = TAU - heads;
    // B(2 + h, 2 + t) / B(2, 2), with integer arguments.
    let factorial = |n: u32| (1..=n).map(|i| libm::log(f64::from(i))).sum::<f64>();
    let log_likelihood = factorial(heads + 1) + factorial(tails + 1) - factorial(TAU + 3) + libm::log(6.0);
    let value = |p: &f64| f64::from(heads) * libm::log(*p) + f64::from(tails) * libm::log(1.0 - p);
    (log_likelihood, bracket(&draws.iter().map(value).collect::<Vec<f64>>()))
}

#[test]
fn the_likelihood_of_a_coin_is_in_the_interval() {
    let mut covered = 0;
    let mut width = 0.0;
    let mut third = 0;
    for trial in 0..TRIALS {
        let (truth, own) = coin(&mut stream(0, "bracket", "coin", trial));
        covered += u64::from(own.low <= truth && truth <= own.high && truth <= own.limit);
        width += own.high - own.low;
        // An interval of a third of the width misses what it should not.
        let [centre, reach] = [f64::midpoint(own.low, own.high), (own.high - own.low) / 6.0];
        third += u64::from((truth - centre).abs() <= reach);
    }
    assert!(covered * 100 >= TRIALS * 95, "{covered} of {TRIALS}");
    assert!(third * 100 < TRIALS * 95, "{third} of {TRIALS} in a third of the interval");
    assert!(width < TRIALS as f64, "mean width {}", width / TRIALS as f64);
}

#[test]
fn draws_that_agree_leave_the_width_of_what_they_cannot_exclude() {
    let own = bracket(&[-50.0; 1000]);
    let excluded = 7.0 / 1000.0;
    assert!((-50.0 - excluded..-50.0).contains(&own.low), "{own:?}");
    assert!((-50.0..-50.0 + excluded * (libm::exp(SLACK) - 1.0)).contains(&own.high), "{own:?}");
}

#[test]
fn no_draw_that_allows_the_labels_leaves_an_upper_end_of_six_draws() {
    for draws in [100, 1000, 10_000] {
        let own = bracket(&vec![f64::NEG_INFINITY; draws]);
        assert_eq!((own.low, own.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!((libm::exp(own.limit) * draws as f64 - 6.0).abs() < 0.5, "{own:?}");
    }
}

#[test]
fn few_effective_draws_have_no_upper_end_but_the_limit() {
    let mut values = vec![-60.0; 100];
    values[0] = -40.0;
    let mut estimate = MonteCarlo::new();
    for &value in &values {
        estimate.add(value, 1);
    }
    let own = estimate.bracket(MIN_EFFECTIVE_DRAWS);
    assert_eq!(own.high, f64::INFINITY);
    assert!(own.low < -45.0 && (-3.0..0.0).contains(&own.limit), "{own:?}");
    assert!(estimate.bracket(0.0).high < -40.0);
}

#[test]
fn certain_labels_are_at_most_certain() {
    let own = bracket(&[0.0; 50]);
    assert_eq!((own.high, own.limit), (0.0, 0.0));
}

#[test]
fn without_draws_there_is_no_interval() {
    let own = bracket(&[]);
    assert!(own.low.is_nan() && own.high.is_nan() && own.limit.is_nan());
}

proptest! {
    #[test]
    fn repetition_and_order_do_not_change_a_bit(
        functions in prop::collection::vec((-300.0..0.0_f64, 1u64..5), 1..40),
    ) {
        let mut counted = MonteCarlo::new();
        for &(value, count) in functions.iter().rev() {
            counted.add(value, count);
        }
        let all: Vec<f64> =
            functions.iter().flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize)).collect();
        prop_assert_eq!(counted.bracket(0.0), bracket(&all));
    }

    #[test]
    fn the_ends_are_in_order(values in prop::collection::vec(-100.0..0.0_f64, 1..40)) {
        let own = bracket(&values);
        let mut estimate = MonteCarlo::new();
        for &value in &values {
            estimate.add(value, 1);
        }
        let plain = estimate.finish().log_likelihood;
        prop_assert!(own.low < plain && plain < own.high && own.high <= own.limit && own.limit <= 0.0);
    }
}
