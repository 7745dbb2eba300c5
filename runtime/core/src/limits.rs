//! The limits of an agent on one unit: fuel and memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of one unit: training, and all sampling after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Units of fuel, about one for each instruction, by the host's price list; the same on every machine.
    pub fuel: u64,
    /// Bytes of the memories of an instance.
    pub memory: u64,
    /// Seconds that a native agent may take for one request. Fuel and memory do not limit it.
    #[serde(default = "usual_timeout", skip_serializing_if = "is_usual")]
    pub timeout: u64,
}

impl Default for Limits {
    /// Returns [`USUAL_FUEL`], 1 GiB and [`USUAL_TIMEOUT`].
    fn default() -> Self {
        Self { fuel: USUAL_FUEL, memory: 1 << 30, timeout: USUAL_TIMEOUT }
    }
}

fn usual_timeout() -> u64 {
    USUAL_TIMEOUT
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_usual(timeout: &u64) -> bool {
    *timeout == USUAL_TIMEOUT
}

/// The default limit of a native agent's time for one request, in seconds: an hour.
pub const USUAL_TIMEOUT: u64 = 3600;

/// The longest time for one request, in seconds: thirty days.
pub const MOST_TIMEOUT: u64 = 30 * 24 * 3600;

/// The default limit of an agent's fuel on one problem of most kinds of task: four hours at worst, and fifty
/// times what `ensemble` takes.
pub const USUAL_FUEL: u64 = 2_000_000_000_000;

/// The default limit of an agent's fuel on one problem of dataset shift: ten convolutional networks on 8,000 images
/// take 7e13.
pub const SHIFT_FUEL: u64 = 100_000_000_000_000;

/// The default limit of an agent's fuel on one problem of decisions, over all of its trainings: forty trainings and the
/// samples of as many functions as actions.
pub const DECISION_FUEL: u64 = 40_000_000_000_000;
