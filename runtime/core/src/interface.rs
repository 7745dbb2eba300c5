//! The interface between host and agents: its name, and what an agent may be asked to learn.

use std::fmt;

use serde::Serialize;

/// The interface between host and agents, with its version.
pub const INTERFACE: &str = "jointly:agent@0.2.0";

/// The most characters of an agent's name.
pub const LONGEST_NAME: usize = 40;

/// One of the interface's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// Which of some classes an input belongs to.
    Classification,
    /// A real number for each input.
    Regression,
    /// Which of some classes an input belongs to that is an image, a text, or categories beside numbers.
    Multimodal,
}

impl Interface {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Classification, Self::Regression, Self::Multimodal];
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Classification => "classification",
            Self::Regression => "regression",
            Self::Multimodal => "multimodal",
        })
    }
}
