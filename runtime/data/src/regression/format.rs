//! The file formats of user-supplied tables.

use std::fmt;

use jointly_core::regression::dataset::Targets;

use super::{TableDefect, csv, npz};

/// The file format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Text: one row on each line, numbers separated by commas, the target last; with or without a header.
    Csv,
    /// NumPy's archive of `x` (n, d) and `y` (n,), float32 or float64.
    Npz,
}

impl TableFormat {
    /// Returns the extension of the file's name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npz => "npz",
        }
    }

    /// Returns the format and the name of the table, from the name of its file.
    ///
    /// # Errors
    /// When the extension is not that of a known format.
    pub fn of(file: &str) -> Result<(Self, &str), TableDefect> {
        let (name, extension) = file.rsplit_once('.').ok_or(TableDefect::Format)?;
        let format = [Self::Csv, Self::Npz].into_iter().find(|it| extension.eq_ignore_ascii_case(it.extension()));
        Ok((format.ok_or(TableDefect::Format)?, name))
    }

    /// Reads inputs and targets from a file of this format; the target is in the last column or in `y`.
    ///
    /// # Errors
    /// When the bytes are not a valid table.
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
