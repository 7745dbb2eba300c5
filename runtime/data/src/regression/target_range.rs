//! The range that a table's targets must be in.

use jointly_core::regression::dataset::Targets;

/// The largest target of a table, either way.
///
/// A forest's values are means of targets, and its spreads are at most twice the largest; no deviate of any law is beyond 2e5.
/// New targets are so within 4e5 times the largest, 4e37, and `f32` ends at 3.4e38.
pub const MAX_TARGET: f32 = 1e32;

/// The first row whose target is beyond [`MAX_TARGET`].
pub fn beyond_range(table: &Targets) -> Option<usize> {
    table.targets().iter().position(|y| y.abs() > MAX_TARGET)
}
