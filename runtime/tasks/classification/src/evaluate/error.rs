//! Errors of an evaluation, which leave an agent without scores.

use thiserror::Error;

/// Errors of an evaluation, which leave an agent without scores.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvaluateError<E> {
    /// The agent failed.
    #[error(transparent)]
    Agent(#[from] E),
    /// The agent gave two different answers to the same question; the message says where, and which.
    #[error("{0}")]
    Inconsistent(String),
}
