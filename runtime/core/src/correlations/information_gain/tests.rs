//! Information gains compared with a dense inverse computed from scratch, and degenerate beliefs.

use proptest::prelude::*;

use super::*;
use crate::correlations::brute_force::{belief, bilinear, inverse};
use crate::correlations::dense::Dense;
use crate::correlations::moments::{Moments, SampledFunctions};

const ROUNDING: f64 = 1e-9;
/// The most information about one test point, in nats.
const MOST: f64 = 20.0 * std::f64::consts::LN_2;

/// Computes equation 6 literally: the first `pool` rows are the pool, the others the test points.
fn from_scratch(moments: &Moments, pool: usize, batch: &[usize]) -> f64 {
    let covariance = moments.target_covariance();
    let (inverse, _) = inverse(&covariance.block(batch, batch));
    let about = |u: usize| {
        let c: Vec<f64> = batch.iter().map(|&i| covariance[(i, u)]).collect();
        -0.5 * (1.0 - bilinear(&c, &inverse, &c) / moments.variance()[u]).ln()
    };
    (pool..moments.rows()).map(about).sum::<f64>() / (moments.rows() - pool) as f64
}

proptest! {
    #[test]
    fn greedy_updates_are_what_a_dense_inverse_says(seed: u64, pool in 1_usize..9, tests in 1_usize..20, draws in 2_usize..40) {
        let moments = belief(pool + tests, draws, seed).moments();
        let batch = batch_information_gain(&PoolTest::of_moments(&moments, pool), moments.covariance(), pool).unwrap();
        prop_assert_eq!(batch.chosen.len(), pool);
        for step in 0..pool {
            let chosen = &batch.chosen[..step];
            let with = |i: usize| from_scratch(&moments, pool, &[chosen, &[i]].concat());
            let best = (0..pool).filter(|i| !chosen.contains(i)).map(with).fold(0.0, f64::max);
            prop_assert!((batch.information[step] - with(batch.chosen[step])).abs() < ROUNDING);
            prop_assert!((batch.information[step] - best).abs() < ROUNDING);
        }
    }

    #[test]
    fn a_batch_of_one_is_the_point_of_the_largest_mig(seed: u64, pool in 1_usize..9, tests in 1_usize..20) {
        let functions = belief(pool + tests, 11, seed);
        let belief = PoolTest::of_functions(&functions, 0..pool, pool..pool + tests);
        let gains = marginal_information_gain(&belief);
        let batch = batch_information_gain(&belief, &functions, 1).unwrap();
        prop_assert_eq!(&batch.chosen, &most_informative(&gains, &vec![0.0; pool], 1));
        prop_assert_eq!(batch.information[0], gains[batch.chosen[0]]);
        for (i, gain) in gains.iter().enumerate() {
            prop_assert!((gain - from_scratch(&functions.moments(), pool, &[i])).abs() < ROUNDING);
        }
    }
}

#[test]
fn mig_on_paper() {
    // rho^2 = 1.5^2 / (3 (2 + 1)) = 1 / 4, with noise only for the pool.
    let cross = Dense::new(1, 1, vec![1.5]).unwrap();
    let belief = PoolTest::new(cross, vec![2.0], vec![1.0], vec![3.0]).unwrap();
    assert!((marginal_information_gain(&belief)[0] + 0.5 * 0.75_f64.ln()).abs() < ROUNDING);
}

#[test]
fn tig_orders_by_variance_under_one_noise_whatever_it_is() {
    let variance = [1.0, 3.0, 2.0, 3.0];
    let gains = total_information_gain(&variance, &[0.5; 4]).unwrap();
    assert!((gains[0] - 0.5 * 3.0_f64.ln()).abs() < ROUNDING);
    assert_eq!(most_informative(&gains, &variance, 3), [1, 3, 2]);
    let without = total_information_gain(&variance, &[0.0; 4]).unwrap();
    assert_eq!(without, [f64::INFINITY; 4]);
    assert_eq!(most_informative(&without, &variance, 9), [1, 3, 2, 0]);
    assert_eq!(total_information_gain(&[0.0, 0.0], &[0.0, 1.0]).unwrap(), [0.0; 2]);
    let negative = MomentsError::Negative { what: "the variance", row: 0, value: -1.0 };
    assert_eq!(total_information_gain(&[-1.0], &[1.0]), Err(negative));
    assert!(total_information_gain(&[1.0], &[f64::NAN]).is_err());
    assert!(total_information_gain(&[1.0], &[]).is_err());
}

