//! The interface between host and agents: its name and its parts.

use std::fmt;

use serde::Serialize;

/// The interface between host and agents, with its version.
pub const INTERFACE: &str = "jointly:agent@0.3.0";

/// The most characters of an agent's name.
pub const LONGEST_NAME: usize = 40;

/// One of the interface's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interface {
    /// Predicting which class an input belongs to.
    Classification,
    /// Predicting a real number for each input.
    Regression,
}

impl Interface {
    /// All parts, in the order in which they are listed.
    pub const ALL: [Self; 2] = [Self::Classification, Self::Regression];
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Classification => "classification",
            Self::Regression => "regression",
        })
    }
}
