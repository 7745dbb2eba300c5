//! Reads and writes the files of a run as plain typed data: plan, journal, directory, pack.
//!
//! Nothing here runs an agent. A [`Plan`](plan::Plan) says what a run evaluates, a [`UnitResult`](unit::UnitResult) is
//! the result of one agent on one problem. The [`Journal`](journal::Journal) has the results, the
//! [`RunDirectory`](directory::RunDirectory) has both and the bytes needed to run them again, and a [pack] has the same
//! in one file.
#![deny(missing_docs)]

pub mod agent_spec;
pub mod attachments;
mod bounded;
pub mod checksum;
pub mod compressed;
pub mod difference;
pub mod directory;
pub mod files;
pub mod format;
#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod invented;
pub mod journal;
pub mod kept;
pub mod kinds;
pub mod lines;
mod overrides;
pub mod pack;
pub mod pack_members;
pub mod pattern;
pub mod place;
pub mod plan;
mod plan_defect;
mod plan_difference;
mod plan_text;
pub mod planned_images;
pub mod planned_table;
pub mod printable;
pub mod quantity;
pub mod reference;
pub mod schema;
pub mod settings;
pub mod shard;
pub mod shell;
pub mod suites;
pub mod unit;
mod unit_text;

pub use jointly_core::guess;
