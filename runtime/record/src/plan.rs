//! The plan of a run, `plan.json`: scores are a function of it.

use std::collections::HashMap;
use std::num::NonZeroU32;

use jointly_classification::Evaluation;
use jointly_classification::Initialization;
use jointly_classification::shift::ShiftOptions;
use jointly_core::limits::Limits;
use jointly_core::{Coordinates, Metric, Seed, digest};
use jointly_decisions::DecisionOptions;
use jointly_regression::RegressionOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::place::PREDICTIONS;
use crate::planned_images::PlannedImages;
use crate::planned_table::PlannedTable;
use crate::reference;
use crate::settings::Settings;

/// The largest memory limit of an agent, in MiB.
pub const MOST_MEMORY: u64 = 4096;

/// The most agents of a plan.
pub const MOST_AGENTS: usize = 10_000;
/// The most problems of a plan.
pub const MOST_PROBLEMS: usize = 100_000;
/// The most units of a plan.
pub const MOST_UNITS: usize = 10_000_000;

/// Everything that decides a run's scores.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Plan {
    /// The number of the format.
    pub format: Format,
    /// The version of the command that made the plan. It changes no score.
    pub version: String,
    /// The interface of agents, with its version.
    pub interface: String,
    /// The engine that runs agents, with its release, which decides how fuel is counted.
    pub engine: String,
    /// The suite's name.
    pub suite: String,
    /// The master seed: problems, test inputs and the agents' seeds follow from it.
    pub seed: Seed,
    /// The limits of an agent on a problem.
    pub limits: Limits,
    /// How predictions are evaluated.
    #[serde(flatten)]
    pub terms: Terms,
    /// Overrides of the suite's sampled problems.
    #[serde(flatten)]
    pub problem_overrides: ProblemOverrides,
    /// User-supplied tables that replace the suite's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<PlannedTable>,
    /// The format in which agents see user-supplied images, if the suite uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<PlannedImages>,
    /// The agents, including references.
    pub agents: Vec<PlannedAgent>,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<PlannedProblem>,
}

/// How predictions are evaluated: in plan.json `evaluation` for classification, `regression` for regression, `shift`
/// for dataset shift, `decisions` for decisions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// Classification.
    Evaluation(Evaluation),
    /// Regression.
    Regression(RegressionTerms),
    /// Dataset shift.
    Shift(ShiftOptions),
    /// Decisions.
    Decisions(DecisionOptions),
}

/// How predictions of real numbers are evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegressionTerms {
    /// The suite's options, with the user's overrides.
    pub options: RegressionOptions,
    /// The agent that predicts in active learning, if it is not the one that selects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<PlannedAgent>,
}

/// Overrides of a suite's sampled problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProblemOverrides {
    /// The number of anchors of kappa-adic test inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<NonZeroU32>,
    /// The distribution of the environments' weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initialization: Option<Initialization>,
}

/// An agent of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedAgent {
    /// The agent's own name.
    pub agent: String,
    /// The agent's label, unique in the plan.
    pub label: String,
    /// The digest of the agent's component, or of a native agent's description, or the text that stands for a reference.
    pub digest: String,
    /// How a native agent was reached. Its results are reported: others cannot replay them, as they can those of a
    /// component in the sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<String>,
    /// The settings that differ from the agent's defaults.
    pub settings: Settings,
}

impl PlannedAgent {
    /// Returns whether it is a folder of predictions, which were made at another time.
    pub fn is_offline(&self) -> bool {
        self.reported.as_deref().is_some_and(|place| place.starts_with(PREDICTIONS))
    }

    /// Returns whether it is a reference, with which agents are compared.
    pub fn is_reference(&self) -> bool {
        reference::is_oracle(&self.digest)
    }

    /// Returns whether it is a component in the sandbox, of which a run keeps the bytes.
    pub fn is_component(&self) -> bool {
        self.reported.is_none() && !self.is_reference()
    }

    /// Returns whether it is the same agent with the same settings, byte for byte, whatever its label.
    pub fn is_same(&self, other: &Self) -> bool {
        self.has_name_and_settings_of(other) && self.has_bytes_and_settings_of(other)
    }

    /// Returns whether it has the same bytes and settings, in the same tier, whatever its name.
    pub fn has_bytes_and_settings_of(&self, other: &Self) -> bool {
        self.bytes_and_settings() == other.bytes_and_settings()
    }

    /// Returns what two agents with the same bytes and settings, in the same tier, have in common.
    pub fn bytes_and_settings(&self) -> (&str, &Settings, bool) {
        (&self.digest, &self.settings, self.reported.is_some())
    }

