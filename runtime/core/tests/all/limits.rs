//! Cases in which Monte Carlo and the partition must agree.

use jointly_core::estimate::{MonteCarlo, joint_log_likelihood};
use proptest::prelude::*;

use crate::brute_force::{Case, case};

/// Tolerance for rounding in sums of a dozen logarithms.
const ROUNDING: f64 = 1e-12;
/// The effect of clipping one label's probability of 1.
const CLIP: f64 = 4e-7;

fn monte_carlo(case: &Case) -> f64 {
    let mut estimate = MonteCarlo::new();
    for function in &case.functions {
        estimate.add(joint_log_likelihood(function, &case.labels, case.num_classes), 1);
    }
    estimate.finish().log_likelihood
}

fn likelihood_of_the_mean(case: &Case) -> f64 {
    let position = |(t, &label): (usize, &u32)| t * case.num_classes + label as usize;
    let mean = |position: usize| {
        let sum: f64 = case.functions.iter().map(|function| f64::from(function[position])).sum();
        sum / case.functions.len() as f64
    };
    case.labels.iter().enumerate().map(position).map(|position| mean(position).ln()).sum()
}

proptest! {
    #[test]
    fn one_draw_agrees_to_the_bit(mut case in case()) {
        case.functions.truncate(1);
        prop_assert_eq!(case.estimate(false).to_bits(), monte_carlo(&case).to_bits());
    }

    #[test]
    fn draws_that_are_all_equal_agree_to_the_bit(mut case in case(), draws in 1_usize..20) {
        case.functions = vec![case.functions[0].clone(); draws];
        let alone = joint_log_likelihood(&case.functions[0], &case.labels, case.num_classes);
        prop_assert_eq!(case.estimate(false).to_bits(), alone.to_bits());
        prop_assert_eq!(monte_carlo(&case).to_bits(), alone.to_bits());
    }

    #[test]
    fn one_draw_within_the_clip_agrees_but_for_the_smoothing(mut case in case()) {
        case.functions.truncate(1);
        for p in &mut case.functions[0] {
            *p = p.clamp(0.25, 0.75);
        }
        // (p + 1e-6) / (1 + 1e-6) equals p to 3e-6 if p is at least a quarter.
        let tolerance = 4e-6 * case.labels.len() as f64;
        prop_assert!((case.estimate(true) - monte_carlo(&case)).abs() < tolerance);
    }

    #[test]
    fn without_planes_it_is_the_likelihood_of_the_mean_prediction(mut case in case()) {
        case.planes = 0;
        let (estimate, expected) = (case.estimate(false), likelihood_of_the_mean(&case));
        prop_assert!(estimate == expected || (estimate - expected).abs() < ROUNDING * expected.abs().max(1.0));
    }
}

/// Returns eight different functions, at tau 3 and K 3.
fn different() -> Case {
    let function = |m: u8| {
        let weights: Vec<f32> = (0..9).map(|i| (f32::from(m) * 1.7 + f32::from(i as u8)).sin().abs() + 0.1).collect();
        weights.chunks(3).flat_map(|row| row.iter().map(|weight| weight / row.iter().sum::<f32>())).collect()
    };
    Case { num_classes: 3, labels: vec![0, 2, 1], functions: (0..8).map(function).collect(), planes: 0, seed: 3 }
}

#[test]
fn ever_more_planes_tend_to_monte_carlo() {
    let truth = monte_carlo(&different());
    let gap = |planes| {
        let seeds = 0..50;
        let gaps = seeds.map(|seed| (Case { planes, seed, ..different() }.estimate(false) - truth).abs());
        gaps.sum::<f64>() / 50.0
    };
    let gaps = [gap(0), gap(2), gap(6), gap(20)];
    assert!(gaps.is_sorted_by(|a, b| a > b), "{gaps:?}");
    assert!(gaps[3] < gaps[0] / 20.0, "{gaps:?}");
}

#[test]
fn a_certain_function_is_clipped_to_five_standard_deviations() {
    let case =
        Case { num_classes: 2, labels: vec![1; 100], functions: vec![[0.0, 1.0].repeat(100); 4], planes: 7, seed: 0 };
    assert_eq!(case.estimate(false), 0.0);
    let clipped = case.estimate(true);
    assert!(clipped < 0.0 && clipped > -100.0 * CLIP, "{clipped}");
}
