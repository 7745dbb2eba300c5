//! The share of a variance that counts as rounding error.

/// The share of a prior variance below which the remaining variance counts as rounding error.
///
/// Nothing more can be learned about a value that is known this well, so no test point yields more than
/// -ln(`RESOLUTION`) / 2 = 13.9 nats.
pub const RESOLUTION: f64 = 1.0 / (1_u64 << 40) as f64;
