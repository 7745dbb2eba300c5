//! An agent's predictions of a function of one input, for a picture.

use jointly_core::regression::Bounds;

/// An agent's predictions at each place of a grid, in the data's units.
pub struct LineBelief {
    /// The mean of the predictions.
    pub mean: Vec<f64>,
    /// Confidence intervals of the function's value.
    pub confidence: Bounds,
    /// Prediction intervals of an observation.
    pub prediction: Bounds,
    /// Distinct sampled functions, in the order of their draws; fewer than requested if there are no more.
    pub functions: Vec<Vec<f64>>,
}
