//! Comparison of agents by their correlations alone: XLL and XLLR of all agents on one problem.

mod belief;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use belief::{BeliefDefect, CorrelationBelief, MOST_BELIEF_BYTES};
pub(crate) use belief::{MOST_BATCH, MOST_ROWS};

use jointly_core::correlations::{CrossLikelihoods, DensityError};
use jointly_core::score::Real;

/// XLL and XLLR of some agents on one problem, with each agent as the reference once: algorithm 2 of Wang, Sun and
/// Grosse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossScores {
    /// Number of test points, each with a group.
    pub rows: u64,
    /// Number b of points in a group.
    pub batch: u32,
    /// `xll[reference][candidate]`, in nats per point; `None` if either agent is not compared.
    pub xll: Vec<Vec<Option<Real>>>,
    /// `ranks[reference][candidate]`, 0 for the best; `None` if either agent is not compared.
    pub ranks: Vec<Vec<Option<Real>>>,
    /// Each agent's XLL, averaged over the references.
    pub mean_xll: Vec<Option<Real>>,
    /// Each agent's rank, averaged over the references: XLLR.
    pub mean_rank: Vec<Option<Real>>,
    /// The agents that are not compared, in ascending order, and why.
    pub failures: Vec<(usize, String)>,
}

/// Why predictive distributions cannot be compared.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CrossError {
    /// There are none.
    #[error("there are no beliefs to compare")]
    Empty,
    /// A predictive distribution cannot be read.
    #[error("belief {index}: {defect}")]
    Belief {
        /// Its index, from 0.
        index: usize,
        /// The defect.
        defect: BeliefDefect,
    },
    /// A predictive distribution is for other test points or groups than the first.
    #[error(
        "belief {index} is of other targets or groups than the first: compare beliefs of one problem under one seed"
    )]
    Different {
        /// Its index, from 0.
        index: usize,
    },
    /// The targets have no density.
    #[error(transparent)]
    Density(#[from] DensityError),
}

/// Computes XLL and XLLR of agents on one problem, from the bytes that [`run`](crate::RegressionProblem::run) returns
/// for each.
///
/// # Formula
/// As in [`CrossLikelihoods::new`]. Likelihoods use the correlations as the bytes hold them, in `f32`.
///
/// # Errors
/// When there are no predictive distributions, one cannot be read, or they differ in their targets or group size. An
/// agent whose prediction has no density is listed in the [failures](CrossScores::failures) instead.
pub fn cross_scores<B: AsRef<[u8]>>(beliefs: impl IntoIterator<Item = B>) -> Result<CrossScores, CrossError> {
    // The bytes of a belief are dropped once it is read.
    let read = |(index, bytes): (usize, B)| {
        CorrelationBelief::read(bytes.as_ref()).map_err(|defect| CrossError::Belief { index, defect })
    };
    let beliefs = beliefs.into_iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = beliefs.first() else { return Err(CrossError::Empty) };
    let same = |belief: &CorrelationBelief| belief.batch() == first.batch() && belief.targets() == first.targets();
    if let Some(index) = beliefs.iter().position(|belief| !same(belief)) {
        return Err(CrossError::Different { index });
    }
    let (targets, batch) = (first.targets().to_vec(), first.batch());
    let count = beliefs.len();
    let moments = beliefs.into_iter().map(CorrelationBelief::into_moments);
    let cross = CrossLikelihoods::new(moments, &targets, batch as usize)?;
    let each = || 0..count;
    let table = |entry: &dyn Fn(usize, usize) -> Option<f64>| {
        each().map(|reference| each().map(|candidate| entry(reference, candidate).map(Real)).collect()).collect()
    };
    Ok(CrossScores {
        rows: targets.len() as u64,
        batch,
        xll: table(&|reference, candidate| cross.likelihood(reference, candidate)),
        ranks: table(&|reference, candidate| cross.rank(reference, candidate)),
        mean_xll: each().map(|candidate| cross.mean_likelihood(candidate).map(Real)).collect(),
        mean_rank: each().map(|candidate| cross.mean_rank(candidate).map(Real)).collect(),
        failures: cross.failures().iter().map(|(index, error)| (*index, error.to_string())).collect(),
    })
}

#[cfg(test)]
mod tests;
