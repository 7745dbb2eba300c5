//! Why a file is refused, and what to do about it.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("failed to read {}: {defect}", path.display())]
pub struct ImportError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub defect: ImportDefect,
}

/// What to do about a file that holds too much.
pub(super) const SPLIT: &str = "save fewer rows or tau-samples a file";

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum ImportDefect {
    /// The file cannot be read at all.
    #[error("{0}: give the path of a .npz file")]
    Io(#[source] std::io::Error),
    /// The file is no archive of arrays.
    #[error("not an .npz archive, or one cut short ({reason}): save it with np.savez")]
    NotNpz {
        /// What the reader stumbled over.
        reason: String,
    },
    /// An array is missing.
    #[error("there is no array {key:?}, only {found}: name it in np.savez(file, {key}=...)")]
    MissingKey {
        /// The array.
        key: String,
        /// Those that are there.
        found: String,
    },
    /// An array has a name that means nothing.
    #[error("there is an array {key:?}, which means nothing here: rename it or leave it out; known are {known}")]
    UnknownKey {
        /// The array.
        key: String,
        /// The names that mean something.
        known: String,
    },
    /// An array is not readable.
    #[error("{key} is damaged ({reason}): save the file again")]
    Damaged {
        /// The array.
        key: String,
        /// What the reader stumbled over.
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
    /// An array holds another type of number.
    #[error("{key} is {found}, expected {expected}: save it with .astype(np.{remedy})")]
    Dtype {
        /// The array.
        key: String,
        /// NumPy's name of its type.
        found: String,
        /// NumPy's names of the types that are accepted.
        expected: &'static str,
        /// The one to convert to.
        remedy: &'static str,
    },
    /// An array is stored column after column.
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
        /// What the shape must be, in symbols and in numbers where another array fixes them.
        expected: String,
    },
    /// A label is no class.
    #[error("{key}{index:?} is {label}, expected a class from 0 to {}: number the classes from 0", classes - 1)]
    Label {
        /// The array.
        key: String,
        /// Where in it.
        index: Vec<u64>,
        /// The label.
        label: i64,
        /// The number of classes.
        classes: u64,
    },
    /// Predictions are of other test data than the problem's.
    #[error(
        "{key}{index:?} is {found}, and the problem has {expected} there: score predictions with the problem that they were made on, its tau-samples in their order"
    )]
    OtherProblem {
        /// The array.
        key: String,
        /// Where in it.
        index: Vec<u64>,
        /// What is there.
        found: String,
        /// What the problem has.
        expected: String,
    },
    /// A number is infinite or not a number.
    #[error("{key}{index:?} is {value}, expected a finite number: remove or impute it before saving")]
    NotFinite {
        /// The array.
        key: String,
        /// Where in it.
        index: Vec<u64>,
        /// The number.
        value: f64,
    },
    /// A row of predictions is no probability distribution.
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
        /// What is wrong, as [`distribution_defect`](jointly_core::distribution_defect) puts it.
        reason: String,
    },
    /// A number is out of range.
    #[error("{key} is {found}, expected {expected}: {remedy}")]
    Range {
        /// The array or option.
        key: String,
        /// The number.
        found: String,
        /// What it must be.
        expected: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Something would take more memory than is allowed.
    #[error("{what} needs {bytes} bytes of memory, expected at most {limit}: {remedy}")]
    TooLarge {
        /// What it is, with its sizes.
        what: String,
        /// The bytes that it needs.
        bytes: u64,
        /// The most that it may need.
        limit: u64,
        /// What to do.
        remedy: &'static str,
    },
}

impl ImportDefect {
    /// The defect of that file.
    pub fn of(self, path: &Path) -> ImportError {
        ImportError { path: path.to_owned(), defect: self }
    }
}
