//! Why a user-supplied table is refused, and what to do about it.

use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;
use thiserror::Error;

use crate::import::ImportDefect;
use crate::regression::MAX_TARGET;
use crate::regression::limits::{MAX_TABLE_ROWS, MIN_TABLE_ROWS};

/// A file that cannot be used as a table, and why.
#[derive(Debug, Error)]
#[error("failed to read the table {}: {defect}", path.shown())]
pub struct TableFileError {
    /// The file.
    pub path: PathBuf,
    /// The defect.
    pub defect: TableDefect,
}

/// The defect of a table.
#[derive(Debug, Error)]
pub enum TableDefect {
    /// The file cannot be read at all.
    #[error("{0}: give the path of a .csv or .npz file")]
    Io(#[source] std::io::Error),
    /// The ending of the file's name names no known format.
    #[error("its name ends in neither .csv nor .npz: save it as one of them and name it so")]
    Format,
    /// The name of the file cannot be part of a problem's name.
    #[error(
        "the table would be called {name:?}: rename the file to letters, digits, \"-\", \"_\" and \".\", at most 64 of them and \
         a letter or digit first"
    )]
    Name {
        /// The name that the table would have.
        name: String,
    },
    /// The name of the table has another meaning in suites.
    #[error("the table would be called {name}, which means something else to suites: rename the file")]
    Taken {
        /// The name that the table would have.
        name: String,
    },
    /// The file is too large.
    #[error("it holds more than {limit} bytes: save fewer rows")]
    TooLarge {
        /// The most bytes that it may hold.
        limit: u64,
    },
    /// There are more rows or features than allowed.
    #[error("it has at least {found} {what}, expected at most {most}: save fewer of them")]
    Many {
        /// The name of what is counted, in the plural.
        what: &'static str,
        /// The number found, or a lower bound on it.
        found: usize,
        /// The most that are allowed.
        most: usize,
    },
    /// There are too few rows for training, validation and test sets.
    #[error(
        "it has {}, expected {MIN_TABLE_ROWS} to {MAX_TABLE_ROWS}: training, validation and test sets need them; give more rows",
        counted(*found, "row")
    )]
    Few {
        /// The number of rows.
        found: usize,
    },
    /// There is no feature, or no column at all.
    #[error(
        "it has {}, expected at least a feature and the target, in the last column: separate columns by commas",
        counted(*found, "column")
    )]
    Narrow {
        /// The number of columns.
        found: usize,
    },
    /// Columns are separated, but not by commas.
    #[error(
        "line {line}: it has {by} and no comma, expected at least a feature and the target, in the last column: replace the {by} by \
         commas"
    )]
    Separator {
        /// The first line that is not empty, from 1.
        line: usize,
        /// The separators found, in words.
        by: &'static str,
    },
    /// A line is not text.
    #[error("line {line}: it is not UTF-8 text: save the file as UTF-8")]
    Text {
        /// The line, from 1.
        line: usize,
    },
    /// A column of the header has no name.
    #[error("column {column} has no name in the header: name it, or, where it counts the rows, leave it out")]
    Nameless {
        /// The column, from 1.
        column: usize,
    },
    /// A row has another number of columns than the first.
    #[error("line {line}: it has {}, expected {expected} as in the first: mend the line", counted(*found, "column"))]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// The number of columns of the line.
        found: usize,
        /// The number of columns of the first row.
        expected: usize,
    },
    /// A cell is not a finite number in the range of float32.
    #[error(
        "line {line}, column {column}: it holds {found:?}, expected a finite number within float32: remove or impute it"
    )]
    Cell {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, and its name if there is a header.
        column: String,
        /// The value found.
        found: String,
    },
    /// A cell of the first line is not a number, and the line is not a header.
    #[error(
        "line {line}, column {column}: it holds {found:?}, expected a finite number within float32: remove or impute it; or, where \
         the line is a header, give every column a name of its own, and none a number or a mark of a missing value"
    )]
    Header {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: String,
        /// The value found.
        found: String,
    },
    /// The target is constant.
    #[error(
        "the target is {} in all rows, in float32: there is nothing to predict; put the target into the last column, or y",
        plain(*value)
    )]
    Constant {
        /// The target.
        value: f32,
    },
    /// The features are constant.
    #[error(
        "all {rows} rows have the same features, in float32: there is nothing to predict from; save at least one column that \
         differs between rows"
    )]
    Equal {
        /// The number of rows.
        rows: usize,
    },
    /// A target is so large that simulated noise could exceed the range of float32.
    #[error(
        "the target of row {row} is {value:e}, expected at most {MAX_TARGET:e} either way: give targets in a larger unit"
    )]
    Huge {
        /// The row, from 1, without the header.
        row: usize,
        /// The target.
        value: f32,
    },
    /// An array is invalid.
    #[error(transparent)]
    Array(#[from] ImportDefect),
}

/// `1 column`, `3 columns`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Formats a number, with an exponent only where it has many digits.
fn plain(value: f32) -> String {
    let ordinary = value == 0.0 || (1e-4..1e7).contains(&value.abs());
    if ordinary { value.to_string() } else { format!("{value:e}") }
}

impl TableDefect {
    /// Makes the error of this defect in a file.
    pub fn of(self, path: &Path) -> TableFileError {
        TableFileError { path: path.to_owned(), defect: self }
    }
}
