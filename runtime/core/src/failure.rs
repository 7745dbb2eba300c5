//! What can go wrong with an agent, as data: by phase and kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An agent's failure on a unit; recorded as the unit's result, never scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{phase}: {kind}: {message}")]
pub struct Failure {
    /// What the host asked of the agent.
    pub phase: Phase,
    /// How it went wrong.
    pub kind: Kind,
    /// One line for a person.
    pub message: String,
}

/// What the host asked of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// To be instantiated and to describe itself.
    Load,
    /// To train.
    Train,
    /// To sample predictions.
    Sample,
}

/// How it went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The host would not start it: it wants more to begin with than it may have.
    Refused,
    /// The agent's code trapped: a panic, a stack overflow, an access out of bounds.
    Trapped,
    /// The agent used up its fuel.
    OutOfFuel,
    /// The agent was refused memory and gave up.
    OutOfMemory,
    /// The agent answered with what cannot be an answer.
    InvalidOutput,
    /// The agent's own word.
    AgentFailure,
    /// Not the agent's failure at all: the machine had no memory for it, or the data cannot be used. No unit may be recorded
    /// with this.
    Host,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Load => "load",
            Self::Train => "train",
            Self::Sample => "sample",
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Refused => "refused",
            Self::Trapped => "trapped",
            Self::OutOfFuel => "out-of-fuel",
            Self::OutOfMemory => "out-of-memory",
            Self::InvalidOutput => "invalid-output",
            Self::AgentFailure => "agent-failure",
            Self::Host => "host",
        })
    }
}
