//! Data from files: NumPy's .npz, checked as it enters.

mod error;
mod limits;
mod npz;
mod open;
mod problem;

pub use error::{ImportDefect, ImportError};
pub use limits::MAX_IMPORT_BYTES;
pub(crate) use npz::{Archive, Array, Element, npy};
pub(crate) use open::open;
pub use problem::ImportedProblem;
pub(crate) use problem::{classes, log_likelihoods, place};

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
