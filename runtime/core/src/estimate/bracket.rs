//! A confidence interval for a joint log-likelihood, from the likelihoods under independent draws.

use super::likelihood::{log_sum_exp, relative, relative_variance};

/// The effective number of draws from which on experiments support [`Bracket::high`].
pub const MIN_EFFECTIVE_DRAWS: f64 = 30.0;

/// The probability that either end fails: 95 % confidence for both together.
const RISK: f64 = 0.025;
/// The slack of the assumption of [`Bracket::high`], in nats.
const SLACK: f64 = 1.0;
/// Steps of bisection, which leave less than 2^-40 of the first interval.
const STEPS: u32 = 40;
/// The number of factors that are multiplied before a logarithm is taken.
const FACTORS: usize = 8;

/// A confidence interval for the log-likelihood log E(L) of labels under a posterior, from independent draws.
///
/// # Guarantee
/// With M independent draws from the posterior, and L the likelihood of the labels under a draw:
///
/// - [`low`](Self::low) <= log E(L) with a probability of at least 97.5 %, whatever the distribution of L.
/// - [`limit`](Self::limit) >= log E(L) with a probability of at least 97.5 %, whatever the distribution of L, because
///   L <= 1. It is never below about log(6 / M): M draws cannot exclude a function of probability 6 / M under which the
///   labels are certain.
/// - [`high`](Self::high) >= log E(L) with a probability of at least 97.5 %, if B = e times the largest likelihood of
///   the draws is a bound of L that does not depend on chance. So the probability that the likeliest function of the
///   posterior is among the draws and `high` is too low is at most 2.5 %. This suits members of an ensemble. Where
///   likelihoods are continuous, no draw has the largest, and the probability is checked by experiments only. The draws
///   cannot show that no function is likelier than e times the likeliest of them; with few effective draws it is often
///   wrong, so `high` is infinite below a number to be given.
///
/// # Formula
/// Let Y >= 0 have mean n. Each draw multiplies a capital that bets a share c on Y > n by 1 - c + c Y / n, a factor of
/// mean one. So the capital after M draws has mean one, and so has its mean over the shares c = 1, 1/2, 1/4, ... down to
/// 1/M. By Markov's inequality this mean reaches 1 / 0.025 with a probability of at most 0.025. The lower bound of the
/// mean of Y is the largest n at which it does. `low` takes Y = L, `limit` takes Y = 1 - L, and `high` takes Y = B - L.
/// Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2024), with shares that do not
/// depend on the order of the draws.
///
/// Draws are sorted and equal ones merged before they are used, so that neither their order nor their repetition changes
/// a bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The lower end, in nats; -inf if the labels have probability 0 under all draws, NaN without draws.
    pub low: f64,
    /// The upper end under the assumption about the largest likelihood, at most `limit`; +inf with too few effective
    /// draws, NaN without draws.
    pub high: f64,
    /// The upper end without assumption; NaN without draws.
    pub limit: f64,
}

impl Bracket {
    /// Makes the interval from distinct log-likelihoods in ascending order, each with its number of draws.
    pub(super) fn of(values: &[(f64, u64)], min_effective_draws: f64) -> Self {
        let Some(&(largest, _)) = values.last() else {
            return Self { low: f64::NAN, high: f64::NAN, limit: f64::NAN };
        };
        let limit = libm::log(upper(values, 0.0, 1.0));
        if largest == f64::NEG_INFINITY {
            return Self { low: largest, high: f64::INFINITY, limit };
        }
        let draws = values.iter().map(|value| value.1).sum::<u64>() as f64;
        let shares = || values.iter().map(|&(value, count)| (value, count as f64 / draws));
        let log_mean = log_sum_exp(shares());
        let effective = draws / (1.0 + relative_variance(shares(), log_mean));
        let relatives: Vec<(f64, u64)> =
            values.iter().map(|&(value, count)| (relative(value, log_mean), count)).collect();
        let high = if effective < min_effective_draws {
            f64::INFINITY
        } else {
            (largest + libm::log(upper(values, largest, libm::exp(SLACK)))).min(limit)
        };
        Self { low: log_mean - depth(&relatives), high, limit }
    }
}

/// Returns an upper bound of the mean of exp(v - `unit`), none of which exceeds `bound`.
fn upper(values: &[(f64, u64)], unit: f64, bound: f64) -> f64 {
    let draws = values.iter().map(|value| value.1).sum::<u64>() as f64;
    let remainders = || values.iter().map(|&(value, count)| (bound - libm::exp(value - unit), count));
    let mean = remainders().map(|(remainder, count)| remainder * count as f64).sum::<f64>() / draws;
    if mean <= 0.0 {
        return bound;
    }
    let ratios: Vec<(f64, u64)> = remainders().map(|(remainder, count)| (remainder / mean, count)).collect();
    // bound - mean exp(-depth), without the loss of digits if the depth is small.
    (bound - mean) - mean * libm::expm1(-depth(&ratios))
}

/// Returns how far the lower bound of a mean is below the mean of the draws, in nats. `ratios` are the draws in units of
/// their mean.
fn depth(ratios: &[(f64, u64)]) -> f64 {
    let enough = |depth: f64| log_capital(ratios, libm::exp(depth)) >= -libm::log(RISK);
    let (mut below, mut above) = (0.0, 1.0);
    while !enough(above) {
        (below, above) = (above, 2.0 * above);
    }
    for _ in 0..STEPS {
        let middle = f64::midpoint(below, above);
        if enough(middle) {
            above = middle;
        } else {
            below = middle;
        }
    }
    above
}

/// Returns the log of the mean over shares c of the product over draws of 1 - c + c `scale` r, for each ratio r.
fn log_capital(ratios: &[(f64, u64)], scale: f64) -> f64 {
    let draws = ratios.iter().map(|ratio| ratio.1).sum::<u64>();
    let shares = draws.next_power_of_two().trailing_zeros() + 1;
    let weight = 1.0 / f64::from(shares);
    let logs: Vec<(f64, f64)> = (0..shares)
        .map(|halvings| (log_product(ratios, scale, libm::ldexp(1.0, -(halvings as i32))), weight))
        .collect();
    log_sum_exp(logs.iter().copied())
}

fn log_product(ratios: &[(f64, u64)], scale: f64, share: f64) -> f64 {
    let mut sum = 0.0;
    for some in ratios.chunks(FACTORS) {
        let mut product = 1.0;
        for &(ratio, count) in some {
            let factor = 1.0 - share + share * scale * ratio;
            if count == 1 {
                product *= factor;
            } else {
                sum += libm::log(factor) * count as f64;
            }
        }
        sum += libm::log(product);
    }
    sum
}

#[cfg(test)]
mod tests;
