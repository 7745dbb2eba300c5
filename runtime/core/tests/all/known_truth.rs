//! The experiment of `docs/estimators.md` on small sizes: what it says there holds.

use crate::belief::Belief;
use crate::trial::{Estimator, errors};

/// Trials of each case, and the nats that are left of a bias that is none: a few standard errors.
const TRIALS: u32 = 200;
const NOTHING: f64 = 0.1;

#[test]
fn monte_carlo_is_right_while_draws_outnumber_the_models() {
    let few = errors(Belief::Deterministic, 4, 1000, Estimator::MonteCarlo, TRIALS);
    assert!(few.bias.abs() < NOTHING && few.infinite == 0.0, "{few:?}");
    // A draw in 16 bears the likelihood.
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
fn few_functions_are_told_apart_by_clusters_better_than_by_planes() {
    let of = |estimator| errors(Belief::Mixture, 30, 300, estimator, TRIALS / 4);
    let (planes, clusters) = (of(Estimator::Planes { clip: true }), of(Estimator::KMeans { clip: true }));
    assert!(clusters.bias.abs() < NOTHING, "{clusters:?}");
    assert!(planes.bias > clusters.bias - NOTHING, "{planes:?} {clusters:?}");
}
