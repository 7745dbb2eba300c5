//! An entry of a contest: an agent by the digest of its component, with settings.

use jointly_core::digest::is_digest;
use jointly_record::format::Format;
use jointly_record::plan::{Plan, PlannedAgent, label};
use jointly_record::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{Rules, name_defect};
use crate::time::Time;

/// An agent that was entered. The entry itself is named by the digest of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContestEntry {
    /// The number of the format.
    pub format: Format,
    /// The digest of the rules of the contest that it was made for.
    pub rules: String,
    /// The agent's own name.
    pub agent: String,
    /// The digest of the agent's component.
    pub digest: String,
    /// The settings that differ from the agent's defaults.
    pub settings: Settings,
    /// The entrant's name.
    pub by: String,
    /// When it was entered, by the clock of the machine that wrote the entry.
    pub at: Time,
    /// The digest of the entrant's secret, if the entry has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<String>,
}

impl ContestEntry {
    /// Returns the agent as it stands in a plan, without a label.
    pub fn planned(&self) -> PlannedAgent {
        PlannedAgent {
            agent: self.agent.clone(),
            label: String::new(),
            digest: self.digest.clone(),
            reported: None,
            settings: self.settings.clone(),
        }
    }

    /// Returns the agent's name with its settings, and whose it is.
    pub fn shown(&self) -> String {
        format!("{} by {}", self.settings.label(&self.agent), self.by)
    }

    /// Returns the first defect of an entry for a contest with these rules, if it has one.
    pub(crate) fn defect(&self, rules: &Rules, rules_digest: &str) -> Option<String> {
        if self.rules != rules_digest {
            return Some(format!("it was made for other rules, {}", self.rules));
        }
        if self.commitment.as_ref().is_some_and(|commitment| !is_digest(commitment)) {
            return Some("its commitment is not a digest".into());
        }
        if self.commitment.as_ref() == Some(&rules.commitment) {
            return Some("its commitment is the organiser's".into());
        }
        // Settings with separators in them would be other settings in a label and on a command line.
        if self.settings.label("").trim_start_matches(':').parse().as_ref() != Ok(&self.settings) {
            return Some("its settings cannot be written on a command line".into());
        }
        let mut agents = vec![self.planned()];
        label(&mut agents);
        let alone = Plan { agents, ..rules.plan.clone() };
        name_defect("the entrant", &self.by).or_else(|| alone.defect())
    }
}
