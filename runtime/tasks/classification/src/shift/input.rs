//! The kinds of data that can be shifted.

use std::fmt;

/// The kind of data to which a shift applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// [`Pixels`](super::Pixels).
    Image,
    /// Rows of numbers.
    Table,
    /// Categorical tokens.
    Tokens,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "images",
            Self::Table => "tables of numbers",
            Self::Tokens => "tokens",
        })
    }
}
