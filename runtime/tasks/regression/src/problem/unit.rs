//! What an agent scored on one problem of regression, in a form that survives a journal to the bit.

use jointly_core::score::Real;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coverage::SimulationCoverage;
use crate::predictive::Origin;
use crate::score::RegressionScores;

/// What running a problem leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct RegressionResult {
    /// The scores.
    pub scores: RegressionUnit,
    /// What [`cross_scores`](crate::cross_scores) needs of the agent, for problems of correlations.
    pub belief: Option<Vec<u8>>,
}

/// What one agent scored on one problem: a line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegressionUnit {
    /// Scores on the observations of the test set; in active learning those of the predicting agent after the last round.
    pub scores: RegressionScores,
    /// What the intervals cover, where the truth is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<SimulationCoverage>,
    /// Scores of the correlations, where these are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlations: Option<CorrelationScores>,
    /// Before the first query and after each round of active learning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
}

/// Scores of an agent's predictive correlations. Log-likelihoods are nats a point, in the data's units.
///
/// What has no value is left out, and [`absences`](Self::absences) says why; what needs an oracle is left out without a word
/// where there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorrelationScores {
    /// Number of test points whose joint likelihoods are scored.
    pub rows: u64,
    /// Number of pool points that are paired with the test points; 0 where there is no oracle.
    pub pool: u64,
    /// Whether the moments are the agent's or those of draws.
    pub moments_from: Origin,
    /// Number of distinct functions that they are estimated from, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<u64>,
    /// Metacorrelation with the oracle over all pairs of a pool and a test point: Pearson's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metacorrelation: Option<Real>,
    /// The same by ranks: Spearman's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metacorrelation_ranks: Option<Real>,
    /// Pearson's correlation of the variances of f over the pool with the oracle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance_correlation: Option<Real>,
    /// The same by ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance_correlation_ranks: Option<Real>,
    /// Mean log-likelihood of the targets one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marginal: Option<Real>,
    /// Mean joint log-likelihood of random groups, over their size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_random: Option<Real>,
    /// Mean joint log-likelihood of the groups that the agent believes to be the most correlated, over their size: XLL with
    /// itself as reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_correlated: Option<Real>,
    /// XLL with the oracle as reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xll_oracle: Option<Real>,
    /// What is missing of these, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absences: Vec<Absence>,
    /// Jitter of the problem itself, where any was added; none is ever added to an agent's covariance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Jitter>,
    /// The digest of the belief that cross-normalised likelihoods are computed from.
    pub belief: String,
}

/// A score that has no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absence {
    /// The field of [`CorrelationScores`].
    pub score: String,
    /// Why there is none.
    pub reason: String,
}

/// What was added to diagonals so that they could be factorised.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Jitter {
    /// To the kernel's matrix of all points, from which the function was drawn: that much white noise is part of it.
    pub function: Real,
    /// To the oracle's matrix of the training points, besides the noise.
    pub oracle: Real,
}

/// How the predicting agent does on the test set at one size of the training set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Points that it was trained on.
    pub train: u64,
    /// Points that were queried just before; 0 in the first entry.
    pub queried: u64,
    /// Root mean squared error of the mean.
    pub rmse: Real,
    /// Negative log-likelihood of the Gaussian of the predicted mean and variance, nats a point.
    pub nll: Real,
    /// The same of the oracle after the same points, where there is one: what the selection alone is worth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleRound>,
}

/// How the oracle does on the test set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OracleRound {
    /// Root mean squared error of the mean.
    pub rmse: Real,
    /// Negative log-likelihood, nats a point.
    pub nll: Real,
}
