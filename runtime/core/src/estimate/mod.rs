//! Estimates of the joint likelihood of labels under an agent's belief, from sampled functions.

mod exact_sum;
mod likelihood;
mod marginal;
mod monte_carlo;
mod partition;
mod planes;
pub mod probit;

pub use exact_sum::ExactSum;
pub use likelihood::joint_log_likelihood;
pub use marginal::MarginalMean;
pub use monte_carlo::MonteCarlo;
pub use partition::Partition;
pub use planes::Planes;

/// The most draws that sums without rounding can hold.
pub const MAX_DRAWS: u64 = 1 << 18;
/// The most hyperplanes that a partition may have.
pub const MAX_PLANES: u32 = 20;
