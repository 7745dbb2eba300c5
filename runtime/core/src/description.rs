//! The description that an agent gives of itself: name, parameters and sweeps.

use serde::Serialize;

use crate::interface::{Interface, LONGEST_NAME};
use crate::printable::{clean, is_printable};
use crate::setting::Setting;

/// The description of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Description {
    /// The agent's name on the leaderboard.
    pub name: String,
    /// The agent's own version.
    pub version: String,
    /// One line of description.
    pub summary: String,
    /// The publication of the method; may be empty.
    pub citation: String,
    /// Whether the agent's predictions do not depend on the seed.
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
pub const LONGEST_TEXT: usize = 200;

impl Description {
    /// Returns the first name or value that cannot be printed in a table or a command.
    pub fn unfit_text(&self) -> Option<String> {
        let parameters = self.parameters.iter().flat_map(|parameter| [&parameter.name, &parameter.default]);
        let settings = self.sweeps.iter().flat_map(|sweep| sweep.variants.iter().flatten());
        let settings = settings.flat_map(|setting| [&setting.name, &setting.value]);
        let mut texts = parameters.chain(settings).chain(self.sweeps.iter().map(|sweep| &sweep.name));
        let unfit = |text: &&String| text.len() > LONGEST_TEXT || !text.chars().all(is_printable);
        texts.find(unfit).map(|text| clean(text).chars().take(40).collect())
    }

    /// Returns whether the name can be used in a table, a path and a terminal.
    pub fn has_plain_name(&self) -> bool {
        is_plain_name(&self.name)
    }
}

/// Returns whether a name of an agent can be used in a table, a path and a terminal.
pub fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "+._-".contains(c);
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(plain)
}

/// A hyperparameter that an agent accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parameter {
    /// The parameter's name.
    pub name: String,
    /// The value that applies when the setting is absent.
    pub default: String,
    /// One line of description.
    pub summary: String,
    /// The kind of task that the parameter is for; None for all kinds that the agent supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Interface>,
}

/// A named list of variants, each a full set of overrides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sweep {
    /// The name of the sweep.
    pub name: String,
    /// The settings of each variant.
    pub variants: Vec<Vec<Setting>>,
    /// The kind of task that the variants are for; None for all kinds that the agent supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Interface>,
}

impl Description {
    /// Returns the parameters for a kind of task.
    pub fn parameters_of(&self, interface: Interface) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |known| known.kind.is_none_or(|kind| kind == interface))
    }

    /// Returns the suggested sweeps for a kind of task.
    pub fn sweeps_of(&self, interface: Interface) -> impl Iterator<Item = &Sweep> {
        self.sweeps.iter().filter(move |known| known.kind.is_none_or(|kind| kind == interface))
    }
}
