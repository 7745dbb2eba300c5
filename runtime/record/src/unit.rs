//! A unit is one agent on one problem: its place in the plan, and its result as it stands in the journal.

use jointly_classification::ProblemScores;
use jointly_classification::shift::ShiftScores;
use jointly_core::Real;
use jointly_core::failure::Failure;
use jointly_decisions::DecisionScores;
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnitResult {
    /// The number of the line's format.
    pub format: Format,
    /// The agent's label in the plan.
    pub agent: String,
    /// The problem's name.
    pub problem: String,
    /// Wall-clock time in seconds, for information: no score depends on it, and no pack holds it. With several units at a
    /// time it may hold work for another unit, which a thread took up while it waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(flatten)]
    /// How the unit ended.
    pub outcome: Outcome,
    /// The first lines of the agent's log, and the number of the remaining ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
}

impl UnitResult {
    /// Returns a copy whose texts are safe to print on a terminal.
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
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// On a problem of classification.
    Scored {
        /// The scores.
        scores: ProblemScores,
        /// The fuel used; absent if the host itself did the work, or the agent ran outside the sandbox.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
        /// How far to trust the sample of a reference.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diagnosis: Option<SampleDiagnosis>,
    },
    /// On a problem of regression.
    Regression {
        /// The scores.
        scores: Box<RegressionUnit>,
        /// The fuel used, including that of a predicting agent; absent if an agent ran outside the sandbox.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
    },
    /// On a problem of dataset shift.
    Shift {
        /// The scores.
        scores: Box<ShiftScores>,
        /// The fuel used; absent if the agent ran outside the sandbox.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
    },
    /// On a problem of decisions.
    Decisions {
        /// The scores.
        scores: Box<DecisionScores>,
        /// The fuel used by all trainings; absent if the host itself did the work, or the agent ran outside the sandbox.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fuel: Option<u64>,
        /// How far to trust the samples of a reference: the worst of all rounds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diagnosis: Option<SampleDiagnosis>,
    },
    /// The agent failed.
    Failed(Failure),
}

/// How far to trust a reference's sample of the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleDiagnosis {
    /// The largest R-hat over the quantities in which the chains are compared.
    pub r_hat: Real,
    /// The smallest effective number of draws over the same quantities.
    pub effective_draws: Real,
    /// The smallest mean acceptance probability among the chains.
    pub acceptance: Real,
    /// The number of rounds sampled.
    pub rounds: u32,
    /// Whether the chains agree.
    pub converged: bool,
}
