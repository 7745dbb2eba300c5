//! Reads a unit's result from its JSON field by field. Fields that no result has are skipped and take no memory,
//! whatever they hold.

use jointly_classification::ProblemScores;
use jointly_classification::shift::ShiftScores;
use jointly_core::failure::Failure;
use jointly_decisions::DecisionScores;
use jointly_regression::RegressionUnit;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::bounded;
use crate::format::Format;
use crate::kinds::ScoredText;
use crate::unit::{Outcome, UnitResult};

/// The most lines of a log; the host keeps 20, and a line with the number of the others.
const MOST_LINES: usize = 100;

/// The fields of a line of the journal.
#[derive(Deserialize)]
struct UnitText {
    format: Format,
    agent: String,
    problem: String,
    seconds: Option<f64>,
    scored: Option<ScoredText<ProblemScores>>,
    regression: Option<ScoredText<Box<RegressionUnit>>>,
    shift: Option<ScoredText<Box<ShiftScores>>>,
    decisions: Option<ScoredText<Box<DecisionScores>>>,
    failed: Option<Failure>,
    #[serde(default, deserialize_with = "bounded::list::<MOST_LINES, _, _>")]
    log: Vec<String>,
}

impl<'de> Deserialize<'de> for UnitResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = UnitText::deserialize(deserializer)?;
        let outcome = Outcome::of_one(text.scored, text.regression, text.shift, text.decisions, text.failed);
        let outcome = outcome.ok_or_else(|| {
            D::Error::custom("a result has one of the fields `scored`, `regression`, `shift`, `decisions` and `failed`")
        })?;
        Ok(Self {
            format: text.format,
            agent: text.agent,
            problem: text.problem,
            seconds: text.seconds,
            outcome,
            log: text.log,
        })
    }
}
