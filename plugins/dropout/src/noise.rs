//! The noise variance that maximises the likelihood of examples, given the errors of the draws.

/// The range of variances tried, relative to the targets' variance of one.
const RANGE: (f64, f64) = (1e-6, 10.0);

/// The number of trials in each round, and of rounds; each round searches between the neighbours of the best trial.
const TRIALS: usize = 33;
const ROUNDS: usize = 4;

/// Returns the variance of maximum likelihood and the mean log-likelihood under it; `None` without examples.
///
/// # Formula
///
/// With errors e_tj of draw t at example j, v maximises the mean over j of
/// ln(mean over t of exp(-e_tj^2 / (2 v)) / sqrt(2 pi v)). It is found on successively finer logarithmic grids.
pub(crate) fn likeliest(squares: &[Vec<f64>]) -> Option<(f64, f64)> {
    if squares.first().is_none_or(Vec::is_empty) {
        return None;
    }
    let (mut low, mut high) = (libm::log(RANGE.0), libm::log(RANGE.1));
    let mut best = (f64::NEG_INFINITY, low);
    for _ in 0..ROUNDS {
        let step = (high - low) / (TRIALS - 1) as f64;
        for trial in 0..TRIALS {
            let log_variance = low + step * trial as f64;
            let likelihood = log_likelihood(squares, log_variance);
            if likelihood > best.0 {
                best = (likelihood, log_variance);
            }
        }
        (low, high) = ((best.1 - step).max(libm::log(RANGE.0)), (best.1 + step).min(libm::log(RANGE.1)));
    }
    Some((libm::exp(best.1), best.0))
}

/// Returns the mean log-likelihood under a given variance, raised to the least that [`likeliest`] tries; `None`
/// without examples.
pub(crate) fn likelihood_at(squares: &[Vec<f64>], variance: f64) -> Option<f64> {
    let some = squares.first().is_some_and(|draw| !draw.is_empty());
    some.then(|| log_likelihood(squares, libm::log(variance.max(RANGE.0))))
}

/// Computes the mean over examples; each draw has one squared error per example.
fn log_likelihood(squares: &[Vec<f64>], log_variance: f64) -> f64 {
    let half = 0.5 * libm::exp(-log_variance);
    let examples = squares[0].len();
    let one = |j: usize| {
        let least = squares.iter().map(|draw| draw[j]).fold(f64::INFINITY, f64::min);
        let sum: f64 = squares.iter().map(|draw| libm::exp(-half * (draw[j] - least))).sum();
        libm::log(sum / squares.len() as f64) - half * least
    };
    let total: f64 = (0..examples).map(one).sum();
    total / examples as f64 - 0.5 * (log_variance + libm::log(std::f64::consts::TAU))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_draw_it_is_the_mean_square() {
        let (variance, likelihood) = likeliest(&[vec![0.1, 0.3, 0.2]]).unwrap();
        assert!((variance / 0.2 - 1.0).abs() < 1e-3, "{variance}");
        let expected = -0.5 * (1.0 + (std::f64::consts::TAU * 0.2).ln());
        assert!((likelihood - expected).abs() < 1e-6, "{likelihood} for {expected}");
    }

    #[test]
    fn draws_that_spread_leave_less_to_the_noise() {
        // Errors of +-0.5 that come only from a draw's offset: the predictive distribution is a mixture of one
        // Gaussian per draw.
        let offsets = [-0.6, -0.2, 0.2, 0.6];
        let targets = [-0.7, -0.5, -0.3, -0.1, 0.0, 0.1, 0.3, 0.5, 0.7];
        let spread: Vec<Vec<f64>> =
            offsets.iter().map(|f| targets.iter().map(|y| f64::powi(y - f, 2)).collect()).collect();
        let alone: Vec<f64> = targets.iter().map(|y| f64::powi(*y, 2)).collect();
        assert!(likeliest(&spread).unwrap().0 < 0.6 * likeliest(&[alone]).unwrap().0);
    }

    #[test]
    fn which_draws_are_likelier_can_turn_on_the_variance() {
        // For targets of -1 and 1, draws of -1 and 1 each match half of them and need no noise; a draw of 0 needs
        // some.
        let (apart, middle) = ([vec![0.0, 4.0], vec![4.0, 0.0]], [vec![1.0, 1.0]]);
        assert!(likeliest(&apart).unwrap().1 > likeliest(&middle).unwrap().1);
        let (apart, middle) = (likelihood_at(&apart, 1.0).unwrap(), likelihood_at(&middle, 1.0).unwrap());
        // ln((1 + exp(-2)) / 2) and -1/2, each minus half of ln(2 pi).
        let constant = 0.5 * std::f64::consts::TAU.ln();
        assert!((apart - (f64::midpoint(1.0, (-2f64).exp()).ln() - constant)).abs() < 1e-12, "{apart}");
        assert!((middle + 0.5 + constant).abs() < 1e-12, "{middle}");
        assert!(apart < middle);
    }

    #[test]
    fn extremes_stay_in_range() {
        assert_eq!(likeliest(&[]), None);
        assert_eq!(likeliest(&[Vec::new()]), None);
        assert_eq!(likelihood_at(&[Vec::new()], 1.0), None);
        assert!(likelihood_at(&[vec![0.0; 3]], 0.0).unwrap().is_finite());
        assert!((likeliest(&[vec![0.0; 3]]).unwrap().0 / RANGE.0 - 1.0).abs() < 1e-6);
        assert!((likeliest(&[vec![1e6; 3]]).unwrap().0 / RANGE.1 - 1.0).abs() < 1e-6);
    }
}
