//! Failures of an agent that is asked for what it does not support, before anything of it runs.

use crate::{Failure, Interface, Kind, Phase};

/// The failure of an agent that does not export an interface.
pub(crate) fn no_interface(interface: Interface) -> Failure {
    refused(format!("the agent does not support {interface}"))
}

/// The failure of a classifier on a task with tokens, which its description does not say that it takes.
pub(crate) fn no_tokens() -> Failure {
    refused("the inputs have tokens, and the agent's description does not say `tokens`".to_owned())
}

fn refused(message: String) -> Failure {
    Failure { phase: Phase::Load, kind: Kind::AgentFailure, message }
}
