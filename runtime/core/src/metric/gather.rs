//! The definition of a metric of marginal predictions, and how it accumulates predictions one by one.

use std::fmt;

use crate::score_def::ScoreInfo;

/// A metric of marginal predictions.
pub struct MarginalMetric {
    /// The metric's description. The stem is the metric's name in a journal, and never changes.
    pub about: ScoreInfo,
    /// Begins to accumulate predictions.
    pub gather: fn() -> Box<dyn Gather>,
}

/// The state of a metric that accumulates predictions.
pub trait Gather: fmt::Debug + Send {
    /// Adds an input: the mean over draws of its class probabilities, and its label.
    fn add(&mut self, probs: &[f64], label: u32);

    /// Returns the metric over all inputs; NaN without inputs.
    fn value(&self) -> f64;
}
