//! Tests that the sampler leaves targets with known moments invariant.

use jointly_core::stream::stream;

use super::*;

/// Rounding of a few rotations.
const ROUNDING: f64 = 1e-12;
/// The error of many short steps at a bounce.
const SHORT_STEP: f64 = 1e-3;
/// Five standard errors of a mean, or a variance relative to the target's, over the draws below.
const MOMENT: f64 = 0.05;
const DRAWS: usize = 40_000;

/// Returns the means, the variances and the covariance of neighbours over many draws.
fn moments(
    walls: &[f64],
    trajectory: Trajectory,
    mut likelihood: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> (Vec<f64>, Vec<f64>, f64) {
    let mut source = stream(0, "test", "hamiltonian", 0);
    let mut state = State::new(vec![0.0; walls.len()], &mut likelihood);
    let draws: Vec<Vec<f64>> = (0..DRAWS)
        .map(|_| {
            state.transition(walls, trajectory, &mut likelihood, &mut source);
            state.position.clone()
        })
        .collect();
    let mean = |f: &dyn Fn(&[f64]) -> f64| draws.iter().map(|draw| f(draw)).sum::<f64>() / DRAWS as f64;
    let means: Vec<f64> = (0..walls.len()).map(|i| mean(&|z| z[i])).collect();
    let variances = (0..walls.len()).map(|i| mean(&|z| (z[i] - means[i]).powi(2))).collect();
    let covariance = mean(&|z| (z[0] - means[0]) * (z[z.len() - 1] - means[z.len() - 1]));
    (means, variances, covariance)
}

#[test]
fn a_gaussian_likelihood_gives_the_gaussian_posterior() {
    // One observation 1.5 of z_0 + z_1 with noise of variance 1/4: precision 1 + 4 (1 1)(1 1)^T, so each variance is
    // 5/9, the covariance -4/9, and each mean 1.5 * 4 / 9 = 6/9.
    let likelihood = |z: &[f64], gradient: &mut [f64]| {
        let residual = 1.5 - z[0] - z[1];
        gradient.fill(4.0 * residual);
        -2.0 * residual * residual
    };
    for (step, most_steps) in [(0.1, 64), (0.5, 64), (0.2, 2)] {
        let trajectory = Trajectory { power: 1.0, step, most_steps };
        let (means, variances, covariance) = moments(&[f64::INFINITY; 2], trajectory, likelihood);
        for (mean, variance) in means.iter().zip(&variances) {
            assert!((mean - 6.0 / 9.0).abs() < MOMENT, "step {step}: {means:?}");
            assert!((variance - 5.0 / 9.0).abs() < MOMENT, "step {step}: {variances:?}");
        }
        assert!((covariance + 4.0 / 9.0).abs() < MOMENT, "step {step}: {covariance}");
    }
}

#[test]
fn a_power_of_the_likelihood_counts_as_that_power() {
    // The precision is 1 + 0.25 * 4.
    let likelihood = |z: &[f64], gradient: &mut [f64]| {
        gradient[0] = -4.0 * z[0];
        -2.0 * z[0] * z[0]
    };
    let trajectory = Trajectory { power: 0.25, step: 0.3, most_steps: 64 };
    let (_, variances, _) = moments(&[f64::INFINITY], trajectory, likelihood);
    assert!((variances[0] - 0.5).abs() < MOMENT, "{variances:?}");
}

#[test]
fn a_flat_likelihood_gives_the_truncated_normal() {
    let flat = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        0.0
    };
    // Variances of a standard normal within 2 and within 1/2: 1 - 2 w phi(w) / (2 Phi(w) - 1).
    for (step, most_steps) in [(0.1, 64), (WIDEST_STEP, 64)] {
        let trajectory = Trajectory { power: 1.0, step, most_steps };
        let (means, variances, _) = moments(&[2.0, 0.5, f64::INFINITY], trajectory, flat);
        for (i, expected) in [0.773_741, 0.080_589, 1.0].into_iter().enumerate() {
            assert!(means[i].abs() < MOMENT, "step {step}: {means:?}");
            assert!((variances[i] / expected - 1.0).abs() < MOMENT, "step {step}: {variances:?}");
        }
    }
}

#[test]
fn a_slope_shifts_the_truncated_normal() {
    // N(3/2, 1) within 2 of 0: mean 3/2 + (phi(-7/2) - phi(1/2)) / (Phi(1/2) - Phi(-7/2)).
    let likelihood = |z: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.5;
        1.5 * z[0]
    };
    let trajectory = Trajectory { power: 1.0, step: 0.2, most_steps: 64 };
    let (means, _, _) = moments(&[2.0], trajectory, likelihood);
    assert!((means[0] - 0.991_931).abs() < MOMENT, "{means:?}");
}

