//! The test case of the Uncertainty Toolbox: three Gaussian predictions and all their scores.

use jointly_core::regression::{Belief, FunctionSamples, Gaussian, Intervals, Targets};
use std::convert::Infallible;

use jointly_core::matrix::Matrix;

use super::super::*;

/// Half a unit in the last printed digit.
const PRINTED: f64 = 5e-7;

/// An agent with fixed predictions: Gaussian moments, or the same numbers as draws of one function.
struct Fixed {
    mean: Vec<f32>,
    noise: Vec<f32>,
    gaussian: bool,
}

impl Belief for Fixed {
    type Error = Infallible;

    fn canonical_draws(&mut self, draws: &[u64]) -> Result<Vec<u64>, Infallible> {
        Ok(vec![0; draws.len()])
    }

    fn sample_functions(&mut self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Infallible> {
        // An input is the index of its row.
        let at = |list: &[f32]| -> Vec<f32> {
            draws.iter().flat_map(|_| inputs.values().iter().map(|&row| list[row as usize])).collect()
        };
        Ok(FunctionSamples::new(inputs.rows(), draws.len(), at(&self.mean), at(&self.noise)).unwrap())
    }

    fn gaussian(&mut self, inputs: &Matrix) -> Result<Option<Gaussian>, Infallible> {
        let rows = inputs.rows();
        let at = |list: &[f32]| inputs.values().iter().map(|&row| f64::from(list[row as usize])).collect::<Vec<_>>();
        let (mean, variance) = (at(&self.mean), at(&self.noise).iter().map(|s| s * s).collect());
        let moments = || Gaussian::new(rows, mean, vec![0.0; rows * rows], variance).unwrap();
        Ok(self.gaussian.then(moments))
    }

    fn intervals(&mut self, _: &Matrix, _: f64) -> Result<Option<Intervals>, Infallible> {
        Ok(None)
    }
}

fn scores(mean: Vec<f32>, noise: Vec<f32>, targets: Vec<f32>, gaussian: bool) -> RegressionScores {
    let inputs = Matrix::new(targets.len(), 1, (0..targets.len()).map(|row| row as f32).collect()).unwrap();
    let mut fitted = Fitted::new(Fixed { mean, noise, gaussian }, Standardization::identity(1));
    let test = Targets::new(inputs, targets).unwrap();
    evaluate(&mut fitted, &test, None, &PredictionOptions::paper(0.into(), "toolbox"), &mut |_| {}).unwrap().scores
}

#[test]
fn every_score_comes_out_to_all_digits() {
    for gaussian in [true, false] {
        let scores = scores(vec![1.0, 2.0, 3.0], vec![0.1, 0.5, 1.0], vec![1.5, 3.0, 2.0], gaussian);
        let expected = [
            ("nll", scores.nll.0, 4.920_361),
            ("nll of the mixture", scores.nll_mixture.0, 4.920_361),
            ("crps", scores.crps.0, 0.590_806),
            ("crps of the mixture", scores.crps_mixture.0, 0.590_806),
            ("check", scores.check.0, 0.298_014),
            ("interval", scores.interval.0, 3.207_557),
            ("mean absolute calibration error", scores.calibration_mae.0, 0.373_333),
            ("root mean squared calibration error", scores.calibration_rmse.0, 0.416_576),
            ("miscalibration area", scores.miscalibration_area.0, 0.377_104),
            ("sharpness", scores.sharpness.0, 0.648_074),
            ("rmse", scores.rmse.0, (2.25_f64 / 3.0).sqrt()),
        ];
        for (name, found, expected) in expected {
            // The agent gets the standard deviation of 0.1 as an f32; the likelihood uses its inverse square.
            let tolerance = PRINTED + expected * 1e-7;
            assert!((found - expected).abs() < tolerance, "{name}: {found}, expected {expected}");
        }
        let from = if gaussian { Origin::Agent } else { Origin::Draws };
        assert_eq!(scores.moments_from, from);
        let from = if gaussian { Origin::Moments } else { Origin::Draws };
        assert!(scores.levels.iter().all(|level| level.prediction_from == from && level.confidence_from == from));
    }
}

#[test]
fn certain_predictions_have_scores_that_are_defined() {
    // In the second test set the first prediction is right and the other two are wrong by 1.
    let all = scores(vec![1.0, 2.0], vec![0.0, 0.1], vec![1.0, 2.0], true);
    assert_eq!((all.nll.0, all.nll_mixture.0, all.certain), (f64::NEG_INFINITY, f64::NEG_INFINITY, 1));
    let scores = scores(vec![1.0, 2.0, 3.0], vec![0.0; 3], vec![1.0, 3.0, 2.0], true);
    assert_eq!((scores.nll.0, scores.nll_mixture.0, scores.certain), (f64::INFINITY, f64::INFINITY, 3));
    assert_eq!((scores.crps.0, scores.crps_mixture.0, scores.sharpness.0), (2.0 / 3.0, 2.0 / 3.0, 0.0));
    assert!((scores.check.0 - 1.0 / 3.0).abs() < 1e-12);
    assert!(scores.interval.0.is_finite() && scores.miscalibration_area.0.is_finite());
    assert!(scores.levels.iter().all(|level| level.width.0 == 0.0 && level.picp.0 == 1.0 / 3.0));
}

#[test]
fn scores_survive_json_to_the_bit() {
    let scores = scores(vec![1.0, 2.0], vec![0.0, 0.3], vec![1.5, 3.0], true);
    assert_eq!(scores.nll.0, f64::INFINITY);
    let text = serde_json::to_string(&scores).unwrap();
    assert_eq!(serde_json::from_str::<RegressionScores>(&text).unwrap(), scores);
}
