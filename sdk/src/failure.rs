//! The reasons for which an agent gives up.

use std::fmt;

/// The reason why an agent gave up. Returning one is always better than a panic: the host records the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A setting is unknown, malformed or out of range.
    InvalidSetting(String),
    /// The agent does not support this task.
    Unsupported(String),
    /// Training produced no usable model.
    Diverged(String),
    /// Anything else.
    Internal(String),
}

impl Failure {
    /// Returns the failure of an agent that is asked for a part and has none.
    pub(crate) fn no_parts() -> Self {
        Self::Internal("training has no parts".into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidSetting(reason) => write!(f, "invalid setting: {reason}"),
            Self::Unsupported(reason) => write!(f, "unsupported task: {reason}"),
            Self::Diverged(reason) => write!(f, "diverged: {reason}"),
            Self::Internal(reason) => write!(f, "{reason}"),
        }
    }
}

impl std::error::Error for Failure {}
