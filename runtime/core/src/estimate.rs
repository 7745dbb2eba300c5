//! Estimates of the joint likelihood of labels under an agent's posterior, from sampled functions.

mod bracket;
mod draw_error;
mod exact_sum;
mod jackknife;
mod joint_estimate;
mod k_means;
mod likelihood;
mod limits;
mod marginal;
mod monte_carlo;
mod partition;
mod partitioning;
mod planes;
pub mod probit;

pub use bracket::{Bracket, MIN_EFFECTIVE_DRAWS};
pub use draw_error::DrawError;
pub use exact_sum::ExactSum;
pub use joint_estimate::JointEstimate;
pub use k_means::KMeans;
pub use likelihood::joint_log_likelihood;
pub use limits::{MAX_DRAWS, MAX_PLANES, MAX_SAMPLE_BYTES, MAX_TAUS};
pub use marginal::MarginalMean;
pub use monte_carlo::MonteCarlo;
pub use partition::{Cells, Partition};
pub use partitioning::Partitioning;
pub use planes::Planes;
