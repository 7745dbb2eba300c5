//! A unit is one agent on one problem: its place in the plan, and its result as the journal has it.

use jointly_classification::ProblemScores;
use jointly_classification::shift::ShiftScores;
use jointly_core::Real;
use jointly_core::failure::Failure;
use jointly_regression::RegressionUnit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::printable::clean;

/// One agent on one problem, by their places in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The agent's place.
    pub agent: usize,
    /// The problem's place.
    pub problem: usize,
}

/// The result of a unit, one line of the journal.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnitResult {
    /// The number of the line's format.
    pub format: Format,
    /// The agent's label in the plan.
    pub agent: String,
    /// The problem's name.
    pub problem: String,
    /// Wall-clock time, for people: no score depends on it, and no pack holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(flatten)]
    /// How the unit ended.
    pub outcome: Outcome,
    /// The first lines of the agent's log, and the number of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl UnitResult {
    /// A copy whose texts are fit for a terminal.
    #[must_use]
    pub fn cleaned(mut self) -> Self {
        self.log.iter_mut().for_each(|line| *line = clean(line));
        if let Outcome::Failed(failure) = &mut self.outcome {
            failure.message = clean(&failure.message);
        }
        if let Some(result) = self.outcome.result_mut() {
            result.clean(clean);
        }
        self
    }
}

/// How a unit ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// On a problem of classification.
    Scored {
        /// The scores.
        scores: ProblemScores,
        /// The fuel that it used: not metered where the host itself did the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
        /// How far the sample of a reference is to be trusted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diagnosis: Option<SampleDiagnosis>,
    },
    /// On a problem of regression.
    Regression {
        /// The scores.
        scores: Box<RegressionUnit>,
        /// The fuel that was used, that of who predicts included.
        fuel: u64,
    },
    /// On a problem of dataset shift.
    Shift {
        /// The scores.
        scores: Box<ShiftScores>,
        /// The fuel that was used.
        fuel: u64,
    },
    /// The agent failed.
    Failed(Failure),
}

/// How far a reference's sample of the posterior is to be trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleDiagnosis {
    /// The largest over what the chains are compared in.
    pub r_hat: Real,
    /// The least over the same.
    pub effective_draws: Real,
    /// The least mean probability of moving among the chains.
    pub acceptance: Real,
    /// The rounds that were sampled.
    pub rounds: u32,
    /// Whether the chains agree.
    pub converged: bool,
}
