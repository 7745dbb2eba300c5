//! A unit is one agent on one problem: what its result looks like in the journal.

use jointly_core::regression::RegressionUnit;
use jointly_core::shift::ShiftScores;
use jointly_core::{ProblemScores, Real};
use jointly_host::Failure;
use serde::{Deserialize, Serialize};

use crate::printable::clean;

/// The result of a unit, one line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnitResult {
    /// The agent's label in the plan.
    pub(crate) agent: String,
    pub(crate) problem: String,
    /// Wall-clock time, for people: no score depends on it, and no pack holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
    /// What the agent logged: the first lines, and how many more there were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) log: Vec<String>,
}

impl UnitResult {
    /// The same with what the agent said fit for a terminal.
    pub(crate) fn cleaned(mut self) -> Self {
        self.log.iter_mut().for_each(|line| *line = clean(line));
        match &mut self.outcome {
            Outcome::Failed(failure) => failure.message = clean(&failure.message),
            Outcome::Regression { scores, .. } => {
                let absences = scores.correlations.iter_mut().flat_map(|correlations| &mut correlations.absences);
                absences.for_each(|absence| absence.reason = clean(&absence.reason));
            }
            Outcome::Scored { .. } | Outcome::Shift { .. } => {}
        }
        self
    }
}

/// How a unit ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Scored {
        scores: ProblemScores,
        /// Not metered where the host itself did the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
        /// Of a reference alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diagnosis: Option<SampleDiagnosis>,
    },
    /// On a problem of regression.
    Regression {
        scores: Box<RegressionUnit>,
        fuel: u64,
    },
    /// On a problem of dataset shift.
    Shift {
        scores: Box<ShiftScores>,
        fuel: u64,
    },
    Failed(Failure),
}

/// How far a reference's sample of the posterior is to be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SampleDiagnosis {
    /// The largest over what the chains are compared in.
    pub(crate) r_hat: Real,
    /// The least over the same.
    pub(crate) effective_draws: Real,
    /// The least mean probability of moving among the chains.
    pub(crate) acceptance: Real,
    pub(crate) rounds: u32,
    pub(crate) converged: bool,
}
