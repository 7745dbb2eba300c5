//! Failures of an agent on tasks that it does not support, before any of its code runs.

use crate::{Failure, Interface, Kind, Phase};

/// Makes the failure of an agent that does not export an interface.
pub(crate) fn no_interface(interface: Interface) -> Failure {
    refused(format!("the agent does not support {interface}"))
}

/// Makes the failure of a classifier on a task with tokens, if its description does not say `tokens`.
pub(crate) fn no_tokens() -> Failure {
    refused("the inputs have tokens, and the agent's description does not say `tokens`".to_owned())
}

fn refused(message: String) -> Failure {
    Failure { phase: Phase::Load, kind: Kind::AgentFailure, message }
}
