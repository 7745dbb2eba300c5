//! The sizes that digits are drawn at.

/// Rows, and columns, of an image of [`digit`](super::digit) and [`outsider`](super::outsider); there is one channel.
pub const SIDE: usize = 28;
/// The fewest rows that a person can tell digits on.
pub const LEAST_SIDE: usize = 8;
/// The most rows that digits are drawn on.
pub const MOST_SIDE: usize = 256;
