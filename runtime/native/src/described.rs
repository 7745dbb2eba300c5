//! The description and the failures that a native agent sends, as they stand in a header.

use std::collections::BTreeMap;

use jointly_core::description::{Description, Parameter, Sweep};
use jointly_core::interface::Interface;
use jointly_core::printable::clean;
use jointly_core::setting::Setting;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// The description of a native agent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Described {
    name: String,
    version: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    citation: String,
    pub(crate) kinds: Vec<KindName>,
    #[serde(default)]
    deterministic: bool,
    #[serde(default)]
    tokens: bool,
    #[serde(default)]
    unlabelled: bool,
    #[serde(default)]
    parameters: Vec<DescribedParameter>,
    #[serde(default)]
    sweeps: Vec<DescribedSweep>,
}

/// A kind of task by the name of its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KindName {
    Classification,
    Regression,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct DescribedParameter {
    name: String,
    #[serde(default)]
    default: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    kind: Option<KindName>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct DescribedSweep {
    name: String,
    #[serde(default)]
    variants: Vec<BTreeMap<String, String>>,
    #[serde(default)]
    kind: Option<KindName>,
}

/// The start of the message of an agent that refuses a setting.
pub(crate) const INVALID_SETTING: &str = "invalid setting: ";

/// A failure that an agent reports.
#[derive(Debug, Deserialize)]
pub(crate) struct Reported {
    kind: String,
    #[serde(default)]
    message: String,
    pub(crate) traceback: Option<String>,
}

impl Reported {
    /// Returns the fault, in the words that a component's failures have.
    pub(crate) fn fault(self) -> Fault {
        Fault::Said(match self.kind.as_str() {
            "invalid-setting" => format!("{INVALID_SETTING}{}", self.message),
            "unsupported" => format!("unsupported task: {}", self.message),
            "diverged" => format!("diverged: {}", self.message),
            // A client that checks answers before it sends them finds what the host would find.
            "invalid-output" => return Fault::Invalid(self.message),
            _ => self.message,
        })
    }
}

impl From<KindName> for Interface {
    fn from(kind: KindName) -> Self {
        match kind {
            KindName::Classification => Self::Classification,
            KindName::Regression => Self::Regression,
        }
    }
}

impl From<Described> for Description {
    fn from(described: Described) -> Self {
        let variant = |settings: BTreeMap<String, String>| {
            settings.into_iter().map(|(name, value)| Setting { name, value }).collect()
        };
        let parameter = |DescribedParameter { name, default, summary, kind }| Parameter {
            name,
            default,
            summary: clean(&summary),
            kind: kind.map(Into::into),
        };
        let sweep = |DescribedSweep { name, variants, kind }| Sweep {
            name,
            variants: variants.into_iter().map(variant).collect(),
            kind: kind.map(Into::into),
        };
        Self {
            name: described.name,
            version: clean(&described.version),
            summary: clean(&described.summary),
            citation: clean(&described.citation),
            deterministic: described.deterministic,
            tokens: described.tokens,
            unlabelled: described.unlabelled,
            parameters: described.parameters.into_iter().map(parameter).collect(),
            sweeps: described.sweeps.into_iter().map(sweep).collect(),
        }
    }
}