/// Returns pool points of which 0 and 1 are equal and 2 is independent of them; test point 0 equals the first two, test
/// point 1 is correlated only with point 2, and test point 2 is certain.
fn twins(noise: f64) -> (PoolTest, Dense) {
    let pool = Dense::new(3, 3, vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let cross = Dense::new(3, 3, vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0]).unwrap();
    (PoolTest::new(cross, vec![1.0; 3], vec![noise; 3], vec![1.0, 1.0, 0.0]).unwrap(), pool)
}

#[test]
fn duplicates_without_noise_add_nothing_and_what_is_determined_counts_as_resolved() {
    let (belief, pool) = twins(0.0);
    let gains = marginal_information_gain(&belief);
    assert!((gains[0] - MOST / 3.0).abs() < ROUNDING && gains[0] == gains[1]);
    let quarter = -0.5 * 0.75_f64.ln() / 3.0;
    assert!((gains[2] - quarter).abs() < ROUNDING);
    let batch = batch_information_gain(&belief, &pool, 10).unwrap();
    assert_eq!(batch.chosen, [0, 2, 1]);
    assert!((batch.information[1] - MOST / 3.0 - quarter).abs() < ROUNDING);
    assert_eq!(batch.information[1], batch.information[2]);
}

#[test]
fn duplicates_with_noise_add_what_a_second_look_adds() {
    let (belief, pool) = twins(1.0);
    let batch = batch_information_gain(&belief, &pool, 3).unwrap();
    assert_eq!(batch.chosen, [0, 1, 2]);
    // One observation leaves 1/2 of the variance, two leave 1/3.
    assert!((batch.information[0] - 0.5 * 2.0_f64.ln() / 3.0).abs() < ROUNDING);
    assert!((batch.information[1] - 0.5 * 3.0_f64.ln() / 3.0).abs() < ROUNDING);
}

#[test]
fn a_certain_belief_has_nothing_to_learn_and_goes_by_index() {
    let functions = SampledFunctions::new(5, &[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 5]).unwrap();
    let belief = PoolTest::of_functions(&functions, 0..3, 3..5);
    assert_eq!(marginal_information_gain(&belief), [0.0; 3]);
    let batch = batch_information_gain(&belief, &functions, 2).unwrap();
    assert_eq!((batch.chosen, batch.information), (vec![0, 1], vec![0.0, 0.0]));
    let alone = PoolTest::of_functions(&functions, 0..3, 5..5);
    assert_eq!(batch_information_gain(&alone, &functions, 1).unwrap().information, [0.0]);
}

#[test]
fn what_is_not_finite_is_named() {
    let (belief, mut pool) = twins(1.0);
    pool[(0, 1)] = f64::NAN;
    let failure = MomentsError::NotFinite { what: "the covariance with a chosen point", row: 1 };
    assert_eq!(batch_information_gain(&belief, &pool, 2), Err(failure));
    let cross = Dense::new(2, 1, vec![0.0, f64::NAN]).unwrap();
    let failure = PoolTest::new(cross, vec![1.0; 2], vec![1.0; 2], vec![1.0]).unwrap_err();
    assert_eq!(failure, MomentsError::NotFinite { what: "the covariance of pool and test points", row: 1 });
    let short = PoolTest::new(Dense::zeros(2, 1), vec![1.0], vec![1.0; 2], vec![1.0]).unwrap_err();
    assert_eq!(short.to_string(), "the pool's variance holds 1 values, not 2");
}
