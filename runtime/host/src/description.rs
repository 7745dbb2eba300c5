//! What an agent says of itself.

use crate::bindings::jointly::agent::types as wit;
use crate::printable::clean;
use crate::{Interface, Setting};
use jointly_core::interface::LONGEST_NAME;
use jointly_core::printable::is_printable;
use serde::Serialize;

/// The card of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The name on the leaderboard.
    pub name: String,
    /// The agent's own version.
    pub version: String,
    /// One line for a person.
    pub summary: String,
    /// Where the method was published; may be empty.
    pub citation: String,
    /// Whether the seed makes no difference to what the agent predicts.
    pub deterministic: bool,
    /// Whether a classifier takes inputs that have tokens.
    pub tokens: bool,
    /// Whether a classifier uses inputs without labels.
    pub unlabelled: bool,
    /// Every setting that training accepts.
    pub parameters: Vec<Parameter>,
    /// Suggested variants for a sweep.
    pub sweeps: Vec<Sweep>,
}

/// The longest name of a parameter, setting or sweep, and the longest value.
pub(crate) const LONGEST_TEXT: usize = 200;

impl Description {
    /// The first name or value that cannot stand in a table and a command as it is.
    pub(crate) fn unfit_text(&self) -> Option<String> {
        let parameters = self.parameters.iter().flat_map(|parameter| [&parameter.name, &parameter.default]);
        let settings = self.sweeps.iter().flat_map(|sweep| sweep.variants.iter().flatten());
        let settings = settings.flat_map(|setting| [&setting.name, &setting.value]);
        let mut texts = parameters.chain(settings).chain(self.sweeps.iter().map(|sweep| &sweep.name));
        let unfit = |text: &&String| text.len() > LONGEST_TEXT || !text.chars().all(is_printable);
        texts.find(unfit).map(|text| clean(text).chars().take(40).collect())
    }

    /// Whether the name can stand in a table, a path and a terminal without surprises.
    pub(crate) fn has_plain_name(&self) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || "+._-".contains(c);
        (1..=LONGEST_NAME).contains(&self.name.len()) && self.name.chars().all(plain)
    }
}

/// A hyperparameter that an agent accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The parameter's name.
    pub name: String,
    /// The value in force when the setting is absent.
    pub default: String,
    /// One line for a person.
    pub summary: String,
    /// Where it holds, if not in all that the agent learns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Interface>,
}

/// A named list of variants, each a full set of overrides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sweep {
    /// What the variants have in common.
    pub name: String,
    /// The settings of each variant.
    pub variants: Vec<Vec<Setting>>,
    /// What they are variants for, if not for all that the agent learns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Interface>,
}

impl Description {
    /// The settings that the agent takes in what it is to learn.
    pub fn parameters_of(&self, interface: Interface) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |known| known.kind.is_none_or(|kind| kind == interface))
    }

    /// The variants that it suggests for what it is to learn.
    pub fn sweeps_of(&self, interface: Interface) -> impl Iterator<Item = &Sweep> {
        self.sweeps.iter().filter(move |known| known.kind.is_none_or(|kind| kind == interface))
    }
}

impl From<wit::Kind> for Interface {
    fn from(kind: wit::Kind) -> Self {
        match kind {
            wit::Kind::Classification => Self::Classification,
            wit::Kind::Regression => Self::Regression,
        }
    }
}

impl From<wit::Description> for Description {
    fn from(description: wit::Description) -> Self {
        let setting = |wit::SettingResult { name, value }| Setting { name, value };
        let variant = |variant: Vec<wit::SettingResult>| variant.into_iter().map(setting).collect();
        Self {
            name: description.name,
            version: clean(&description.version),
            summary: clean(&description.summary),
            citation: clean(&description.citation),
            deterministic: description.deterministic,
            tokens: description.tokens,
            unlabelled: description.unlabelled,
            parameters: description
                .parameters
                .into_iter()
                .map(|parameter| Parameter {
                    name: parameter.name,
                    default: parameter.default_value,
                    summary: clean(&parameter.summary),
                    kind: parameter.kind.map(Into::into),
                })
                .collect(),
            sweeps: description
                .sweeps
                .into_iter()
                .map(|sweep| Sweep {
                    name: sweep.name,
                    variants: sweep.variants.into_iter().map(variant).collect(),
                    kind: sweep.kind.map(Into::into),
                })
                .collect(),
        }
    }
}
