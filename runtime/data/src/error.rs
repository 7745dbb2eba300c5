//! Why a dataset's file is refused, and what to do about it.

use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;
use thiserror::Error;

use crate::import::ImportDefect;

/// A dataset's file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("failed to read {dataset} from {}: {defect}", path.shown())]
pub struct DataError {
    /// The dataset.
    pub dataset: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The defect.
    pub defect: Box<DataDefect>,
}

/// The defect of a dataset's file.
#[derive(Debug, Error)]
pub enum DataDefect {
    /// The file cannot be read at all.
    #[error("{0}")]
    Io(#[source] std::io::Error),
    /// The compressed bytes cannot be unpacked.
    #[error("its compressed bytes are damaged or cut short ({reason}): get the file again")]
    Damaged {
        /// The error of the reader.
        reason: String,
    },
    /// An archive does not hold a file.
    #[error("the archive has no {member}: get it again, or unpack the file beside it")]
    Member {
        /// The file's path within the archive.
        member: &'static str,
    },
    /// A file is larger than any dataset known here.
    #[error("it holds more than {limit} bytes: it is not the expected file")]
    TooLarge {
        /// The most that it may hold.
        limit: u64,
    },
    /// A file does not begin with the magic bytes of its format.
    #[error("byte 0: it begins with {found}, expected {expected}: it is not the expected file")]
    Magic {
        /// The bytes found.
        found: String,
        /// The bytes that a file of the format begins with.
        expected: &'static str,
    },
    /// A file has fewer or more bytes than expected.
    #[error("byte {found}: the file ends, expected {expected} bytes {why}: get the file again")]
    Length {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes expected.
        expected: u64,
        /// The reason for the expected number.
        why: String,
    },
    /// A line of a table is invalid.
    #[error("line {line}: {what}: mend the line or get the file again")]
    Line {
        /// The line, from 1.
        line: u64,
        /// The defect.
        what: String,
    },
    /// A number of a table is too large for its column to be normalised.
    #[error(
        "row {row}, column {column}: {value:e} is too small or too large to be normalised among its column's values: mend \
         the row or get the file again"
    )]
    Scale {
        /// The row, from 1, without the header.
        row: usize,
        /// The column, from 1.
        column: usize,
        /// The number.
        value: f64,
    },
    /// There are fewer examples than the dataset has.
    #[error("it holds {found} {what}, expected {expected}: it is not the expected file")]
    Count {
        /// The name of what is counted, in the plural.
        what: &'static str,
        /// The number found.
        found: u64,
        /// The number expected.
        expected: String,
    },
    /// All inputs of a file are the same.
    #[error(
        "all {count} {what} are the same, so no agent can learn from them: see whether its texts are empty, its images blank \
         or its columns constant, and get it again"
    )]
    Equal {
        /// The name of the inputs, in the plural.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// Too few classes occur for some of them to be held out.
    #[error(
        "rows have {found} classes, {beside} rows beside the most frequent one, and {expected}: get the file again, whole, or leave \
         such problems out by --problems"
    )]
    Classes {
        /// The number of classes found.
        found: usize,
        /// The number of rows outside the most frequent class.
        beside: usize,
        /// The purpose, and the classes and rows that it needs.
        expected: String,
    },
    /// Images have another shape.
    #[error("it holds images of shape {found:?}, expected {expected}: save them in that shape")]
    Shape {
        /// The shape of their array.
        found: Vec<u64>,
        /// The values that are allowed.
        expected: String,
    },
    /// A folder lacks something.
    #[error("the folder has no {what}: get it again, whole")]
    Folder {
        /// The missing file or folder.
        what: String,
    },
    /// A user-supplied folder has an invalid layout.
    #[error("{what}: {remedy}")]
    Layout {
        /// The value found.
        what: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// An image cannot be read.
    #[error("cannot decode the image ({reason}): remove it or convert it to PNG or JPEG")]
    Image {
        /// The error of the reader.
        reason: String,
    },
    /// Images take more memory than allowed.
    #[error("{images} images of {bytes} bytes each are more than {limit} bytes: take a smaller side or fewer images")]
    Memory {
        /// The number of images.
        images: u64,
        /// The bytes of each image.
        bytes: u64,
        /// The most bytes of all images.
        limit: u64,
    },
    /// A label is not a class of the dataset.
    #[error("label {index} is {label}, expected a class from 0 to {}: it is not the expected file", classes - 1)]
    Label {
        /// The example, from 0.
        index: usize,
        /// Its label.
        label: i64,
        /// The number of classes.
        classes: u32,
    },
    /// A NumPy array is invalid.
    #[error(transparent)]
    Array(#[from] ImportDefect),
}

impl DataDefect {
    /// Makes the error of this defect in a dataset's file.
    pub fn of(self, dataset: &'static str, path: &Path) -> DataError {
        DataError { dataset, path: path.to_owned(), defect: self.into() }
    }
}
