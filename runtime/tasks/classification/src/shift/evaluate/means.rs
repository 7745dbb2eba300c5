//! The predictions of one condition, before they are scored.

use jointly_core::score::JointScore;

/// An agent's predictions at some inputs, averaged over draws.
pub(super) struct Means {
    /// The mean over draws of class probabilities, R x K row-major.
    pub(super) marginals: Vec<f64>,
    pub(super) joint: Vec<(u32, JointScore)>,
    pub(super) brier_by_draws: Vec<(u32, f64)>,
}
