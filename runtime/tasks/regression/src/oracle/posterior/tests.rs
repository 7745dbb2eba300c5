//! The posterior against a dense inverse, the chain rule, and its own draws.

use jointly_core::correlations::brute_force::{bilinear, inverse};
use jointly_core::correlations::{Association, joint_log_likelihood, metacorrelation};
use jointly_core::normal_inputs::normal_inputs;
use jointly_core::stream::stream;

use super::*;

const ROUNDING: f64 = 1e-10;
const NOISE: f64 = 0.01;

fn inputs(rows: usize, index: u64) -> Matrix {
    normal_inputs(rows, 2, &mut stream(0, "test", "inputs", index))
}

fn trained(rows: usize) -> (Posterior, Vec<f64>) {
    let x = inputs(rows, 0);
    let targets: Vec<f64> = (0..rows).map(|i| f64::from(x.row(i)[0]).abs() - f64::from(x.row(i)[1])).collect();
    (Posterior::new(ReluKernel::default(), NOISE, x, &targets).unwrap(), targets)
}

#[test]
fn moments_by_a_dense_inverse() {
    let (posterior, targets) = trained(8);
    let (x, test) = (inputs(8, 0), inputs(5, 1));
    let kernel = ReluKernel::default();
    let mut gram = kernel.gram(&x);
    for i in 0..8 {
        gram[(i, i)] += NOISE;
    }
    let (inverse, _) = inverse(&gram);
    let moments = posterior.moments(&test).unwrap();
    let cross = kernel.matrix(&test, &x);
    for i in 0..5 {
        assert!((moments.mean()[i] - bilinear(cross.row(i), &inverse, &targets)).abs() < ROUNDING);
        for j in 0..5 {
            let covariance = kernel.value(test.row(i), test.row(j)) - bilinear(cross.row(i), &inverse, cross.row(j));
            assert!((moments.covariance()[(i, j)] - covariance).abs() < ROUNDING);
        }
    }
    assert_eq!(moments.noise_variance(), [NOISE; 5]);
    assert_eq!((posterior.jitter(), posterior.at(&test).mean().to_vec()), (0.0, moments.mean().to_vec()));
}

#[test]
fn no_data_leave_the_prior() {
    let none = Matrix::new(0, 2, vec![]).unwrap();
    let prior = Posterior::new(ReluKernel::default(), NOISE, none, &[]).unwrap();
    let moments = prior.moments(&inputs(6, 1)).unwrap();
    assert_eq!(moments.covariance(), &ReluKernel::default().gram(&inputs(6, 1)));
    assert_eq!(moments.mean(), [0.0; 6]);
}

#[test]
fn pool_and_test_say_what_the_joint_moments_say() {
    let (posterior, _) = trained(8);
    let (pool, test) = (inputs(6, 2), inputs(3, 3));
    let both = Matrix::new(9, 2, [pool.values(), test.values()].concat()).unwrap();
    let moments = posterior.moments(&both).unwrap();
    let (pool_at, test_at) = (posterior.at(&pool), posterior.at(&test));
    let (apart, joint) = (pool_at.pool_test(&test_at).unwrap(), PoolTest::of_moments(&moments, 6));
    assert_eq!(apart.cross(), joint.cross());
    assert_eq!(apart.pool_variance(), joint.pool_variance());
    assert_eq!(apart.test_variance(), joint.test_variance());
    assert_eq!(apart.pool_noise(), joint.pool_noise());
    for i in 0..6 {
        let (mut row, mut expected) = ([0.0; 6], [0.0; 6]);
        PoolCovariance::row(&pool_at, i, &mut row);
        PoolCovariance::row(moments.covariance(), i, &mut expected);
        assert!(row.iter().zip(&expected).all(|(a, b)| (a - b).abs() < ROUNDING));
    }
    assert_eq!(metacorrelation(&apart, &joint), Ok(Association { pearson: 1.0, spearman: 1.0 }));
}

/// Computes ln N(targets; 0, k + noise) by elimination.
fn log_marginal(x: &Matrix, targets: &[f64]) -> f64 {
    let mut gram = ReluKernel::default().gram(x);
    for i in 0..x.rows() {
        gram[(i, i)] += NOISE;
    }
    let (inverse, ln_det) = inverse(&gram);
    let constant = x.rows() as f64 * (2.0 * std::f64::consts::PI).ln();
    -0.5 * (bilinear(targets, &inverse, targets) + ln_det + constant)
}

