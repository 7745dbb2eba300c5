//! Why an exchange with a native agent failed.

use jointly_core::Trace;
use jointly_core::failure::{Failure, Kind, Phase};
use jointly_core::printable::clean;

/// Why an exchange with a native agent failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The connection ended: the process ended, or the server closed it.
    Ended(String),
    /// No answer came in time.
    TimedOut(u64),
    /// The bytes that came are no answer to the request.
    Invalid(String),
    /// The agent reports a failure itself. The connection can be used further.
    Said(String),
}

impl Fault {
    /// Returns the failure of the unit, with the end of the agent's log where the log says why.
    pub(crate) fn into_failure(self, phase: Phase, trace: &Trace) -> Failure {
        let last = || trace.last_line().map(|last| format!("; its log ends: {last}")).unwrap_or_default();
        let (kind, message) = match self {
            Self::Ended(how) => (Kind::Trapped, format!("{how}{}", last())),
            Self::TimedOut(seconds) => (
                Kind::TimedOut,
                format!("took more than {seconds} s for one request; --request-timeout sets the limit"),
            ),
            Self::Invalid(what) => (Kind::InvalidOutput, what),
            Self::Said(message) => (Kind::AgentFailure, message),
        };
        Failure { phase, kind, message: clean(&message) }
    }
}
