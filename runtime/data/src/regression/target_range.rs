//! The range of a table's targets.

use jointly_core::regression::dataset::Targets;

/// The largest absolute value of a target.
///
/// In simulations the values of a random forest are means of targets, its spreads are at most twice the largest target,
/// and no noise distribution has a deviate beyond 2e5. So simulated targets are at most 4e5 times the largest target,
/// 4e37; the largest `f32` is 3.4e38.
pub const MAX_TARGET: f32 = 1e32;

/// Returns the first row whose target has an absolute value above [`MAX_TARGET`].
pub fn beyond_range(table: &Targets) -> Option<usize> {
    table.targets().iter().position(|y| y.abs() > MAX_TARGET)
}
