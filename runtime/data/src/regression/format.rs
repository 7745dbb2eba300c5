//! How a table is written down.

use std::fmt;

use jointly_core::regression::dataset::Targets;

use super::{TableDefect, csv, npz};

/// How a table is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Text: a row a line, numbers between commas, the target last; a header or none.
    Csv,
    /// NumPy's archive of `x` (n, d) and `y` (n,), float32 or float64.
    Npz,
}

impl TableFormat {
    /// What a file's name ends in.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npz => "npz",
        }
    }

    /// The format and the table's name that a file's own name says.
    ///
    /// # Errors
    /// When it says no format.
    pub fn of(file: &str) -> Result<(Self, &str), TableDefect> {
        let (name, extension) = file.rsplit_once('.').ok_or(TableDefect::Format)?;
        let format = [Self::Csv, Self::Npz].into_iter().find(|it| extension.eq_ignore_ascii_case(it.extension()));
        Ok((format.ok_or(TableDefect::Format)?, name))
    }

    /// Reads what a file of this format holds: inputs, and the target in the last column or in `y`.
    ///
    /// # Errors
    /// When the bytes hold no table.
    pub fn parse(self, bytes: &[u8]) -> Result<Targets, TableDefect> {
        match self {
            Self::Csv => csv::parse(bytes),
            Self::Npz => npz::parse(bytes),
        }
    }
}

impl fmt::Display for TableFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.extension())
    }
}
