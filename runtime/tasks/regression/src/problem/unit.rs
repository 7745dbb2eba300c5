//! The scores of one agent on one regression problem, in a form that a journal reproduces to the bit.

use jointly_core::score::Real;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::SimulationCoverage;
use crate::predictive::Origin;
use crate::score::RegressionScores;

/// The result of running a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionResult {
    /// The scores.
    pub scores: RegressionUnit,
    /// The agent's predictive distribution as bytes, the input of [`cross_scores`](crate::cross_scores); only for
    /// problems of correlations.
    pub belief: Option<Vec<u8>>,
}

/// The scores of one agent on one problem: a line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegressionUnit {
    /// Scores on the observations of the test set; in active learning those of the predicting agent after the last
    /// round.
    pub scores: RegressionScores,
    /// Coverage of the intervals, where the true function is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<SimulationCoverage>,
    /// Scores of the correlations, for problems of correlations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<CorrelationScores>,
    /// Scores before the first query and after each round of active learning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
}

/// Scores of an agent's predictive correlations. Log-likelihoods are in nats per point, in the data's units.
///
/// A score without a value is omitted, and [`absences`](Self::absences) gives the reason. Scores that need an oracle
/// are omitted without a reason where there is no oracle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorrelationScores {
    /// Number of test points whose joint likelihoods are scored.
    pub rows: u64,
    /// Number of pool points that are paired with the test points; 0 without an oracle.
    pub pool: u64,
    /// Whether the moments are the agent's own or estimated from draws.
    pub moments_from: Origin,
    /// Number of distinct functions that the moments are estimated from; omitted for the agent's own moments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<u64>,
    /// Metacorrelation with the oracle over all pairs of a pool and a test point: Pearson's correlation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metacorrelation: Option<Real>,
    /// Metacorrelation by ranks: Spearman's correlation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metacorrelation_ranks: Option<Real>,
    /// Pearson's correlation of the variances of f over the pool with the oracle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance_correlation: Option<Real>,
    /// Spearman's correlation of these variances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance_correlation_ranks: Option<Real>,
    /// Mean log-likelihood of single targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marginal: Option<Real>,
    /// Mean joint log-likelihood of random groups, divided by their size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_random: Option<Real>,
    /// Mean joint log-likelihood of the groups that are most correlated in the agent's prediction, divided by their
    /// size: XLL with the agent itself as reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_correlated: Option<Real>,
    /// XLL with the oracle as reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xll_oracle: Option<Real>,
    /// The scores above that have no value, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
    /// Jitter added to the problem's own matrices, if any. No jitter is ever added to an agent's covariance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// Digest of the predictive distribution from which cross-normalised likelihoods are computed.
    pub belief: String,
}

/// A score without a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absence {
    /// The name of the field of [`CorrelationScores`].
    pub score: String,
    /// Why it has no value.
    pub reason: String,
}

/// Jitter added to the diagonals of matrices so that they could be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Jitter {
    /// Jitter of the kernel matrix of all points, from which the function is drawn: the function contains white noise
    /// of this variance.
    pub function: Real,
    /// Jitter of the oracle's matrix of the training points, in addition to the noise variance.
    pub oracle: Real,
}

/// Scores of the predicting agent on the test set at one size of the training set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Number of points that it was trained on.
    pub train: u64,
    /// Number of points queried just before; 0 in the first entry.
    pub queried: u64,
    /// Root mean squared error of the predicted mean.
    pub rmse: Real,
    /// Negative log-likelihood of the Gaussian with the predicted mean and variance, in nats per point.
    pub nll: Real,
    /// Scores of the oracle after the same points, where there is one: the value of the selection alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleRound>,
}

/// Scores of the oracle on the test set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OracleRound {
    /// Root mean squared error of the oracle's mean.
    pub rmse: Real,
    /// Negative log-likelihood, in nats per point.
    pub nll: Real,
}
