//! Example 1 of the paper's appendix A.1: a belief that is uniform over all deterministic models of tau labels.

use jointly_core::estimate::{MonteCarlo, Partition, Planes, joint_log_likelihood};

/// Tolerance for the rounding of a logarithm.
const ROUNDING: f64 = 1e-12;

/// Returns the model whose labels are the bits of `m`.
fn model(m: u32, tau: u32) -> Vec<f32> {
    (0..tau).flat_map(|t| if m >> t & 1 == 1 { [0.0, 1.0] } else { [1.0, 0.0] }).collect()
}

fn labels(m: u32, tau: u32) -> Vec<u32> {
    (0..tau).map(|t| m >> t & 1).collect()
}

fn truth(tau: u32) -> f64 {
    -f64::from(tau) * std::f64::consts::LN_2
}

#[test]
fn monte_carlo_over_all_models_gives_the_likelihood_of_any_labels() {
    for tau in [1, 3, 8] {
        for y in [0, (1 << tau) / 2, (1 << tau) - 1] {
            let mut estimate = MonteCarlo::new();
            for m in 0..1 << tau {
                estimate.add(joint_log_likelihood(&model(m, tau), &labels(y, tau), 2), 1);
            }
            assert!((estimate.finish().log_likelihood - truth(tau)).abs() < ROUNDING);
        }
    }
}

#[test]
fn monte_carlo_without_the_one_right_model_finds_the_labels_impossible() {
    let tau = 8;
    let mut estimate = MonteCarlo::new();
    for m in 1..1 << tau {
        estimate.add(joint_log_likelihood(&model(m, tau), &labels(0, tau), 2), 1);
    }
    assert_eq!(estimate.finish().log_likelihood, f64::NEG_INFINITY);
}

fn partition(tau: u32, planes: u32, y: u32) -> f64 {
    let planes = Planes::sample(0.into(), "deterministic", tau, 0, 2, planes);
    let mut estimate = Partition::new(planes, &labels(y, tau), 2, false);
    for m in 0..1 << tau {
        estimate.add(&model(m, tau), 1);
    }
    estimate.finish().log_likelihood
}

#[test]
fn one_cell_gives_the_likelihood_of_any_labels() {
    for y in [0, 77, 255] {
        assert!((partition(8, 0, y) - truth(8)).abs() < ROUNDING);
    }
}

#[test]
fn a_cell_a_model_gives_the_likelihood_of_any_labels() {
    for y in 0..8 {
        assert!((partition(3, 20, y) - truth(3)).abs() < ROUNDING);
    }
}
