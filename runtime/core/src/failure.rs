//! The failures of agents as data: phase, kind and message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::interface::Interface;

/// An agent's failure on a unit, which is recorded as the unit's result and never scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{phase}: {kind}: {message}")]
pub struct Failure {
    /// The phase of the unit in which the agent failed.
    pub phase: Phase,
    /// The kind of failure.
    pub kind: Kind,
    /// One line that explains the failure.
    pub message: String,
}

impl Failure {
    /// Returns the failure of an agent on a kind of task that it does not support, before any of its code runs.
    pub fn no_interface(interface: Interface) -> Self {
        Self::unsupported(format!("the agent does not support {interface}"))
    }

    /// Returns the failure of a classifier on a task with tokens, if its description does not say `tokens`.
    pub fn no_tokens() -> Self {
        Self::unsupported("the inputs have tokens, and the agent's description does not say `tokens`".to_owned())
    }

    fn unsupported(message: String) -> Self {
        Self { phase: Phase::Load, kind: Kind::AgentFailure, message }
    }
}

/// The phase of a unit: the request of the host during which an agent failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The component is instantiated and describes itself.
    Load,
    /// The agent trains.
    Train,
    /// The agent samples predictions.
    Sample,
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The host refused to start the agent: it needs more memory at the start than its limit allows.
    Refused,
    /// The agent's code trapped: a panic, a stack overflow, an access out of bounds.
    Trapped,
    /// The agent used up its fuel.
    OutOfFuel,
    /// A native agent took longer for one request than it may.
    TimedOut,
    /// The agent was refused memory and gave up.
    OutOfMemory,
    /// The agent returned an invalid answer: a wrong shape, a value out of range, or an answer that breaks the
    /// contract.
    InvalidOutput,
    /// The agent reported the failure itself.
    AgentFailure,
    /// The host failed, not the agent: the machine had no memory for it, or the data cannot be used. Such a unit is
    /// never recorded.
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
            Self::TimedOut => "timed-out",
            Self::OutOfMemory => "out-of-memory",
            Self::InvalidOutput => "invalid-output",
            Self::AgentFailure => "agent-failure",
            Self::Host => "host",
        })
    }
}
