//! The jackknife over draws, which corrects the bias of the logarithm of a mean.

use super::likelihood::{log_sum_exp, relative};

/// Returns what the jackknife adds to the logarithm of the mean of exp(v) over draws; 0 where it is not defined.
///
/// # Formula
/// -(M - 1) (1/M) sum over draws of log((M - w) / (M - 1)), where w = exp(v) / mean: the logarithm is the change of the
/// estimate when the draw is left out. `values` are the distinct v in ascending order, each with its number of draws,
/// and `log_mean` is the logarithm of the mean of exp(v).
pub(super) fn correction(values: &[(f64, u64)], log_mean: f64) -> f64 {
    let draws = values.iter().map(|value| value.1).sum::<u64>() as f64;
    if draws < 2.0 || !log_mean.is_finite() {
        return 0.0;
    }
    let change = |value: f64| libm::log1p((1.0 - relative(value, log_mean)) / (draws - 1.0));
    let mut sum = 0.0;
    for (i, &(value, count)) in values.iter().enumerate() {
        // M - w loses all digits for the one draw that may have nearly all the likelihood.
        let change = if count == 1 && relative(value, log_mean) * 2.0 > draws {
            log_sum(&values[..i]) - libm::log(draws - 1.0) - log_mean
        } else {
            change(value)
        };
        if change == f64::NEG_INFINITY {
            return 0.0;
        }
        sum += change * count as f64;
    }
    -(draws - 1.0) * (sum / draws)
}

/// Returns the logarithm of the sum of exp(v) over draws.
fn log_sum(values: &[(f64, u64)]) -> f64 {
    log_sum_exp(values.iter().map(|&(value, count)| (value, count as f64)))
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

    #[test]
    fn a_draw_that_has_nearly_everything_is_left_out_without_loss_of_digits() {
        // Without the likely draw the mean is that of the others, exp(-900).
        let (plain, changes) = (libm::log(1.0 / 3.0), [libm::log(1.5), libm::log(1.5), -900.0 - libm::log(1.0 / 3.0)]);
        let expected = plain - 2.0 * changes.iter().sum::<f64>() / 3.0;
        assert!((jackknife(&[0.0, -900.0, -900.0]) / expected - 1.0).abs() < ROUNDING);
    }

    #[test]
    fn where_nothing_can_be_left_out_the_estimate_is_the_plain_one() {
        assert_eq!(jackknife(&[-3.0]), -3.0);
        assert_eq!(jackknife(&[f64::NEG_INFINITY, -3.0]), -3.0 - std::f64::consts::LN_2);
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
            let expected = draws * estimate(&values) - (draws - 1.0) * sum / draws;
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
