//! A participant of a run.

use jointly_classification::oracle::Settings as Sampling;
use jointly_host::{Agent, Failure, Kind, Phase};

/// A participant of a run.
pub enum Contestant {
    /// A component.
    Agent(Box<Agent>),
    /// The host's own reference.
    Oracle(Sampling),
}

impl Contestant {
    /// Returns the component.
    ///
    /// # Errors
    /// When the participant is the host's own reference. This is no failure of an agent and is not recorded as one.
    pub fn component(&self) -> Result<&Agent, Failure> {
        match self {
            Self::Agent(agent) => Ok(agent),
            Self::Oracle(_) => {
                let message = "the reference takes part in classification alone".to_owned();
                Err(Failure { phase: Phase::Load, kind: Kind::Host, message })
            }
        }
    }
}
