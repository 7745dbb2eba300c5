//! An agent's predictions of a function of one input, as a picture shows them.

use jointly_core::regression::Bounds;

/// An agent's predictions at each place of a grid, in the data's units.
pub struct LineBelief {
    /// The mean of the predictions.
    pub mean: Vec<f64>,
    /// Intervals of the function's value.
    pub confidence: Bounds,
    /// Intervals of an observation.
    pub prediction: Bounds,
    /// Functions that differ, in the order of their draws; fewer than were asked for where there are no more.
    pub functions: Vec<Vec<f64>>,
}
