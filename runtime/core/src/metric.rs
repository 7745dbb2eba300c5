//! Metrics of predictions, joint and marginal.

mod accuracy;
mod brier;
mod calibration;
mod calibration_bins;
mod confidence;
mod entropy;
mod gather;
mod joint;
mod marginal;
mod marginal_metric;
mod nll;
mod ranking;
mod reliability;
mod rows;
#[cfg(test)]
mod samples;
mod smooth_ece;

pub use accuracy::{accuracy, accuracy_score};
pub use brier::{BrierScore, brier};
pub use calibration::{CALIBRATION_BINS, expected_calibration_error};
pub use calibration_bins::CalibrationBin;
pub use confidence::{ConfidencePoint, THRESHOLDS, confidence_curve, confidence_thresholds, confidences};
pub use entropy::PredictiveEntropy;
pub use gather::{Gather, MarginalMetric};
pub use joint::Metric;
pub use marginal::MarginalScores;
pub use marginal_metric::{MARGINAL_METRICS, MarginalValues};
pub use nll::{NegativeLogLikelihood, nll};
pub use ranking::{DETECTION_PERCENT, Detection, auc, average_precision, detection, false_positive_rate};
pub use reliability::{Bins, ReliabilityBin, ReliabilityDiagram, confidence_quantiles, reliability_diagram};
pub use smooth_ece::smooth_calibration_error;
