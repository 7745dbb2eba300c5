//! An entry of a contest: an agent by the digest of its component, with settings.

use jointly_core::digest::is_digest;
use jointly_record::format::Format;
use jointly_record::plan::PlannedAgent;
use jointly_record::printable;
use jointly_record::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::LONGEST_NAME;
use crate::time::Time;

/// An agent that was entered. The entry itself is named by the digest of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContestEntry {
    /// The number of the format.
    pub format: Format,
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

    /// Returns the first defect of an entry that was read from a file, if it has one. Names and settings of its agent
    /// are checked with the plan that it is part of.
    pub(crate) fn defect(&self) -> Option<String> {
        let mut digests = std::iter::once(&self.digest).chain(&self.commitment);
        if let Some(digest) = digests.find(|digest| !is_digest(digest)) {
            return Some(format!("{digest:?} is not a digest"));
        }
        if self.by.is_empty() {
            return Some("it names no entrant".into());
        }
        printable::defect("the entrant", &self.by, LONGEST_NAME)
    }
}
