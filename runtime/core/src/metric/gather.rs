//! What a metric of single inputs' predictions is: its definition, and how it gathers predictions one by one.

use std::fmt;

use crate::score_def::ScoreInfo;

/// A metric of single inputs' predictions.
pub struct MarginalMetric {
    /// What is said of it. Its stem is its name in a journal, and never changes.
    pub about: ScoreInfo,
    /// Begins to gather predictions.
    pub gather: fn() -> Box<dyn Gather>,
}

/// The predictions that a metric has seen so far, as far as they matter to it.
pub trait Gather: fmt::Debug + Send {
    /// Adds an input: the mean over draws of its class probabilities, and its label.
    fn add(&mut self, probs: &[f64], label: u32);

    /// The metric over all inputs; NaN of none.
    fn value(&self) -> f64;
}
