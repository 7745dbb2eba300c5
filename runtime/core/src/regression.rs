//! What an agent of regression is told, learns from and answers.

pub mod answer;
pub mod dataset;
pub mod regressor;

pub use answer::{AnswerError, Bounds, FunctionSamples, Gaussian, Intervals};
pub use dataset::{RegressionTask, Targets, TargetsError};
pub use regressor::{Belief, Regressor};
