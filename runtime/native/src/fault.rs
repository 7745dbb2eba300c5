//! Why an exchange with a native agent failed.

use jointly_core::Trace;
use jointly_core::failure::{Failure, Kind, Phase};
use jointly_core::printable::clean;

/// How Python's error about a module that is not installed begins.
const NO_MODULE: &str = "ModuleNotFoundError";
/// The remedy for a missing module.
const OTHER_PYTHON: &str = "; a .py file runs with the python3 that PATH finds: activate the environment that has the module, or \
                            name its interpreter by 'exec:PYTHON FILE.py'";

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
        let last = || {
            let last = trace.last_line()?;
            let remedy = if last.starts_with(NO_MODULE) { OTHER_PYTHON } else { "" };
            Some(format!("; its log ends: {last}{remedy}"))
        };
        let (kind, message) = match self {
            Self::Ended(how) => (Kind::Trapped, format!("{how}{}", last().unwrap_or_default())),
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