#[test]
fn a_rotation_is_many_short_rotations_and_can_be_run_backwards() {
    let mut source = stream(0, "test", "rotation", 0);
    let mut bounced = 0;
    for _ in 0..2000 {
        let wall = 2.0;
        let (z, p) = (wall * (2.0 * source.uniform() - 1.0), 2.0 * source.normal());
        let angle = WIDEST_STEP * source.uniform();
        let (mut at, mut momentum) = ([z], [p]);
        assert!(rotate(&mut at, &mut momentum, &[wall], angle));
        assert!(at[0].abs() <= wall);
        let free = z * angle.cos() + p * angle.sin();
        bounced += usize::from((at[0] - free).abs() > ROUNDING);

        // The reference flow: short free flights, with the sign of p reversed beyond a wall.
        let (mut short, mut short_momentum) = (z, p);
        let pieces = 20_000;
        let (sin, cos) = (angle / f64::from(pieces)).sin_cos();
        for _ in 0..pieces {
            (short, short_momentum) = (short * cos + short_momentum * sin, short_momentum * cos - short * sin);
            if short.abs() > wall && short * short_momentum > 0.0 {
                short_momentum = -short_momentum;
            }
        }
        let near = |a: f64, b: f64| (a - b).abs() < SHORT_STEP * (1.0 + p.abs());
        assert!(near(at[0], short) && near(momentum[0], short_momentum), "{z} {p} {angle}: {at:?}, not {short}");

        momentum[0] = -momentum[0];
        assert!(rotate(&mut at, &mut momentum, &[wall], angle));
        assert!((at[0] - z).abs() < ROUNDING.sqrt() && (momentum[0] + p).abs() < ROUNDING.sqrt());
    }
    assert!(bounced > 100, "{bounced} bounces");
}

#[test]
fn a_rotation_of_more_bounces_than_are_followed_says_so_forwards_and_backwards() {
    // At a radius far beyond the wall, bounces are 2 asin(wall / radius) apart.
    let (wall, angle) = (0.1, 0.5);
    for (bounces, expected) in [(20.0, true), (BOUNCES as f64 - 2.0, true), (BOUNCES as f64 + 2.0, false), (1e6, false)]
    {
        let p = wall / libm::sin(angle / bounces / 2.0);
        let (mut at, mut momentum) = ([0.0], [p]);
        assert_eq!(rotate(&mut at, &mut momentum, &[wall], angle), expected, "{bounces} bounces");
        if expected {
            momentum[0] = -momentum[0];
        } else {
            (at, momentum) = ([0.0], [-p]);
        }
        assert_eq!(rotate(&mut at, &mut momentum, &[wall], angle), expected, "{bounces} bounces backwards");
    }
}

#[test]
fn a_trajectory_whose_bounces_run_out_moves_nothing() {
    let mut evaluations = 0;
    let mut cliff = |z: &[f64], gradient: &mut [f64]| {
        evaluations += 1;
        gradient.fill(1e6);
        1e6 * z[0]
    };
    let mut state = State::new(vec![0.5], &mut cliff);
    let trajectory = Trajectory { power: 1.0, step: 0.2, most_steps: 64 };
    let moved = state.transition(&[2.0], trajectory, &mut cliff, &mut stream(0, "test", "hamiltonian", 2));
    assert_eq!((moved, state.position, evaluations), (0.0, vec![0.5], 1));
}

#[test]
fn walls_so_near_that_bounces_run_out_leave_the_target_as_it_is() {
    // A momentum beyond 32 * 2 w / angle bounces too often, which happens in about one trajectory in ten.
    let wall = 0.02;
    let flat = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        0.0
    };
    let trajectory = Trajectory { power: 1.0, step: WIDEST_STEP, most_steps: 1 };
    let (means, variances, _) = moments(&[wall], trajectory, flat);
    // A Gaussian truncated this narrowly is nearly uniform.
    let expected = wall * wall / 3.0;
    assert!(means[0].abs() < MOMENT * wall, "{means:?}");
    assert!((variances[0] / expected - 1.0).abs() < MOMENT, "{variances:?}, not {expected}");
}

#[test]
fn an_energy_that_is_no_number_moves_nothing() {
    let mut at_start = true;
    let mut likelihood = |_: &[f64], gradient: &mut [f64]| {
        gradient.fill(f64::NAN);
        if std::mem::take(&mut at_start) { 0.0 } else { f64::NAN }
    };
    let mut state = State::new(vec![0.5], &mut likelihood);
    let trajectory = Trajectory { power: 1.0, step: 0.2, most_steps: 64 };
    let moved = state.transition(&[2.0], trajectory, &mut likelihood, &mut stream(0, "test", "hamiltonian", 1));
    assert_eq!((moved, state.position), (0.0, vec![0.5]));
}
