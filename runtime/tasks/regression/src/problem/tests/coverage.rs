//! The line of section 3.2, run as a suite: its published coverage.

use super::*;
use crate::noise::Noise;
use crate::tests::least_squares::LeastSquares;
use crate::{Coverage, regression_suite};

#[test]
fn the_line_is_covered_as_the_paper_says() {
    let suite = regression_suite("coverage/line").unwrap();
    let options = RegressionOptions { levels: vec![0.8], ..suite.options };
    let mut coverage = Coverage::default();
    for (number, problem) in suite.problems.iter().enumerate() {
        let unit = through_json(&run(problem, &mut LeastSquares { intercept: true }, &options).scores);
        assert_eq!((unit.scores.rows, unit.rounds.len(), &unit.correlations), (500, 0, &None));
        coverage.add(number as u32, unit.coverage.expect("the truth is known")).unwrap();
    }
    let summary = coverage.summary().unwrap();
    let prediction = &summary.levels[0].prediction;
    eprintln!("PICP {:?} from {:?} to {:?}", prediction.mean, prediction.lowest, prediction.highest);
    assert!((prediction.mean.mean - 0.8).abs() < 0.01);
    let error = prediction.brier.bias.0.sqrt();
    assert!(prediction.by_point.iter().all(|fraction| (fraction.0 - 0.8).abs() < 4.0 * error));
}

/// For each data set the interval contains the whole line or none of it, and each point is covered as often as claimed.
#[test]
fn a_line_through_the_origin_stays_one() {
    let suite = regression_suite("coverage/line").unwrap();
    let options = RegressionOptions { levels: vec![0.8], ..suite.options };
    let mut coverage = Coverage::default();
    for (number, problem) in suite.problems.iter().enumerate() {
        let unit = run(problem, &mut LeastSquares { intercept: false }, &options).scores;
        coverage.add(number as u32, unit.coverage.expect("the truth is known")).unwrap();
    }
    let confidence = &coverage.summary().unwrap().levels[0].confidence;
    assert!(confidence.by_simulation.iter().all(|share| share.0 == 0.0 || share.0 == 1.0));
    assert!(confidence.by_point.iter().all(|fraction| fraction.0 == confidence.mean.mean));
    assert!((confidence.mean.mean - 0.8).abs() < 4.0 * confidence.mean.stderr);
}

#[test]
fn toys_have_the_papers_sizes_and_hand_out_validation_examples() {
    let mut agent = Linear::new(true);
    for name in ["line", "homoscedastic", "heteroscedastic", "gap"] {
        let suite = format!("coverage/{name}");
        run(&problem(&suite, &format!("{suite}/sim0")), &mut agent, &RegressionOptions::default());
    }
    let sizes: Vec<_> = agent.seen.iter().map(jointly_core::regression::Targets::rows).collect();
    assert_eq!((sizes, agent.held_out), (vec![25, 1000, 1000, 1000], vec![None, Some(150), Some(150), Some(150)]));
    assert!(agent.told.iter().all(|task| task.noise_std.is_none()));
}

#[test]
fn simulations_share_a_test_set_and_noise_is_chosen() {
    let with = |noise, number: u32| {
        let problem = problem("coverage/gap", &format!("coverage/gap/sim{number}"));
        let mut agent = Linear::new(true);
        let options = RegressionOptions { noise, ..RegressionOptions::default() };
        let unit = run(&problem, &mut agent, &options).scores;
        (agent.seen.swap_remove(0), unit)
    };
    let (normal, other, skewed) = (with(Noise::Normal, 0), with(Noise::Normal, 1), with(Noise::Exponential, 0));
    assert_ne!(normal.0, other.0);
    assert_eq!(normal.0.rows(), skewed.0.rows());
    assert_ne!(normal.0.targets(), skewed.0.targets());
    // The same Gaussian interval at 90 % contains a different share of a skewed distribution than of a normal one.
    assert_ne!(normal.1.scores.levels[2].picp, skewed.1.scores.levels[2].picp);
}
