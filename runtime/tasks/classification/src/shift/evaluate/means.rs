//! What is known of one condition before it is scored.

use jointly_core::score::JointScore;

/// What an agent predicts of some inputs.
pub(super) struct Means {
    /// The mean over draws of class probabilities, R x K row-major.
    pub(super) marginals: Vec<f64>,
    pub(super) joint: Vec<(u32, JointScore)>,
    pub(super) brier_by_draws: Vec<(u32, f64)>,
}
