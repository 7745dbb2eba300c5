//! A participant of a run.

use jointly_classification::oracle::Settings as Sampling;
use jointly_host::{Failure, Kind, Phase};

use crate::agent::Agent;
use crate::predictions::Predictions;

/// A participant of a run.
pub enum Contestant {
    /// An agent.
    Agent(Box<Agent>),
    /// The host's own reference.
    Oracle(Sampling),
    /// A folder of predictions.
    Predictions(Predictions),
    /// A native agent of a plan whose results are read and not made.
    Absent,
}

impl Contestant {
    /// Returns the agent.
    ///
    /// # Errors
    /// When the participant is the host's own reference or is not at hand. This is no failure of an agent and is not
    /// recorded as one.
    pub fn agent(&self) -> Result<&Agent, Failure> {
        match self {
            Self::Agent(agent) => Ok(agent),
            Self::Oracle(_) => Err(host_failure("the reference takes part in classification alone")),
            Self::Predictions(_) => Err(host_failure("predictions are of suites of classification alone")),
            Self::Absent => Err(absent()),
        }
    }
}

/// Returns the failure to run a native agent that was not started.
pub fn absent() -> Failure {
    host_failure("its results are reported and cannot be replayed")
}

fn host_failure(message: &str) -> Failure {
    Failure { phase: Phase::Load, kind: Kind::Host, message: message.to_owned() }
}
