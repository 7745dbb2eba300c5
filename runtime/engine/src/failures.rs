//! The failures that are recorded for agents without scores.

use jointly_classification::EvaluateError;
use jointly_host::{Failure, Kind, Phase};

/// Returns the failure that is recorded for an agent without scores.
pub(crate) fn unscored(error: EvaluateError<Failure>) -> Failure {
    match error {
        EvaluateError::Agent(failure) => failure,
        EvaluateError::Inconsistent(message) => Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message },
    }
}
