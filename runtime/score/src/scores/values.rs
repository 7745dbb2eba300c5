//! Numbers of scores as they are written in scores.json.

use jointly_core::{Real, round_significant};

/// Rounds to twelve significant digits; a number that is not finite is written as text, since JSON has no number for
/// it.
pub fn number(x: f64) -> Real {
    Real(round_significant(x))
}
