//! Predictive correlations: how well a predictive distribution over functions captures correlations of function values.
//!
//! In this module a belief is an agent's predictive distribution: the joint distribution of f, and the variance of the
//! noise, at given rows. All functions here are pure functions of numbers, after Wang, Sun and Grosse, "Beyond Marginal
//! Uncertainty: How Accurately can Bayesian Regression Models Estimate Posterior Predictive Correlations?" (2021). All
//! computations are plain loops in a fixed order, with the same bits on every CPU.

#[cfg(any(test, feature = "fixture"))]
pub mod brute_force;
mod cholesky;
mod correlation;
mod cross_likelihood;
mod dense;
mod density;
mod information_gain;
mod metacorrelation;
mod moments;
mod order;
mod product;
mod rank;

pub use cholesky::{Cholesky, CholeskyError, JITTERS};
pub use correlation::{correlation_block, correlation_matrix};
pub use cross_likelihood::{
    CrossLikelihoods, GROUP_SIZE, correlated_groups, cross_log_likelihood, joint_log_likelihood,
};
pub use dense::Dense;
pub use density::{DensityError, marginal_log_likelihood};
pub use information_gain::{
    Batch, PoolCovariance, PoolTest, RESOLUTION, batch_information_gain, marginal_information_gain, most_informative,
    total_information_gain,
};
pub use metacorrelation::{Association, Undefined, association, metacorrelation, variance_association};
pub use moments::{Moments, MomentsError, SampledFunctions};
pub use order::{random_groups, random_order};
pub use product::subtract_transposed_product;
pub use rank::mean_ranks;
