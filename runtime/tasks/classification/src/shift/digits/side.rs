//! The resolutions at which digits are drawn.

/// The default number of rows, and of columns, of a drawn image; there is one channel.
pub const SIDE: usize = 28;
/// The fewest rows on which a person can recognise digits.
pub const LEAST_SIDE: usize = 8;
/// The most rows on which digits are drawn.
pub const MOST_SIDE: usize = 256;
