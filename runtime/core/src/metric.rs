//! Metrics of predictions, joint and marginal.

mod accuracy;
mod calibration;
mod joint;
mod marginal;

pub use accuracy::accuracy;
pub use calibration::{CALIBRATION_BINS, expected_calibration_error};
pub use joint::Metric;
pub(crate) use marginal::MarginalScores;
