//! The cost of a unit.

use jointly_host::Failure;

/// The cost of a unit.
#[derive(Clone, Debug)]
pub struct Cost {
    /// Seconds on one core.
    pub seconds: f64,
    /// Fuel used; `None` if the host itself does the work.
    pub fuel: Option<f64>,
    /// The failure, if the unit ends early.
    pub failure: Option<Failure>,
}
