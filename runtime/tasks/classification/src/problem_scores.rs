//! The scores of one agent on one problem of classification.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jointly_core::metric::{CalibrationBin, MarginalValues};
use jointly_core::score::{JointScore, Real, Score};

/// The scores of one agent on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemScores {
    /// The number of draws that were asked for, where the evaluation has a [precision](crate::Evaluation::precision).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<u32>,
    /// The joint score at each tau, in the problem's [`Metric`](jointly_core::Metric), in nats per tau-sample.
    pub joint: Vec<(u32, JointScore)>,
    /// Accuracy of the marginal predictions on the rows of the first tau; its standard error is clustered by
    /// tau-sample.
    pub accuracy: Score,
    /// Expected calibration error of the marginal predictions on the rows of the first tau.
    ///
    /// It has no standard error: a sum of absolute gaps, one per bin of rows, is not a mean over tau-samples.
    pub ece: Real,
    /// The other metrics of the marginal predictions on the rows of the first tau.
    #[serde(default)]
    pub marginal: MarginalValues,
    /// The bins of `ece`, from the lowest confidence up; empty in results of older versions, which kept no bins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBin>,
}

impl ProblemScores {
    /// Returns whether every joint score is [precise](JointScore::is_precise).
    pub(crate) fn reaches(&self, precision: f64, draws: u32) -> bool {
        self.joint.iter().all(|(_, score)| score.is_precise(precision, draws))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_json_to_the_bit() {
        let values = [0.1, -1.0, 3.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        for mean in values.into_iter().chain([1.0 / 3.0, f64::from_bits(1), 1e300 / 7.0]) {
            let scores = ProblemScores {
                draws: None,
                joint: vec![
                    (1, JointScore { mean, stderr: f64::NAN, draw_error: mean, effective_draws: 1.0 }),
                    (100, JointScore { mean: 0.5, stderr: mean, draw_error: 0.25, effective_draws: mean }),
                ],
                accuracy: Score { mean, stderr: mean },
                ece: Real(mean),
                marginal: MarginalValues::default(),
                calibration: vec![CalibrationBin { inputs: 3, right: 2, confidence: mean }],
            };
            let text = serde_json::to_string(&scores).unwrap();
            let back: ProblemScores = serde_json::from_str(&text).unwrap();
            assert_eq!(back.joint, scores.joint, "{text}");
            assert_eq!(back.accuracy, scores.accuracy, "{text}");
            assert_eq!(back.ece, scores.ece, "{text}");
        }
    }
}
