//! Why a dataset's file is refused, and what to do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::import::ImportDefect;

/// A dataset's file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("failed to read {dataset} from {}: {defect}", path.display())]
pub struct DataError {
    /// The dataset.
    pub dataset: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub defect: Box<DataDefect>,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum DataDefect {
    /// The file cannot be read at all.
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// What is compressed cannot be unpacked.
    #[error("its compressed bytes are damaged or cut short ({reason}): get the file again")]
    Damaged {
        /// What the reader stumbled over.
        reason: String,
    },
    /// An archive does not hold a file.
    #[error("the archive has no {member}: get it again, or unpack the file beside it")]
    Member {
        /// The file's path within the archive.
        member: &'static str,
    },
    /// A file holds more than any dataset here.
    #[error("it holds more than {limit} bytes: it is not the file meant here")]
    TooLarge {
        /// The most that it may hold.
        limit: u64,
    },
    /// A file does not begin as its format does.
    #[error("byte 0: it begins with {found}, expected {expected}: it is not the file meant here")]
    Magic {
        /// The bytes that are there.
        found: String,
        /// What a file of the format begins with.
        expected: &'static str,
    },
    /// A file ends early, or goes on.
    #[error("byte {found}: the file ends, expected {expected} bytes {why}: get the file again")]
    Length {
        /// Bytes that are there.
        found: u64,
        /// Bytes that should be.
        expected: u64,
        /// What says so.
        why: String,
    },
    /// A line of a table is not as its others.
    #[error("line {line}: {what}: mend the line or get the file again")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A number of a table is beyond what its column can be normalised with.
    #[error(
        "row {row}, column {column}: {value:e} is too small or too large to be normalised among its column's values: mend \
         the row or get the file again"
    )]
    Scale {
        /// The row, from 1; a header is none.
        row: usize,
        /// The column, from 1.
        column: usize,
        /// The number.
        value: f64,
    },
    /// There are fewer examples than the dataset has.
    #[error("it holds {found} {what}, expected {expected}: it is not the file meant here")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many there should be.
        expected: String,
    },
    /// Too few classes occur for some to be kept from agents.
    #[error(
        "rows have {found} classes, {beside} rows beside the most frequent one, and {expected}: get the file again, whole, or leave \
         such problems out by --problems"
    )]
    Classes {
        /// How many occur.
        found: usize,
        /// Rows of all but the most frequent.
        beside: usize,
        /// What for, and what it takes.
        expected: String,
    },
    /// Images have another shape.
    #[error("it holds images of shape {found:?}, expected {expected}: save them in that shape")]
    Shape {
        /// The shape of their array.
        found: Vec<u64>,
        /// What it must be.
        expected: String,
    },
    /// A folder lacks something.
    #[error("the folder has no {what}: get it again, whole")]
    Folder {
        /// What it lacks.
        what: String,
    },
    /// A person's own folder is not laid out as it must be.
    #[error("{what}: {remedy}")]
    Layout {
        /// What is there.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// An image cannot be read.
    #[error("it is no image that can be read ({reason}): take it away or convert it to PNG or JPEG")]
    Image {
        /// What the reader stumbled over.
        reason: String,
    },
    /// Images take more memory than they may.
    #[error("{images} images of {bytes} bytes each are more than {limit} bytes: take a smaller side or fewer images")]
    Memory {
        /// How many there are.
        images: u64,
        /// What each takes.
        bytes: u64,
        /// What all may take.
        limit: u64,
    },
    /// A label is no class.
    #[error("label {index} is {label}, expected a class from 0 to {}: it is not the file meant here", classes - 1)]
    Label {
        /// The example, from 0.
        index: usize,
        /// Its label.
        label: i64,
        /// The number of classes.
        classes: u32,
    },
    /// A NumPy array is not as it must be.
    #[error(transparent)]
    Array(#[from] ImportDefect),
}

impl DataDefect {
    /// The defect of that dataset's file.
    pub fn of(self, dataset: &'static str, path: &Path) -> DataError {
        DataError { dataset, path: path.to_owned(), defect: self.into() }
    }
}
