//! Metrics of predictions, joint and marginal.

mod accuracy;
mod calibration;
mod joint;

pub use accuracy::accuracy;
pub(crate) use calibration::CalibrationGaps;
pub use calibration::{CALIBRATION_BINS, expected_calibration_error};
pub use joint::Metric;
