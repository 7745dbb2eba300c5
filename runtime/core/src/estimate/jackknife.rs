//! The jackknife over draws, which corrects the bias of the logarithm of a mean.

use super::likelihood::relative;

/// The most that is added, in nats.
///
/// The leading term of the bias, (1 / effective - 1 / M) / 2, is never larger. Without a limit the sum grows without bound when
/// one draw has nearly all the likelihood, so that an agent could raise its score by making its other draws worse.
const MOST: f64 = 0.5;

/// Returns what the jackknife adds to the logarithm of the mean of exp(v) over draws; 0 where it is not defined.
///
/// # Formula
/// -(M - 1) (1/M) sum over draws of log((M - w) / (M - 1)), where w = exp(v) / mean: the logarithm is the change of the
/// estimate when the draw is left out. It is at most 1/2. `values` are the distinct v in ascending order, each with its
/// number of draws, and `log_mean` is the logarithm of the mean of exp(v).
pub(super) fn correction(values: &[(f64, u64)], log_mean: f64) -> f64 {
    let draws = values.iter().map(|value| value.1).sum::<u64>() as f64;
    // Without the only draw that gives the labels a probability, there is no estimate.
    let possible: u64 = values.iter().filter(|value| value.0 > f64::NEG_INFINITY).map(|value| value.1).sum();
    if possible < 2 || !log_mean.is_finite() {
        return 0.0;
    }
    // By rounding, a draw that has nearly all the likelihood may have more than all of it.
    let change = |value: f64| libm::log1p(((1.0 - relative(value, log_mean)) / (draws - 1.0)).max(-1.0));
    let sum: f64 = values.iter().map(|&(value, count)| change(value) * count as f64).sum();
    (-(draws - 1.0) * (sum / draws)).min(MOST)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::MonteCarlo;

    /// Tolerance for the roundings that M v - (M - 1) v multiplies by M.
    const ROUNDING: f64 = 1e-12;

    fn with(values: &[f64]) -> MonteCarlo {
        let mut estimate = MonteCarlo::new();
        for &value in values {
            estimate.add(value, 1);
        }
        estimate
    }

    fn jackknife(values: &[f64]) -> f64 {
        with(values).finish_jackknife().log_likelihood
    }

    #[test]
    fn two_draws_are_corrected_as_on_paper() {
        // The mean of 1 and 1/3 is 2/3; without one of them it is 1/3 or 1.
        let expected = 2.0 * libm::log(2.0 / 3.0) - 0.5 * libm::log(1.0 / 3.0);
        assert!((jackknife(&[0.0, libm::log(1.0 / 3.0)]) - expected).abs() < ROUNDING);
    }

    #[test]
    fn draws_that_agree_need_no_correction() {
        for value in [0.0, -0.3, -1e5] {
            assert_eq!(jackknife(&[value; 7]), value);
        }
    }

    /// Without the limit a thousandfold less likely second draw would add 6.2 nats, and one at -30 another 15.
    #[test]
    fn draws_that_are_worse_do_not_raise_the_estimate_without_bound() {
        for other in [-7.0, -14.0, -30.0, -900.0] {
            for draws in 2..50 {
                let mut values = vec![other; draws];
                values[0] = 0.0;
                assert_eq!(jackknife(&values), with(&values).finish().log_likelihood + 0.5, "{draws} draws, {other}");
            }
        }
        assert!(jackknife(&[0.0, -1.0]) < with(&[0.0, -1.0]).finish().log_likelihood + 0.5);
    }

    #[test]
    fn where_nothing_can_be_left_out_the_estimate_is_the_plain_one() {
        assert_eq!(jackknife(&[-3.0]), -3.0);
        assert_eq!(jackknife(&[f64::NEG_INFINITY, -3.0]), -3.0 - std::f64::consts::LN_2);
        for draws in 2..50 {
            let mut values = vec![f64::NEG_INFINITY; draws];
            values[0] = -3.0;
            assert_eq!(jackknife(&values), with(&values).finish().log_likelihood, "{draws} draws");
        }
        assert_eq!(jackknife(&[f64::NEG_INFINITY; 4]), f64::NEG_INFINITY);
        assert!(jackknife(&[]).is_nan());
    }

    proptest! {
        #[test]
        fn it_is_the_jackknife_by_brute_force(values in prop::collection::vec(-20.0..0.0_f64, 2..20)) {
            let estimate = |values: &[f64]| with(values).finish().log_likelihood;
            let draws = values.len() as f64;
            let mut sum = 0.0;
            for left_out in 0..values.len() {
                let mut rest = values.clone();
                rest.remove(left_out);
                sum += estimate(&rest);
            }
            let expected = (draws * estimate(&values) - (draws - 1.0) * sum / draws).min(estimate(&values) + super::MOST);
            prop_assert!((jackknife(&values) - expected).abs() < ROUNDING * 100.0);
        }

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
            prop_assert_eq!(counted.finish_jackknife().log_likelihood.to_bits(), jackknife(&all).to_bits());
        }
    }
}
