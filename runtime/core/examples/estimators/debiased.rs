//! Estimators of a log-likelihood that have no bias, because the number of their draws is random and has no limit.

use jointly_core::Stream;
use jointly_core::estimate::MonteCarlo;

/// The number of terms up to which a term is reached with the inverse of its index as probability.
const HARMONIC: u32 = 80;
/// The probability of going on after that.
const GOING_ON: f64 = 0.9;
/// Levels fall in probability by 2^-1.5, between the 2^-1 of their number of draws and the 2^-2 of their variance.
const LEVELS_FALL: f64 = 0.353_553_390_593_273_8;

/// The Russian-roulette estimator with `draws` draws in expectation: SUMO of Luo et al. (2020).
///
/// # Formula
/// v(m) + sum over k from 1 to K of (v((k + 1) m) - v(k m)) / P(K >= k), where v(n) is the Monte Carlo estimate from the
/// first n draws, P(K >= k) = 1/k up to 80 and falls by 0.9 a term beyond it. The paper has m = 1; here m is the sixth
/// of the budget, because K has a mean of 5.1.
pub(crate) fn roulette(draws: usize, source: &mut Stream, draw: &mut dyn FnMut(&mut Stream) -> f64) -> f64 {
    let block = (draws as f64 / 6.1) as usize;
    let mut values = Vec::new();
    let mut more = |source: &mut Stream| {
        values.extend((0..block).map(|_| draw(source)));
        log_mean(&values)
    };
    let mut previous = more(source);
    let mut estimate = previous;
    let target = source.uniform();
    for term in 1.. {
        let reached = if term <= HARMONIC {
            1.0 / f64::from(term)
        } else {
            libm::pow(GOING_ON, f64::from(term - HARMONIC)) / f64::from(HARMONIC)
        };
        if target >= reached {
            break;
        }
        let next = more(source);
        estimate += (next - previous) / reached;
        previous = next;
    }
    estimate
}

/// The randomised multilevel estimator with at most `draws` draws in expectation: Rhee and Glynn (2015), Blanchet and
/// Glynn (2015).
///
/// # Formula
/// v(b) + (v of all - the mean of v of the first and of the second half) / P(l), from b 2^(l + 1) draws, where the level l
/// >= 0 has probability P(l), which falls by 2^-1.5 a level.
pub(crate) fn multilevel(draws: usize, source: &mut Stream, draw: &mut dyn FnMut(&mut Stream) -> f64) -> f64 {
    // Levels take 4.4 b draws in expectation.
    let largest = draws as f64 * (1.0 - 2.0 * LEVELS_FALL) / (2.0 * (1.0 - LEVELS_FALL));
    let base = 1_usize << (largest as usize).ilog2();
    let (mut level, mut probability) = (0, 1.0 - LEVELS_FALL);
    while source.uniform() < LEVELS_FALL {
        level += 1;
        probability *= LEVELS_FALL;
    }
    let values: Vec<f64> = (0..base << (level + 1)).map(|_| draw(source)).collect();
    let (first, second) = values.split_at(values.len() / 2);
    let difference = log_mean(&values) - f64::midpoint(log_mean(first), log_mean(second));
    log_mean(&values[..base]) + difference / probability
}

fn log_mean(values: &[f64]) -> f64 {
    let mut estimate = MonteCarlo::new();
    for &value in values {
        estimate.add(value, 1);
    }
    estimate.finish().log_likelihood
}
