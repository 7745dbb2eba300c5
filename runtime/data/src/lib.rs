//! Real data: the datasets that suites know, the files that hold them, and the problems made of them.
//!
//! A [`Card`] says what a dataset is and where its files are looked for; [`load`] reads and checks them; a
//! [`RealProblem`] trains on some of the examples and tests on others. Nothing here is downloaded and nothing is global: the
//! caller attaches the data to a problem before it runs.
#![deny(missing_docs)]

mod card;
mod cifar;
mod equal_inputs;
mod error;
mod examples;
mod idx;
pub mod import;
mod load;
mod locate;
mod normalize;
mod numpy;
mod open;
pub mod problem;
mod registry;
pub mod regression;
pub mod regular_file;
pub mod shift;
mod table;
pub mod uci;
mod zip_names;

pub use card::{Card, Download, Format, Kind, Labels, Part, Place};
pub use error::{DataDefect, DataError};
pub use examples::LoadedDataset;
pub use import::{ImportDefect, ImportError, ImportedProblem, MAX_IMPORT_BYTES};
pub use load::load;
pub use locate::{Found, locate};
pub use open::MAX_DATA_BYTES;
pub use problem::RealProblem;
pub use registry::{card, cards};

#[cfg(test)]
mod tests;
