//! The experiment of `docs/estimators.md` at small sizes: its statements hold.

use crate::belief::Belief;
use crate::trial::{Estimator, errors};

/// The number of trials of each case, and the tolerance in nats for a bias of zero: a few standard errors.
const TRIALS: u32 = 200;
const NOTHING: f64 = 0.1;

#[test]
fn of_one_label_every_estimator_tells_the_truth() {
    for belief in Belief::ALL {
        for estimator in Estimator::ALL {
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
