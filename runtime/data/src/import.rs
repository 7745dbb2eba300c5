//! Data from files: NumPy's .npz, checked as it enters.

mod error;
mod limits;
mod npz;
mod open;
mod problem;
mod writer;

pub use error::{ImportDefect, ImportError};
pub use limits::{MAX_FILE_BYTES, MAX_IMPORT_BYTES};
pub(crate) use npz::npy;
pub use npz::{Archive, Array, Element, Kind, Values};
pub use open::open;
pub use problem::{ImportedProblem, classes, log_likelihoods, place};
pub use writer::NpzWriter;

#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
#[cfg(test)]
mod tests;
