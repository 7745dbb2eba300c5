//! XLL compared with brute force and with statements about the reference, and beliefs that have none.

use super::*;
use crate::correlations::brute_force::{bilinear, inverse, moments, targets};
use crate::correlations::{SampledFunctions, marginal_log_likelihood, random_groups};
use crate::stream::stream;

const ROUNDING: f64 = 1e-10;
const ROWS: usize = 12;

/// Computes the formula literally, with the covariance written out and inverted.
fn by_brute_force(candidate: &Moments, reference: &Moments, y: &[f64], groups: &[Vec<usize>]) -> f64 {
    let rho = candidate.target_correlation();
    let sd: Vec<f64> = reference.target_variance().iter().map(|v| v.sqrt()).collect();
    let of = |group: &Vec<usize>| {
        let n = group.len();
        let covariance = Dense::from_fn(n, n, |i, j| sd[group[i]] * rho[(group[i], group[j])] * sd[group[j]]);
        let (inverse, ln_det) = inverse(&covariance);
        let residual: Vec<f64> = group.iter().map(|&i| y[i] - reference.mean()[i]).collect();
        let constant = n as f64 * (2.0 * std::f64::consts::PI).ln();
        -0.5 * (bilinear(&residual, &inverse, &residual) + ln_det + constant) / n as f64
    };
    groups.iter().map(of).sum::<f64>() / groups.len() as f64
}

#[test]
fn the_formula_as_it_stands() {
    for seed in 0..20 {
        let (candidate, reference) = (moments(ROWS, 7, seed), moments(ROWS, 30, seed + 100));
        let y = targets(ROWS, seed);
        let groups = correlated_groups(&reference.target_correlation(), GROUP_SIZE);
        let xll = cross_log_likelihood(&candidate, &reference, &y, &groups).unwrap();
        assert!((xll - by_brute_force(&candidate, &reference, &y, &groups)).abs() < ROUNDING);
    }
}

#[test]
fn a_belief_under_itself_has_its_own_joint_log_likelihood() {
    let (belief, y) = (moments(ROWS, 9, 1), targets(ROWS, 1));
    let groups = random_groups(ROWS, GROUP_SIZE, 30, &mut stream(0, "test", "groups", 0));
    // Uses the covariance itself, without correlations.
    let covariance = belief.target_covariance();
    let own = |group: &Vec<usize>| {
        let (inverse, ln_det) = inverse(&covariance.block(group, group));
        let residual: Vec<f64> = group.iter().map(|&i| y[i] - belief.mean()[i]).collect();
        let constant = group.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        -0.5 * (bilinear(&residual, &inverse, &residual) + ln_det + constant) / group.len() as f64
    };
    let expected = groups.iter().map(own).sum::<f64>() / 30.0;
    assert!((cross_log_likelihood(&belief, &belief, &y, &groups).unwrap() - expected).abs() < ROUNDING);
    assert_eq!(joint_log_likelihood(&belief, &y, &groups), cross_log_likelihood(&belief, &belief, &y, &groups));
}

#[test]
fn without_correlations_it_is_the_references_marginal_log_likelihood() {
    let (reference, y) = (moments(ROWS, 9, 2), targets(ROWS, 2));
    let identity = Dense::from_fn(ROWS, ROWS, |i, j| f64::from(u8::from(i == j)));
    let uncorrelated = Moments::new(vec![5.0; ROWS], identity, vec![3.0; ROWS]).unwrap();
    // Each row is in five groups, so the mean over groups equals that over rows.
    let groups: Vec<Vec<usize>> = (0..ROWS).map(|i| (0..GROUP_SIZE).map(|k| (i + k) % ROWS).collect()).collect();
    let xll = cross_log_likelihood(&uncorrelated, &reference, &y, &groups).unwrap();
    assert!((xll - marginal_log_likelihood(&reference, &y).unwrap()).abs() < ROUNDING);
    let [mean, variance] = [reference.mean()[3], reference.target_variance()[3]];
    let one = cross_log_likelihood(&uncorrelated, &reference, &y, &[vec![3]]).unwrap();
    let density = -0.5 * ((y[3] - mean).powi(2) / variance + (2.0 * std::f64::consts::PI * variance).ln());
    assert!((one - density).abs() < ROUNDING);
}

#[test]
fn the_datas_units_cost_the_logarithm_of_the_scale() {
    let (candidate, reference, z) = (moments(ROWS, 7, 3), moments(ROWS, 30, 103), targets(ROWS, 3));
    let (location, scale) = (40.0, 9.0);
    let y: Vec<f64> = z.iter().map(|z| location + scale * z).collect();
    let groups = correlated_groups(&reference.target_correlation(), GROUP_SIZE);
    let standard = cross_log_likelihood(&candidate, &reference, &z, &groups).unwrap();
    let reference = reference.in_units(location, scale);
    let in_units = cross_log_likelihood(&candidate.in_units(location, scale), &reference, &y, &groups).unwrap();
    assert!((in_units - (standard - scale.ln())).abs() < ROUNDING);
}

