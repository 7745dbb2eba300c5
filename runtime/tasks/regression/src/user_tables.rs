//! User-supplied table files: their bytes, their contents, and the names of their problems.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use jointly_core::digest::digest;
use jointly_data::regression::{RegressionTable, TableDefect, TableFileError, TableFormat};
use jointly_data::regular_file;
use jointly_data::uci::uci_cards;

use crate::problem::Table;
use crate::suites::regression_suites;

/// Maximum size of a file in bytes.
pub const MAX_TABLE_BYTES: u64 = 512 << 20;

/// A user-supplied table, read from a file.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// The file's own name, such as `mine.csv`; the table's name is the part before the ending.
    pub file: String,
    /// The format of the file.
    pub format: TableFormat,
    /// The [digest](fn@digest) of the file.
    pub digest: String,
    /// The table, with its data attached.
    pub table: Table,
    /// The contents of the file.
    pub bytes: Vec<u8>,
}

impl TableFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, its name cannot be part of a problem's name, or it does not contain a table.
    pub fn read(path: &Path) -> Result<Self, TableFileError> {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // A file whose name is not that of a table is not read.
        TableFormat::of(&file).and_then(|(_, name)| user_table(name)).map_err(|defect| defect.of(path))?;
        let bytes = read(path).map_err(|defect| defect.of(path))?;
        Self::from_bytes(&file, bytes, path)
    }

    /// Reads a table from the bytes of a file with this name; `path` is only used in errors.
    ///
    /// # Errors
    /// When the name cannot be part of a problem's name, or the bytes do not contain a table.
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

/// Creates a user-supplied table of this name, without its data.
///
/// # Errors
/// When the name cannot be part of a problem's name, or suites already use it: for a table, a toy or another part of a
/// problem's name.
pub fn user_table(name: &str) -> Result<Table, TableDefect> {
    let table = Table::user_supplied(name)?;
    if is_taken(name) {
        return Err(TableDefect::Taken { name: name.to_owned() });
    }
    Ok(table)
}

/// Returns whether suites already use this name: as a table, or as a part between slashes of a problem's name, such as
/// a toy or a dimension.
fn is_taken(name: &str) -> bool {
    let known = uci_cards().iter().any(|card| card.name == name);
    known
        || regression_suites()
            .iter()
            .flat_map(|suite| &suite.problems)
            .any(|it| it.name.split('/').any(|it| it == name))
}

fn read(path: &Path) -> Result<Vec<u8>, TableDefect> {
    let file = regular_file::open(path).map_err(TableDefect::Io)?;
    let mut bytes = Vec::new();
    // Reads no more than the limit, whatever size the file system reports.
    file.take(MAX_TABLE_BYTES + 1).read_to_end(&mut bytes).map_err(TableDefect::Io)?;
    if bytes.len() as u64 > MAX_TABLE_BYTES { Err(TableDefect::TooLarge { limit: MAX_TABLE_BYTES }) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests;
