//! The experiment of `docs/estimators.md` at small sizes: its statements hold.

use crate::belief::Belief;
use crate::coverage::{Coverage, Trial, run};
use crate::estimator::Estimator;
use crate::trial::errors;

/// The number of trials of each case, and the tolerance in nats for a bias of zero: a few standard errors.
const TRIALS: u32 = 200;
const NOTHING: f64 = 0.1;

#[test]
fn of_one_label_every_estimator_tells_the_truth() {
    for belief in Belief::ALL {
        // The others have random numbers of draws, and a spread that hides nothing less than many trials.
        let random = [Estimator::Multilevel, Estimator::Roulette];
        for estimator in Estimator::ALL.into_iter().filter(|estimator| !random.contains(estimator)) {
            let errors = errors(belief, 1, 1000, estimator, TRIALS / 10);
            let case = format!("{} by {}: {errors:?}", belief.name(), estimator.name());
            assert!(errors.bias.abs() < NOTHING && errors.infinite == 0.0, "{case}");
        }
    }
}

#[test]
fn monte_carlo_is_right_while_draws_outnumber_the_models() {
    let few = errors(Belief::Deterministic, 4, 1000, Estimator::MonteCarlo, TRIALS);
    assert!(few.bias.abs() < NOTHING && few.infinite == 0.0, "{few:?}");
    // One draw in 16 contributes the likelihood.
    assert!((few.effective / (1000.0 / 16.0) - 1.0).abs() < NOTHING, "{few:?}");
    let many = errors(Belief::Deterministic, 16, 100, Estimator::MonteCarlo, TRIALS);
    assert!(many.infinite > 0.95, "{many:?}");
}

#[test]
fn monte_carlo_claims_the_error_that_it_has() {
    for belief in [Belief::Coin, Belief::Mixture] {
        let errors = errors(belief, 10, 300, Estimator::MonteCarlo, TRIALS);
        assert!(errors.bias.abs() < NOTHING && errors.infinite == 0.0, "{errors:?}");
        assert!((errors.claimed / errors.spread - 1.0).abs() < 3.0 * NOTHING, "{errors:?}");
    }
}

#[test]
fn few_functions_are_told_apart_by_clusters_and_not_by_planes() {
    let of = |estimator| errors(Belief::Mixture, 50, 300, estimator, TRIALS / 2);
    let (planes, clusters) = (of(Estimator::Planes { clip: true }), of(Estimator::KMeans { clip: true }));
    assert!(clusters.bias.abs() < NOTHING, "{clusters:?}");
    assert!(planes.spread > 4.0 * clusters.spread, "{planes:?} {clusters:?}");
}

#[test]
fn where_monte_carlo_finds_nothing_the_partition_is_a_little_high() {
    let of = |estimator| errors(Belief::Deterministic, 30, 1000, estimator, TRIALS / 2);
    let (monte_carlo, planes) = (of(Estimator::MonteCarlo), of(Estimator::Planes { clip: true }));
    assert_eq!(monte_carlo.infinite, 1.0);
    assert!(planes.bias > 0.0 && planes.bias < 2.0 && planes.infinite == 0.0, "{planes:?}");
}

#[test]
fn the_jackknife_removes_the_bias_of_few_effective_draws() {
    let of = |estimator| errors(Belief::Coins, 10, 30, estimator, 10 * TRIALS);
    let (plain, jackknife) = (of(Estimator::MonteCarlo), of(Estimator::Jackknife));
    assert!(plain.effective < 10.0 && plain.bias > 0.04, "{plain:?}");
    assert!(jackknife.bias.abs() < plain.bias / 2.0, "{plain:?} {jackknife:?}");
    assert!(jackknife.spread < 1.2 * plain.spread, "{plain:?} {jackknife:?}");
}

#[test]
fn random_numbers_of_draws_remove_the_bias_and_add_spread() {
    let of = |estimator| errors(Belief::Coin, 10, 60, estimator, 20 * TRIALS);
    let plain = of(Estimator::MonteCarlo);
    for estimator in [Estimator::Multilevel, Estimator::Roulette] {
        let own = of(estimator);
        let error = own.spread / f64::from(20 * TRIALS).sqrt();
        assert!(own.bias.abs() < 4.0 * error && error < 0.02, "{}: {own:?}", estimator.name());
        assert!(own.spread > 2.0 * plain.spread, "{}: {plain:?} {own:?}", estimator.name());
    }
}

#[test]
fn intervals_contain_the_truth_where_they_are_claimed() {
    for (belief, draws) in [(Belief::Mixture, 300), (Belief::Coin, 100), (Belief::Coins, 1000)] {
        let trials = run(belief, 30, draws, TRIALS);
        let claimed: Vec<&Trial> = trials.iter().filter(|trial| trial.usable()).collect();
        let own = Coverage::of(&claimed);
        assert!(claimed.len() > 50 && own.covered >= 0.95, "{}: {} of {}", belief.name(), own.covered, claimed.len());
        assert!(own.above + own.below <= 0.05 && own.beyond_limit <= 0.025, "{}", belief.name());
        // The normal interval is narrower, and its coverage is checked by the experiment.
        assert!(own.normal_width < own.width && own.width < own.to_limit && own.normal > 0.8, "{}", belief.name());
        assert!(own.effective > 30.0);
    }
    let none = run(Belief::Deterministic, 30, 1000, 10);
    assert!(none.iter().all(|trial| !trial.usable()));
}
