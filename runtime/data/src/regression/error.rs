//! Why a person's own table is refused, and what to do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::import::ImportDefect;
use crate::regression::MAX_TARGET;
use crate::regression::limits::{MAX_TABLE_ROWS, MIN_TABLE_ROWS};

/// A file that cannot be used as a table, and why.
#[derive(Debug, Error)]
#[error("failed to read the table {}: {defect}", path.display())]
pub struct TableFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub defect: TableDefect,
}

/// What is wrong with a table.
#[derive(Debug, Error)]
pub enum TableDefect {
    /// The file cannot be read at all.
    #[error("{0}: give the path of a .csv or .npz file")]
    Io(#[source] std::io::Error),
    /// The file's name does not say how it is to be read.
    #[error("its name ends in neither .csv nor .npz: save it as one of them and name it so")]
    Format,
    /// No problem may be named by the file.
    #[error(
        "the table would be called {name:?}: rename the file to letters, digits, \"-\", \"_\" and \".\", at most 64 of them and \
         a letter or digit first"
    )]
    Name {
        /// What the table would be called.
        name: String,
    },
    /// The table would be mistaken for something that suites have.
    #[error("the table would be called {name}, which means something else to suites: rename the file")]
    Taken {
        /// What the table would be called.
        name: String,
    },
    /// The file holds too much.
    #[error("it holds more than {limit} bytes: save fewer rows")]
    TooLarge {
        /// The most that it may hold.
        limit: u64,
    },
    /// There are more rows or features than allowed.
    #[error("it has at least {found} {what}, expected at most {most}: save fewer of them")]
    Many {
        /// What is counted.
        what: &'static str,
        /// How many there are, or at least.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// There are too few rows to share out.
    #[error(
        "it has {}, expected {MIN_TABLE_ROWS} to {MAX_TABLE_ROWS}: they are shared out to train, to validate and to test on; \
         give more of them",
        counted(*found, "row")
    )]
    Few {
        /// How many there are.
        found: usize,
    },
    /// There is no feature, or no column at all.
    #[error(
        "it has {}, expected a feature and, in the last, the target: separate columns by commas",
        counted(*found, "column")
    )]
    Narrow {
        /// How many there are.
        found: usize,
    },
    /// Columns are separated, but not by commas.
    #[error(
        "line {line}: it has no comma but {by}, expected a feature and, in the last column, the target: separate columns by \
         commas in place of {by}"
    )]
    Separator {
        /// The first line that is not empty, from 1.
        line: usize,
        /// What it has.
        by: &'static str,
    },
    /// A line is not text.
    #[error("line {line}: it is not text in UTF-8: save the file as such")]
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
        /// How many it has.
        found: usize,
        /// How many the first has.
        expected: usize,
    },
    /// A cell is no number of the range.
    #[error(
        "line {line}, column {column}: it holds {found:?}, expected a finite number within float32: remove or impute it"
    )]
    Cell {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, and its name where there is a header.
        column: String,
        /// What is there.
        found: String,
    },
    /// A cell of the first line is no number, and the line is no header either.
    #[error(
        "line {line}, column {column}: it holds {found:?}, expected a finite number within float32: remove or impute it; or, where \
         the line is a header, give every column a name of its own, and none a number or a mark of a missing value"
    )]
    Header {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: String,
        /// What is there.
        found: String,
    },
    /// There is nothing to predict.
    #[error(
        "the target is {} in all rows, in float32: there is nothing to predict; put the target into the last column, or y",
        plain(*value)
    )]
    Constant {
        /// The target.
        value: f32,
    },
    /// A target is so large that noise about it would leave the range of float32.
    #[error(
        "the target of row {row} is {value:e}, expected at most {MAX_TARGET:e} either way: give targets in a larger unit"
    )]
    Huge {
        /// The row, from 1; a header is none.
        row: usize,
        /// The target.
        value: f32,
    },
    /// An array is not as it must be.
    #[error(transparent)]
    Array(#[from] ImportDefect),
}

/// `1 column`, `3 columns`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A number as a person writes it: with an exponent only where there would be many digits.
fn plain(value: f32) -> String {
    let ordinary = value == 0.0 || (1e-4..1e7).contains(&value.abs());
    if ordinary { value.to_string() } else { format!("{value:e}") }
}

impl TableDefect {
    /// The defect of that file.
    pub fn of(self, path: &Path) -> TableFileError {
        TableFileError { path: path.to_owned(), defect: self }
    }
}
