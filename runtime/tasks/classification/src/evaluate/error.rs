//! Why an agent has no scores.

use thiserror::Error;

/// Why an agent has no scores.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvaluateError<E> {
    /// The agent failed.
    #[error(transparent)]
    Agent(#[from] E),
    /// The agent gave two answers to one question: where, and which.
    #[error("{0}")]
    Inconsistent(String),
}
