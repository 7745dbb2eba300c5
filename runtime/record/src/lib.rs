//! Reads and writes what a run leaves on disk, as plain typed data: plan, journal, directory, pack.
//!
//! Nothing here runs an agent. A [`Plan`](plan::Plan) says what was asked, a [`UnitResult`](unit::UnitResult) what one agent
//! gave on one problem; the [`Journal`](journal::Journal) has the results, the
//! [`RunDirectory`](directory::RunDirectory) both and the bytes that running them again needs, and a [pack] the same in
//! one file.
#![deny(missing_docs)]

pub mod attachments;
pub mod difference;
pub mod directory;
pub mod format;
#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod invented;
pub mod journal;
pub mod kept;
pub mod kinds;
mod overrides;
pub mod pack;
pub mod pack_members;
pub mod plan;
mod plan_defect;
mod plan_difference;
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

pub use jointly_core::guess;
