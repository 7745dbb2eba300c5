//! A participant of a run.

use jointly_classification::oracle::Settings as Sampling;
use jointly_host::Agent;

/// A participant of a run.
pub enum Contestant {
    /// A component.
    Agent(Box<Agent>),
    /// The host's own reference.
    Oracle(Sampling),
}

impl Contestant {
    /// The component.
    ///
    /// # Panics
    /// When it is the host's own reference, which takes part in classification alone.
    pub fn component(&self) -> &Agent {
        match self {
            Self::Agent(agent) => agent,
            Self::Oracle(_) => panic!("the reference takes part in classification alone"),
        }
    }
}
