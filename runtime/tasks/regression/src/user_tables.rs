//! A person's table as a file: its bytes, what they hold, and what its problems are called.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use jointly_core::digest::digest;
use jointly_data::regression::{RegressionTable, TableDefect, TableFileError, TableFormat};
use jointly_data::uci::uci_cards;

use crate::problem::Table;
use crate::suites::regression_suites;

/// The most bytes that a file may hold.
pub const MAX_TABLE_BYTES: u64 = 512 << 20;

/// A table that somebody brought.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// The file's own name, `mine.csv`: the table is called what comes before the ending.
    pub file: String,
    /// How it is written down.
    pub format: TableFormat,
    /// The [digest](fn@digest) of the file.
    pub digest: String,
    /// The table, its data attached.
    pub table: Table,
    /// The file.
    pub bytes: Vec<u8>,
}

impl TableFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, has a name that its problems cannot have, or holds no table.
    pub fn read(path: &Path) -> Result<Self, TableFileError> {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // What is no table by its name is not read.
        TableFormat::of(&file).and_then(|(_, name)| user_table(name)).map_err(|defect| defect.of(path))?;
        let bytes = read(path).map_err(|defect| defect.of(path))?;
        Self::from_bytes(&file, bytes, path)
    }

    /// Of a file of that name; `path` only names it in errors.
    ///
    /// # Errors
    /// When the name is none that problems can have, or the bytes hold no table.
    pub fn from_bytes(file: &str, bytes: Vec<u8>, path: &Path) -> Result<Self, TableFileError> {
        Self::of(file, bytes).map_err(|defect| defect.of(path))
    }

    fn of(file: &str, bytes: Vec<u8>) -> Result<Self, TableDefect> {
        let (format, name) = TableFormat::of(file)?;
        let mut table = user_table(name)?;
        let data = format.parse(&bytes)?;
        table.attach(&Arc::new(RegressionTable::user_supplied(name, data)?));
        Ok(Self { file: file.to_owned(), format, digest: digest(&bytes), table, bytes })
    }
}

/// A user-supplied table of that name, without its data.
///
/// # Errors
/// When no problem can have that name, or it means something to suites: a table, a toy, a part of a problem's name.
pub fn user_table(name: &str) -> Result<Table, TableDefect> {
    let table = Table::user_supplied(name)?;
    if is_taken(name) {
        return Err(TableDefect::Taken { name: name.to_owned() });
    }
    Ok(table)
}

/// Whether a part of some problem's name, between slashes, is this: a table, a toy, a dimension.
fn is_taken(name: &str) -> bool {
    let known = uci_cards().iter().any(|card| card.name == name);
    known
        || regression_suites()
            .iter()
            .flat_map(|suite| &suite.problems)
            .any(|it| it.name.split('/').any(|it| it == name))
}

fn read(path: &Path) -> Result<Vec<u8>, TableDefect> {
    let file = File::open(path).map_err(TableDefect::Io)?;
    let mut bytes = Vec::new();
    // No claim of a size is believed.
    file.take(MAX_TABLE_BYTES + 1).read_to_end(&mut bytes).map_err(TableDefect::Io)?;
    if bytes.len() as u64 > MAX_TABLE_BYTES { Err(TableDefect::TooLarge { limit: MAX_TABLE_BYTES }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
