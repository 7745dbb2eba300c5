//! Brier scores against answers worked out by hand, and simulations in any order.

use jointly_core::score::Real;
use jointly_core::stream::stream;

use super::*;
use crate::predictive::Origin;

#[test]
fn a_brier_score_by_hand() {
    // Coverage 0.5 and 1.0 at two points: (0.3^2 + 0.2^2) / 2.
    let found = brier(&[vec![0.0, 1.0], vec![1.0, 1.0]], 0.8);
    assert!((found.score.0 - 0.065).abs() < 1e-12);
    // The first point's variance over simulations is 1/2, that of its mean is 1/4, and there are two points.
    assert!((found.bias.0 - 0.125).abs() < 1e-12);
    // Without one simulation or the other, the first point's coverage is 1 or 0: scores 0.04 and (0.64 + 0.04) / 2.
    let (a, b): (f64, f64) = (0.04, 0.34);
    assert!((found.stderr.0 - (a - b).abs() / 2.0).abs() < 1e-12);
}

#[test]
fn one_simulation_has_a_score_and_no_error() {
    let found = brier(&[vec![0.9, 0.7]], 0.8);
    assert!((found.score.0 - 0.01).abs() < 1e-7);
    assert!(found.stderr.0.is_nan() && found.bias.0.is_nan());
}

/// Over many repetitions, the mean of score minus bias is the score of infinitely many simulations, and the mean error
/// is the spread of the scores.
#[test]
fn bias_and_error_are_what_repetitions_show() {
    let truth = [0.6, 0.8, 0.95];
    let exact = (0.04 + 0.0 + 0.0225) / 3.0;
    let repetitions = 400;
    let (mut scores, mut biases, mut errors) = (Vec::new(), 0.0, 0.0);
    for repetition in 0..repetitions {
        let mut source = stream(repetition, "test", "brier", 0);
        let simulation = |_| truth.iter().map(|&p| f32::from(u8::from(source.uniform() < p))).collect();
        let simulations: Vec<Vec<f32>> = (0..50).map(simulation).collect();
        let found = brier(&simulations, 0.8);
        scores.push(found.score.0);
        biases += found.bias.0 / repetitions as f64;
        errors += found.stderr.0 / repetitions as f64;
    }
    let mean = scores.iter().sum::<f64>() / repetitions as f64;
    let spread = (scores.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (repetitions - 1) as f64).sqrt();
    let error = spread / (repetitions as f64).sqrt();
    assert!((mean - biases - exact).abs() < 4.0 * error, "{mean} - {biases}, expected {exact}");
    assert!((errors / spread - 1.0).abs() < 0.2, "{errors} and {spread}");
}

fn level(covered: &[f32], held: &[bool]) -> LevelCoverage {
    LevelCoverage {
        level: 0.8,
        prediction_from: Origin::Agent,
        confidence_from: Origin::Draws,
        observed: Flags(held.to_vec()),
        covered: Numbers(covered.to_vec()),
        prediction_widths: Numbers(vec![1.0; covered.len()]),
        held: Flags(held.to_vec()),
        confidence_widths: Numbers(vec![0.5; covered.len()]),
    }
}

fn simulation(covered: &[f32], held: &[bool]) -> SimulationCoverage {
    SimulationCoverage { levels: vec![level(covered, held)] }
}

#[test]
fn the_order_in_which_simulations_finish_does_not_matter() {
    let simulations: Vec<_> =
        (0..7).map(|i| simulation(&[0.1 * i as f32, 0.3, 0.77], &[i % 2 == 0, true, i % 3 == 0])).collect();
    let summary = |order: &[u32]| {
        let mut coverage = Coverage::default();
        for &i in order {
            coverage.add(i, simulations[i as usize].clone()).unwrap();
        }
        coverage.summary().unwrap()
    };
    let forwards = summary(&[0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(forwards, summary(&[6, 2, 4, 0, 1, 5, 3]));
    let confidence = &forwards.levels[0].confidence;
    assert_eq!(confidence.by_point[1], Real(1.0));
    assert!((confidence.by_point[0].0 - 4.0 / 7.0).abs() < 1e-12);
    assert_eq!((confidence.lowest, confidence.highest), (Real(1.0 / 3.0), Real(1.0)));
    assert_eq!((confidence.origin, confidence.width.mean), (Origin::Draws, 0.5));
    let prediction = &forwards.levels[0].prediction;
    assert!((prediction.by_point[0].0 - 0.3).abs() < 1e-7);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut coverage = Coverage::default();
    assert!(coverage.summary().is_none());
    coverage.add(0, simulation(&[0.5, 0.5], &[true, true])).unwrap();
    let mut add = |number, simulation| coverage.add(number, simulation).unwrap_err().to_string();
    assert_eq!(add(0, simulation(&[0.5, 0.5], &[true, true])), "simulation 0 is given twice");
    assert_eq!(add(1, simulation(&[0.5], &[true])), "simulation 1 has 1 test points, expected 2");
    assert!(add(2, simulation(&[0.5, 0.5], &[true])).starts_with("simulation 2 is damaged"));
    assert!(add(3, simulation(&[0.5, 1.5], &[true, true])).starts_with("simulation 3 is damaged"));
    let other = SimulationCoverage { levels: vec![LevelCoverage { level: 0.9, ..level(&[0.5; 2], &[true; 2]) }] };
    assert_eq!(add(4, other), "simulation 4 has levels [0.9], expected [0.8]");
    assert!(add(5, SimulationCoverage::default()).starts_with("simulation 5 is damaged"));
}

#[test]
fn a_simulation_survives_json() {
    let simulation = simulation(&[0.1, 0.799_999_95], &[true, false]);
    let text = serde_json::to_string(&simulation).unwrap();
    assert!(text.contains(r#""held":"10""#) && text.contains(r#""confidence_from":"draws""#), "{text}");
    assert_eq!(serde_json::from_str::<SimulationCoverage>(&text).unwrap(), simulation);
}