    /// Returns whether it has the same name and settings, whatever its bytes.
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
    /// The digest of the problem's file or of its dataset's contents, if it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The problem's coordinates in its suite.
    #[serde(default, skip_serializing_if = "Coordinates::is_empty")]
    pub coordinates: Coordinates,
}

impl PlannedProblem {
    /// Returns the name that the problem's repetitions share, or its own name if there are none.
    pub fn series(&self) -> &str {
        if self.coordinates.series.is_empty() { &self.problem } else { &self.coordinates.series }
    }

    /// Returns the cluster for standard errors: the problem's own name if its data are independent of those of all
    /// others.
    pub fn cluster(&self) -> &str {
        if self.coordinates.cluster.is_empty() { &self.problem } else { &self.coordinates.cluster }
    }
}

impl Plan {
    /// Returns whether the plan runs a suite on the suite's own tables; otherwise a paper's numbers cannot be compared.
    pub fn is_on_tables_of(&self, suite: &str) -> bool {
        self.suite == suite && self.tables.is_empty()
    }

    /// Returns whether an agent's results can only be reported: it is a native agent, or a native agent predicts for it.
    pub fn reports(&self, agent: &PlannedAgent) -> bool {
        agent.reported.is_some() || self.predictor().is_some_and(|predictor| predictor.reported.is_some())
    }

    /// Returns what others can check of an agent's results: `replayed` in the sandbox, or only `reported`.
    pub fn tier(&self, agent: &PlannedAgent) -> &'static str {
        if self.reports(agent) { "reported" } else { "replayed" }
    }

    /// Returns the native agents, whose results are reported.
    pub fn native_agents(&self) -> impl Iterator<Item = &PlannedAgent> {
        self.agents.iter().chain(self.predictor()).filter(|agent| agent.reported.is_some())
    }

    /// Returns a copy that names the version of another plan.
    #[must_use]
    pub fn with_version_of(&self, other: &Self) -> Self {
        Self { version: other.version.clone(), ..self.clone() }
    }

    /// Returns the suite's name and enough of the plan's digest to tell plans apart.
    ///
    /// # Errors
    /// Never: a plan can be written as JSON.
    pub fn short_name(&self) -> serde_json::Result<String> {
        // The name makes a single directory, whatever characters the suite's name contains.
        Ok(format!("{}-{}", self.suite.replace('/', "-"), short(&self.digest()?)))
    }

    /// Returns the digest of the plan's JSON, which is equal for equal plans.
    ///
    /// # Errors
    /// Never: a plan can be written as JSON.
    pub fn digest(&self) -> serde_json::Result<String> {
        Ok(digest(&serde_json::to_vec(self)?))
    }
}

/// Gives each agent its label: its name and settings. Agents that share name and settings are told apart by the start of
/// their digest, and by all of it where somebody has searched for bytes whose digest starts alike.
pub fn label(agents: &mut [PlannedAgent]) {
    for agent in agents.iter_mut() {
        agent.label = agent.settings.label(&agent.agent);
    }
    tell_apart(agents, short);
    tell_apart(agents, |digest| digest.trim_start_matches("sha256:").to_owned());
}

/// Adds to each label that several agents have what `part` gives of their digests.
fn tell_apart(agents: &mut [PlannedAgent], part: impl Fn(&str) -> String) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for agent in agents.iter() {
        *counts.entry(agent.label.clone()).or_default() += 1;
    }
    for agent in agents.iter_mut().filter(|agent| counts[&agent.label] > 1) {
        agent.label = agent.settings.label(&format!("{}@{}", agent.agent, part(&agent.digest)));
    }
}

/// Returns enough of a digest to tell a few apart.
pub(crate) fn short(digest: &str) -> String {
    digest.trim_start_matches("sha256:").chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::{PlannedAgent, label};
    use crate::settings::Settings;

    #[test]
    fn agents_are_told_apart_however_long_their_digests_are_alike() {
        let labels = |digests: &[&str]| {
            let agent = |digest: &&str| PlannedAgent {
                agent: "mlp".into(),
                label: String::new(),
                digest: format!("sha256:{digest}"),
                reported: None,
                settings: Settings::default(),
            };
            let mut agents: Vec<PlannedAgent> = digests.iter().map(agent).collect();
            label(&mut agents);
            agents.into_iter().map(|agent| agent.label).collect::<Vec<_>>()
        };
        assert_eq!(labels(&["0123456789"]), ["mlp"]);
        assert_eq!(labels(&["0123456789", "1123456789"]), ["mlp@01234567", "mlp@11234567"]);
        let three = labels(&["0123456789", "1123456789", "0123456780"]);
        assert_eq!(three, ["mlp@0123456789", "mlp@11234567", "mlp@0123456780"]);
    }
}
