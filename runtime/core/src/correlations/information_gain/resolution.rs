//! Where rounding begins.

/// The share of its variance below which what is left of a variance is rounding.
///
/// Of a value that is known this well no more can be learned, so that no test point ever yields more than
/// -ln(`RESOLUTION`) / 2 = 13.9 nats.
pub const RESOLUTION: f64 = 1.0 / (1_u64 << 40) as f64;