#[test]
fn tables_hold_what_each_pair_has_and_ranks_count_from_the_best() {
    let beliefs = [moments(ROWS, 5, 4), moments(ROWS, 20, 5), moments(ROWS, 5, 4), moments(ROWS, 50, 6)];
    let y = targets(ROWS, 4);
    let table = CrossLikelihoods::new(beliefs.clone(), &y, GROUP_SIZE).unwrap();
    assert_eq!((table.compared(), table.failures(), table.beliefs()), (&[0, 1, 2, 3][..], &[][..], 4));
    for (j, reference) in beliefs.iter().enumerate() {
        let groups = correlated_groups(&reference.target_correlation(), GROUP_SIZE);
        let xll = beliefs.each_ref().map(|c| cross_log_likelihood(c, reference, &y, &groups).unwrap());
        for i in 0..4 {
            assert_eq!(table.likelihood(j, i), Some(xll[i]));
            let better = xll.iter().filter(|x| **x > xll[i]).count() as f64;
            let equal = xll.iter().filter(|x| **x == xll[i]).count() as f64;
            assert_eq!(table.rank(j, i), Some(better + (equal - 1.0) / 2.0));
        }
        assert_eq!(table.rank(j, 0), table.rank(j, 2));
    }
    let mean = |i| (0..4).map(|j| table.rank(j, i).unwrap()).sum::<f64>() / 4.0;
    assert_eq!(table.mean_rank(3), Some(mean(3)));
    assert_eq!((0..4).map(|i| table.mean_rank(i).unwrap()).sum::<f64>(), 6.0);
    let mean = (0..4).map(|j| table.likelihood(j, 1).unwrap()).sum::<f64>() / 4.0;
    assert_eq!(table.mean_likelihood(1), Some(mean));
    assert_eq!((table.rank(0, 4), table.mean_rank(4)), (None, None));
}

/// Returns two functions at three rows: f is +-1 at the first two rows, whose correlation is 1, and -1 with the third.
fn determined(noise_sd: f64) -> Moments {
    SampledFunctions::new(3, &[1.0, 1.0, -1.0, -1.0, -1.0, 1.0], &[noise_sd; 6]).unwrap().moments()
}

#[test]
fn correlations_of_one_are_defined_where_there_is_noise_and_named_where_there_is_none() {
    let (noisy, exact) = (determined(0.1), determined(0.0));
    assert_eq!(noisy.correlation().values(), [1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0]);
    let y = [0.9, 1.1, -1.0];
    let groups = [vec![0, 1, 2]];
    assert!(joint_log_likelihood(&noisy, &y, &groups).unwrap().is_finite());
    let failure = cross_log_likelihood(&exact, &noisy, &y, &groups).unwrap_err();
    assert!(matches!(&failure, DensityError::Degenerate { rows, .. } if *rows == [0, 1, 2]), "{failure}");
    // The others are compared without it.
    let beliefs = [noisy.clone(), exact, moments(3, 9, 0)];
    let table = CrossLikelihoods::new(beliefs.clone(), &y, 2).unwrap();
    assert_eq!(table.compared(), [0, 2]);
    assert!(matches!(table.failures(), [(1, DensityError::Degenerate { .. })]));
    assert_eq!(table.mean_rank(0).unwrap() + table.mean_rank(2).unwrap(), 1.0);
    assert_eq!(table.mean_likelihood(1), None);
}

#[test]
fn certain_beliefs_and_bad_targets_are_named() {
    let certain = SampledFunctions::new(2, &[1.0, 2.0], &[0.5, 0.0]).unwrap().moments();
    assert_eq!(marginal_log_likelihood(&certain, &[1.0, 2.0]), Err(DensityError::Certain { row: 1 }));
    let table = CrossLikelihoods::new([certain], &[1.0, 2.0], 2).unwrap();
    assert_eq!((table.compared(), table.failures()), (&[][..], &[(0, DensityError::Certain { row: 1 })][..]));
    let belief = moments(2, 9, 0);
    assert_eq!(marginal_log_likelihood(&belief, &[1.0, f64::NAN]), Err(DensityError::Target { row: 1 }));
    let table = CrossLikelihoods::new([belief.clone()], &[f64::INFINITY, 0.0], 2);
    assert_eq!(table, Err(DensityError::Target { row: 0 }));
    assert_eq!(CrossLikelihoods::new([], &[], 2), Err(DensityError::Empty));
    assert_eq!(joint_log_likelihood(&belief, &[0.0, 0.0], &[]), Err(DensityError::Empty));
    // A certain function with noise is an ordinary belief, and its targets are uncorrelated.
    let certain = SampledFunctions::new(2, &[1.0, 2.0], &[0.5, 0.5]).unwrap().moments();
    let apart = marginal_log_likelihood(&certain, &[1.0, 1.5]).unwrap();
    let together = joint_log_likelihood(&certain, &[1.0, 1.5], &[vec![0, 1]]).unwrap();
    assert!((together - apart).abs() < ROUNDING);
}
