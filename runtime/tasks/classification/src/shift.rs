//! Dataset shift: moves inputs away from those that an agent trained on, by a named shift and a severity.
//!
//! Every shift is a pure function of (data, shift, severity, stream): plain loops in a fixed order, transcendental
//! functions from `libm`, random numbers only from [`Stream`](jointly_core::Stream). The same data, shift and stream
//! give the same bits on every platform. A shift never produces a NaN, nor a pixel outside [0, 1].
//!
//! Source: Ovadia et al., Can you trust your model's uncertainty? Evaluating predictive uncertainty under dataset shift
//! (2019); Hendrycks & Dietterich, Benchmarking neural network robustness to common corruptions and perturbations
//! (2019).

mod border;
mod classes;
mod corruption;
mod dataset;
pub mod digits;
mod draw;
mod drawn;
mod error;
mod evaluate;
mod filter;
#[cfg(test)]
mod fixture;
mod input;
mod instance;
mod kind;
mod level;
mod options;
mod pixels;
mod plane;
mod problem;
mod rotation;
mod scale;
mod score;
pub mod scores;
mod spline;
mod suites;
mod table;
mod tokens;

pub use classes::ClassShift;
pub use dataset::{ShiftDataError, ShiftDataset};
pub use drawn::DrawnDigits;
pub use error::ShiftError;
pub use evaluate::evaluate_shift;
pub use input::Input;
pub use instance::{Outsiders, ShiftInstance};
pub use kind::DatasetShift;
pub use level::{Shift, ShiftLevel};
pub use options::{ShiftOptions, ShiftOptionsError};
pub use pixels::Pixels;
pub use problem::{ShiftProblem, ShiftSource, attach_datasets};
pub use score::{
    Condition, ConditionScores, Cost, Detection, DetectionScores, ENTROPY_BINS, LabelledScores, ShiftScores, THRESHOLDS,
};
pub use suites::{ShiftSuite, USER_IMAGES, shift_suite, shift_suites};
pub use table::Columns;

#[cfg(test)]
mod tests;
