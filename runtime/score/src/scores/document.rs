//! `scores.json` as typed data, from which its JSON Schema is derived.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Not;

use jointly_core::failure::Failure;
use jointly_core::{DrawsOfScore, Real, ScoreName, Scored};
use jointly_record::settings::Settings;
use jointly_record::unit::SampleDiagnosis;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::values::number;

/// The scores of one agent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub(super) struct AgentDocument<'a> {
    /// The agent's own name.
    pub(super) agent: &'a str,
    /// The digest of the agent's component, or the text that stands for a reference.
    pub(super) digest: &'a str,
    /// `reported` for a native agent, whose results others cannot replay; absent for a component in the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tier: Option<&'static str>,
    /// The settings that differ from the agent's defaults.
    pub(super) settings: &'a Settings,
    /// The mean of each score, by the score's name.
    pub(super) scores: Named<MeanDocument>,
    /// The problems on which the agent failed.
    pub(super) failures: Vec<FailureDocument<'a>>,
    /// The scores problem by problem.
    pub(super) problems: Vec<ProblemDocument<'a>>,
    /// Scores that have no value, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) absences: Vec<AbsenceDocument<'a>>,
    /// Whether the agent is a reference, with which others are compared.
    #[serde(skip_serializing_if = "Not::not")]
    pub(super) reference: bool,
}

/// The mean of a score over problems.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Mean")]
pub(super) struct MeanDocument {
    /// The mean.
    pub(super) mean: Real,
    /// The standard error of the mean.
    pub(super) stderr: Real,
    /// The number of problems that the mean is over.
    pub(super) problems: usize,
    /// The number of problems whose value is not finite.
    pub(super) non_finite: usize,
    /// The number of datasets by which the standard error is clustered, if problems share data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) datasets: Option<usize>,
    /// The effect of the number of draws, for a joint score.
    #[serde(flatten)]
    pub(super) draws: Option<DrawsDocument>,
}

/// The effect of the number of draws on a joint score.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Draws")]
pub(super) struct DrawsDocument {
    /// The standard error over draws.
    pub(super) draw_error: Real,
    /// The effective number of draws.
    pub(super) effective_draws: Real,
}

/// A failure on a problem.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ProblemFailure")]
pub(super) struct FailureDocument<'a> {
    /// The problem's name.
    pub(super) problem: &'a str,
    /// How the agent failed.
    #[serde(flatten)]
    pub(super) failure: &'a Failure,
}

/// The scores on one problem, by their names.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemDocument<'a> {
    /// The problem's name.
    pub(super) problem: &'a str,
    /// The scores.
    #[serde(flatten)]
    pub(super) values: Named<ValueDocument>,
    /// The scores in every condition, under dataset shift.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conditions: Option<Vec<ConditionDocument>>,
    /// How far to trust a reference's sample of the posterior.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diagnosis: Option<SampleDiagnosis>,
}

/// The scores in one condition of dataset shift, by their names.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConditionScores")]
pub(super) struct ConditionDocument {
    /// The condition: `none`, a shift and its severity, or `outside/` and the set of out-of-distribution inputs.
    pub(super) condition: String,
    /// The number of test inputs.
    pub(super) inputs: u32,
    /// The scores.
    #[serde(flatten)]
    pub(super) values: Named<ValueDocument>,
}

/// A score that has no value.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Absence")]
pub(super) struct AbsenceDocument<'a> {
    /// The problem's name.
    pub(super) problem: &'a str,
    /// The score's name.
    pub(super) score: &'a str,
    /// The reason why there is none.
    pub(super) reason: &'a str,
}

/// A score: a mean with its standard error, or a number without one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Value")]
pub(super) enum ValueDocument {
    /// A mean over the problem's tau-samples or inputs.
    Mean {
        /// The mean.
        mean: Real,
        /// The standard error of the mean.
        stderr: Real,
        /// The effect of the number of draws, for a joint score.
        #[serde(flatten)]
        draws: Option<DrawsDocument>,
    },
    /// A number.
    Number(Real),
}

impl From<DrawsOfScore> for DrawsDocument {
    fn from(draws: DrawsOfScore) -> Self {
        Self { draw_error: number(draws.error), effective_draws: number(draws.effective) }
    }
}

impl From<Scored> for ValueDocument {
    fn from(scored: Scored) -> Self {
        let value = number(scored.value);
        let draws = scored.draws.map(Into::into);
        scored.stderr.map_or(Self::Number(value), |stderr| Self::Mean { mean: value, stderr: number(stderr), draws })
    }
}

/// Values by name, in their order.
pub(super) struct Named<T>(pub(super) Vec<(String, T)>);

impl Named<ValueDocument> {
    pub(super) fn of(values: &[(ScoreName, Scored)]) -> Self {
        Self(values.iter().map(|(name, scored)| (name.to_string(), (*scored).into())).collect())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T: JsonSchema> JsonSchema for Named<T> {
    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, T>::json_schema(generator)
    }
}
