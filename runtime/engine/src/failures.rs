//! The failures that are recorded for agents without scores.

use std::convert::Infallible;

use jointly_classification::EvaluateError;
use jointly_host::{Failure, Kind, Phase};
use jointly_regression::FitError;

/// Returns the failure that is recorded for an agent without scores.
pub(crate) fn unscored(error: EvaluateError<Failure>) -> Failure {
    match error {
        EvaluateError::Agent(failure) => failure,
        EvaluateError::Inconsistent(message) => Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message },
    }
}

/// Returns the failure of a sampler that does not fail itself and could only be found inconsistent.
pub(crate) fn inconsistent(error: EvaluateError<Infallible>) -> Failure {
    match error {
        EvaluateError::Agent(never) => match never {},
        EvaluateError::Inconsistent(message) => unscored(EvaluateError::Inconsistent(message)),
    }
}

/// Returns the failure that is recorded for an agent of regression without a prediction.
pub(crate) fn of_fit(error: FitError<Failure>) -> Failure {
    match error {
        FitError::Agent(failure) => failure,
        // The agent is not at fault, so this is not recorded as its failure.
        FitError::Oracle(_) | FitError::Data(_) => {
            Failure { phase: Phase::Load, kind: Kind::Host, message: error.to_string() }
        }
        FitError::Inconsistent(_) | FitError::Moments(_) | FitError::Predictor(_) => {
            Failure { phase: Phase::Sample, kind: Kind::InvalidOutput, message: error.to_string() }
        }
    }
}
