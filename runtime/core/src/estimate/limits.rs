//! The limits of an estimate: draws, hyperplanes, orders and memory.

/// The most draws that sums without rounding can hold.
pub const MAX_DRAWS: u64 = 1 << 18;
/// The most hyperplanes of a partition.
pub const MAX_PLANES: u32 = 20;
/// The most orders of predictive distributions that are scored together.
pub const MAX_TAUS: usize = 100;
/// The most bytes that the estimates of one tau-sample may take.
pub const MAX_SAMPLE_BYTES: u64 = 512 << 20;
