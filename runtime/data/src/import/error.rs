//! Why a file is refused, and what to do about it.

use std::path::{Path, PathBuf};

use jointly_core::printable::ShowPath as _;
use thiserror::Error;

/// A file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("failed to read {}: {defect}", path.shown())]
pub struct ImportError {
    /// The file.
    pub path: PathBuf,
    /// The defect.
    pub defect: ImportDefect,
}

/// The remedy for a file that is too large.
pub(super) const SPLIT: &str = "save fewer rows or tau-samples a file";

/// The defect of a file.
#[derive(Debug, Error)]
pub enum ImportDefect {
    /// The file cannot be read at all.
    #[error("{0}: give the path of a .npz file")]
    Io(#[source] std::io::Error),
    /// The file is not an archive of arrays.
    #[error("not an .npz archive, or one cut short ({reason}): save it with np.savez")]
    NotNpz {
        /// The error of the reader.
        reason: String,
    },
    /// An array is missing.
    #[error("there is no array {key:?}, only {found}: name it in np.savez(file, {key}=...)")]
    MissingKey {
        /// The array.
        key: String,
        /// The arrays of the file.
        found: String,
    },
    /// An array has an unknown name.
    #[error("there is an array {key:?}, which means nothing here: rename it or leave it out; known are {known}")]
    UnknownKey {
        /// The array.
        key: String,
        /// The known names.
        known: String,
    },
    /// An array is not readable.
    #[error("{key} is damaged ({reason}): save the file again")]
    Damaged {
        /// The array.
        key: String,
        /// The error of the reader.
        reason: String,
    },
    /// An array ends before its shape is filled.
    #[error("{key} is cut short: its shape {shape:?} needs more values than there are; save the file again")]
    Truncated {
        /// The array.
        key: String,
        /// Its shape.
        shape: Vec<u64>,
    },
    /// An array has another type of numbers.
    #[error("{key} is {found}, expected {expected}: save it with .astype(np.{remedy})")]
    Dtype {
        /// The array.
        key: String,
        /// NumPy's name of its type.
        found: String,
        /// NumPy's names of the types that are accepted.
        expected: &'static str,
        /// The type to convert to.
        remedy: &'static str,
    },
    /// An array is stored in Fortran order, column by column.
    #[error("{key} is in Fortran order: save it with np.ascontiguousarray({key})")]
    FortranOrder {
        /// The array.
        key: String,
    },
    /// An array has another shape.
    #[error("{key} has shape {found:?}, expected {expected}: save it in that shape")]
    Shape {
        /// The array.
        key: String,
        /// Its shape.
        found: Vec<u64>,
        /// The expected shape, in symbols and in numbers where another array fixes them.
        expected: String,
    },
    /// A label is not a class.
    #[error("{key}{index:?} is {label}, expected a class from 0 to {}: number the classes from 0", classes - 1)]
    Label {
        /// The array.
        key: String,
        /// The index in the array.
        index: Vec<u64>,
        /// The label.
        label: i64,
        /// The number of classes.
        classes: u64,
    },
    /// Predictions are for other test data than the problem's.
    #[error(
        "{key}{index:?} is {found}, and the problem has {expected} there: score predictions with the problem that they were made on, its tau-samples in their order"
    )]
    OtherProblem {
        /// The array.
        key: String,
        /// The index in the array.
        index: Vec<u64>,
        /// The value found.
        found: String,
        /// The value in the problem.
        expected: String,
    },
    /// A number is infinite or not a number.
    #[error("{key}{index:?} is {value}, expected a finite number: remove or impute it before saving")]
    NotFinite {
        /// The array.
        key: String,
        /// The index in the array.
        index: Vec<u64>,
        /// The number.
        value: f64,
    },
    /// A row of predictions is not a probability distribution.
    #[error("{key}[m={m}, n={n}, t={t}] holds {reason}: apply a softmax before saving")]
    Probability {
        /// The array.
        key: String,
        /// The draw.
        m: u64,
        /// The tau-sample.
        n: u64,
        /// The row within it.
        t: u64,
        /// The defect, as [`distribution_defect`](jointly_core::distribution_defect) puts it.
        reason: String,
    },
    /// A number is out of range.
    #[error("{key} is {found}, expected {expected}: {remedy}")]
    Range {
        /// The array or option.
        key: String,
        /// The number.
        found: String,
        /// The values that are allowed.
        expected: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// The contents would take more memory than allowed.
    #[error("{what} needs {bytes} bytes of memory, expected at most {limit}: {remedy}")]
    TooLarge {
        /// The contents, with their sizes.
        what: String,
        /// The bytes that the contents need.
        bytes: u64,
        /// The most bytes that they may need.
        limit: u64,
        /// The remedy.
        remedy: &'static str,
    },
}

impl ImportDefect {
    /// Makes the error of this defect in a file.
    pub fn of(self, path: &Path) -> ImportError {
        ImportError { path: path.to_owned(), defect: self }
    }
}
