//! The option `--jobs`: the number of units that run at a time.

use std::num::NonZero;

/// Parses its value.
pub(crate) fn parse(text: &str) -> Result<NonZero<usize>, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".to_owned())
}
