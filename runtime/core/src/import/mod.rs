//! Data from files: NumPy's .npz, checked as it enters.

mod error;
mod npz;
mod problem;

pub use error::{ImportDefect, ImportError};
pub(crate) use npz::Archive;
pub use problem::ImportedProblem;
pub(crate) use problem::{classes, log_likelihoods};

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