/// An agent whose model is the environment: given the data, the density of the next targets is p(data, targets) /
/// p(data), and the agent's joint likelihood of targets drawn from it agrees to rounding, so that its KL is 0. The KL
/// of an agent with another kernel is not.
#[test]
fn an_agent_with_the_environments_kernel_has_kl_zero() {
    const TAU: usize = 6;
    const DRAWS: u64 = 400;
    let (posterior, seen) = trained(8);
    let x = inputs(8, 0);
    let other_kernel = ReluKernel { hidden_weight: 8.0, output_bias: 0.5, ..ReluKernel::default() };
    let other = Posterior::new(other_kernel, NOISE, x.clone(), &seen).unwrap();
    let known = log_marginal(&x, &seen);
    let group = [(0..TAU).collect::<Vec<_>>()];
    let mut misfit = Vec::new();
    for n in 0..DRAWS {
        let mut source = stream(0, "test", "tau-sample", n);
        let test = normal_inputs(TAU, 2, &mut source);
        let (values, _) = posterior.sample(&test, &mut source).unwrap();
        let targets: Vec<f64> = values.iter().map(|f| f + NOISE.sqrt() * source.normal()).collect();
        let both = Matrix::new(8 + TAU, 2, [x.values(), test.values()].concat()).unwrap();
        let truth = log_marginal(&both, &[&seen[..], &targets].concat()) - known;
        let score = |agent: &Posterior| {
            TAU as f64 * joint_log_likelihood(&agent.moments(&test).unwrap(), &targets, &group).unwrap()
        };
        assert!((truth - score(&posterior)).abs() < 1e-7, "{truth} and {}", score(&posterior));
        misfit.push(truth - score(&other));
    }
    let summary = jointly_core::statistics::summarize(&misfit);
    assert!(summary.mean > 4.0 * summary.stderr, "{summary:?}");
}

#[test]
fn draws_have_the_posterior_moments() {
    const DRAWS: u64 = 4000;
    let (posterior, _) = trained(4);
    let test = inputs(3, 4);
    let moments = posterior.moments(&test).unwrap();
    let draw = |n| posterior.sample(&test, &mut stream(0, "test", "posterior", n)).unwrap().0;
    let draws: Vec<Vec<f64>> = (0..DRAWS).map(draw).collect();
    for i in 0..3 {
        for j in 0..3 {
            let products = draws.iter().map(|f| (f[i] - moments.mean()[i]) * (f[j] - moments.mean()[j]));
            let mean = products.sum::<f64>() / DRAWS as f64;
            let sd = (moments.variance()[i] * moments.variance()[j]).sqrt();
            // The variance of a product of two Gaussian deviates is at most 2 sd^2.
            assert!((mean - moments.covariance()[(i, j)]).abs() < 5.0 * sd * (2.0 / DRAWS as f64).sqrt());
        }
    }
}

#[test]
fn without_noise_training_points_are_known_and_never_less_than_known() {
    let x = inputs(20, 5);
    let targets = vec![1.0; 20];
    let posterior = Posterior::new(ReluKernel::default(), 0.0, x.clone(), &targets).unwrap();
    let at = posterior.at(&x);
    assert!(at.variance().iter().all(|&v| (0.0..1e-8).contains(&v)), "{:?}", at.variance());
    assert!(at.mean().iter().all(|mean| (mean - 1.0).abs() < 1e-6));
}

#[test]
fn inputs_that_are_not_finite_are_named() {
    let bad = Matrix::new(2, 2, vec![0.0, 1.0, f32::NAN, 0.0]).unwrap();
    let error = Posterior::new(ReluKernel::default(), NOISE, bad.clone(), &[0.0, 0.0]).unwrap_err();
    assert_eq!(error, CholeskyError::NotFinite { row: 0, col: 1 });
    let one = Matrix::new(1, 2, vec![0.0, f32::NAN]).unwrap();
    let none = Posterior::new(ReluKernel::default(), NOISE, Matrix::new(0, 2, vec![]).unwrap(), &[]).unwrap();
    assert!(matches!(none.moments(&one).unwrap_err(), MomentsError::NotFinite { .. }));
    let (posterior, _) = trained(3);
    assert!(matches!(posterior.moments(&bad).unwrap_err(), MomentsError::NotFinite { .. }));
    let error = posterior.sample(&bad, &mut stream(0, "test", "bad", 0)).unwrap_err();
    assert!(matches!(error, CholeskyError::NotFinite { .. }));
}
