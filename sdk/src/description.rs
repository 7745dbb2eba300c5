//! What an agent says of itself.

use crate::Setting;

/// The card of an agent; the leaderboard and `jointly agents` show it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Every setting that training accepts.
    pub parameters: Vec<Parameter>,
    /// Suggested variants for a sweep.
    pub sweeps: Vec<Sweep>,
}

impl Description {
    /// A description of an agent that uses its seed, without citation, parameters or sweeps; set what differs.
    pub fn new(name: &str, version: &str, summary: &str) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            summary: summary.into(),
            citation: String::new(),
            deterministic: false,
            parameters: Vec::new(),
            sweeps: Vec::new(),
        }
    }
}

/// A hyperparameter that the agent accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Lower-case words joined by hyphens.
    pub name: String,
    /// The value in force when the setting is absent.
    pub default_value: String,
    /// One line for a person.
    pub summary: String,
}

/// A named list of variants, each a full set of overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// What the variants have in common.
    pub name: String,
    /// The settings of each variant.
    pub variants: Vec<Vec<Setting>>,
}

/// A sweep from literals: `sweep("size", [vec![("size", "1")], vec![("size", "10")]])`.
pub fn sweep<N, V>(name: &str, variants: impl IntoIterator<Item = Vec<(N, V)>>) -> Sweep
where
    N: Into<String>,
    V: Into<String>,
{
    let setting = |(name, value): (N, V)| Setting { name: name.into(), value: value.into() };
    Sweep {
        name: name.into(),
        variants: variants.into_iter().map(|variant| variant.into_iter().map(setting).collect()).collect(),
    }
}
