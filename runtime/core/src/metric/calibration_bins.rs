//! The data of a reliability diagram: the number of predictions and of correct predictions in bins of confidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::score::Real;

/// Predictions whose confidence falls in one of [`CALIBRATION_BINS`](super::CALIBRATION_BINS) bins of equal width, by
/// [`expected_calibration_error`](super::expected_calibration_error)'s rule. In JSON `[inputs, right, confidence]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(u64, u64, Real)", into = "(u64, u64, Real)")]
pub struct CalibrationBin {
    /// The number of inputs.
    pub inputs: u64,
    /// The number of correct predictions among them.
    pub right: u64,
    /// The sum of their confidences.
    pub confidence: f64,
}

impl From<(u64, u64, Real)> for CalibrationBin {
    fn from((inputs, right, Real(confidence)): (u64, u64, Real)) -> Self {
        Self { inputs, right, confidence }
    }
}

impl From<CalibrationBin> for (u64, u64, Real) {
    fn from(CalibrationBin { inputs, right, confidence }: CalibrationBin) -> Self {
        (inputs, right, Real(confidence))
    }
}

impl CalibrationBin {
    /// Adds the predictions of another problem in the same bin.
    pub fn add(&mut self, other: &Self) {
        self.inputs = self.inputs.saturating_add(other.inputs);
        self.right = self.right.saturating_add(other.right);
        self.confidence += other.confidence;
    }
}
