//! The limits of a user-supplied table, so that every suite can use it.

/// The fewest rows. With 30 rows, a simulation trains on 22, validates on 2 and tests on 6, a split tests on 3, and
/// correlations use 6 points, which suffice for a group of 5 and one more.
pub const MIN_TABLE_ROWS: usize = 30;
/// The most rows; the largest of the known tables has 45 730.
pub const MAX_TABLE_ROWS: usize = 50_000;
/// The most rows for active learning, which pairs three fifths of them with one fifth: 384 MB.
pub const MAX_ACTIVE_ROWS: usize = 20_000;
/// The most features.
pub const MAX_TABLE_FEATURES: usize = 1024;
