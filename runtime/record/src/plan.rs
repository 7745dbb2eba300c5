//! The plan of a run, `plan.json`: scores are a function of it.

use std::collections::HashMap;
use std::num::NonZeroU32;

use jointly_classification::Evaluation;
use jointly_classification::Initialization;
use jointly_classification::shift::ShiftOptions;
use jointly_core::limits::Limits;
use jointly_core::{Coordinates, Metric, digest};
use jointly_regression::RegressionOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::planned_images::PlannedImages;
use crate::planned_table::PlannedTable;
use crate::reference;
use crate::settings::Settings;

/// The largest memory limit of an agent, in MiB.
pub const MOST_MEMORY: u64 = 4096;

/// All that decides a run's scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The number of the format.
    pub format: Format,
    /// The version of the command that made the plan. No score is read differently for it.
    pub version: String,
    /// The interface of agents, with its version.
    pub interface: String,
    /// The engine that runs agents, with its release, which decides how fuel is counted.
    pub engine: String,
    /// The suite's name.
    pub suite: String,
    /// The master seed: problems, test inputs and the agents' seeds follow from it.
    pub seed: u64,
    /// The limits of an agent on a problem.
    pub limits: Limits,
    /// How predictions are evaluated.
    #[serde(flatten)]
    pub terms: Terms,
    /// Overrides of the suite's sampled problems.
    #[serde(flatten)]
    pub problem_overrides: ProblemOverrides,
    /// User-supplied tables, in the place of the suite's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PlannedTable>,
    /// How agents see user-supplied images, where those are what the suite is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<PlannedImages>,
    /// The agents, references among them.
    pub agents: Vec<PlannedAgent>,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<PlannedProblem>,
}

/// How predictions are evaluated: in plan.json `evaluation` of classification, `regression` of regression, `shift` of
/// dataset shift.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// Classification.
    Evaluation(Evaluation),
    /// Regression.
    Regression(RegressionTerms),
    /// Dataset shift.
    Shift(ShiftOptions),
}

/// How predictions of real numbers are evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegressionTerms {
    /// The suite's options, with the user's overrides.
    pub options: RegressionOptions,
    /// The agent that predicts, in active learning, where it is not the one that selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<PlannedAgent>,
}

/// Overrides of a suite's sampled problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemOverrides {
    /// Anchors of kappa-adic test inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<NonZeroU32>,
    /// The distribution of the environments' weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization: Option<Initialization>,
}

/// An agent of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAgent {
    /// The name that it gives itself.
    pub agent: String,
    /// Its label, unique in the plan.
    pub label: String,
    /// The digest of its component, or what stands for a reference.
    pub digest: String,
    /// The settings that differ from its defaults.
    pub settings: Settings,
}

impl PlannedAgent {
    /// Whether it is a reference, which agents are compared with.
    pub fn is_reference(&self) -> bool {
        reference::is_oracle(&self.digest)
    }

    /// Whether it is the same agent with the same settings, to the byte, whatever its plan calls it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.has_name_and_settings_of(other) && self.digest == other.digest
    }

    /// Whether it has the same bytes and settings, whatever it calls itself.
    pub fn has_bytes_and_settings_of(&self, other: &Self) -> bool {
        (&self.digest, &self.settings) == (&other.digest, &other.settings)
    }

    /// Whether it has the same name and settings, of whatever bytes.
    pub fn has_name_and_settings_of(&self, other: &Self) -> bool {
        (&self.agent, &self.settings) == (&other.agent, &other.settings)
    }
}

/// A problem of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedProblem {
    /// The problem's name.
    pub problem: String,
    /// The metric of its joint scores.
    pub metric: Metric,
    /// The digest of its file or of its dataset's contents, where it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Where it stands in its suite.
    #[serde(default, skip_serializing_if = "Coordinates::is_empty")]
    pub coordinates: Coordinates,
}

impl PlannedProblem {
    /// The name that its repetitions share: its own where it has none.
    pub fn series(&self) -> &str {
        if self.coordinates.series.is_empty() { &self.problem } else { &self.coordinates.series }
    }

    /// What standard errors are clustered by: its own name where its data are independent of those of all others.
    pub fn cluster(&self) -> &str {
        if self.coordinates.cluster.is_empty() { &self.problem } else { &self.coordinates.cluster }
    }
}

impl Plan {
    /// Whether it is about a suite on the suite's own tables: else no paper's numbers belong beside its own.
    pub fn is_on_tables_of(&self, suite: &str) -> bool {
        self.suite == suite && self.tables.is_empty()
    }

    /// A copy that names the version of another plan.
    #[must_use]
    pub fn with_version_of(&self, other: &Self) -> Self {
        Self { version: other.version.clone(), ..self.clone() }
    }

    /// The suite and enough of the plan's digest to tell plans apart.
    ///
    /// # Errors
    /// Never: a plan can be written as JSON.
    pub fn short_name(&self) -> serde_json::Result<String> {
        // One directory, whatever the suite's name holds.
        Ok(format!("{}-{}", self.suite.replace('/', "-"), short(&self.digest()?)))
    }

    /// The digest of its JSON: equal for equal plans.
    ///
    /// # Errors
    /// Never: a plan can be written as JSON.
    pub fn digest(&self) -> serde_json::Result<String> {
        Ok(digest(&serde_json::to_vec(self)?))
    }
}

/// Gives each agent its label: its name and settings. Agents that share name and settings are told apart by their digest.
pub fn label(agents: &mut [PlannedAgent]) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for agent in &mut *agents {
        agent.label = agent.settings.label(&agent.agent);
        *counts.entry(agent.label.clone()).or_default() += 1;
    }
    for agent in agents.iter_mut().filter(|agent| counts[&agent.label] > 1) {
        agent.label = agent.settings.label(&format!("{}@{}", agent.agent, short(&agent.digest)));
    }
}

/// Enough of a digest to tell a few apart.
pub(crate) fn short(digest: &str) -> String {
    digest.trim_start_matches("sha256:").chars().take(8).collect()
}
