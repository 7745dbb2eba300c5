//! What a unit costs.

use jointly_host::Failure;

/// The cost of a unit.
#[derive(Clone, Debug)]
pub struct Cost {
    /// On one core.
    pub seconds: f64,
    /// None where the host itself does the work.
    pub fuel: Option<f64>,
    /// How it ends, where it does so before its time.
    pub failure: Option<Failure>,
}
