//! The data types of regression agents: task, training examples, and predictions.

pub mod answer;
pub mod dataset;
pub mod regressor;

pub use answer::{AnswerError, Bounds, FunctionSamples, Gaussian, Intervals};
pub use dataset::{RegressionTask, Targets, TargetsError};
pub use regressor::{Belief, Regressor};
