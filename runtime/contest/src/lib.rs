//! Contests: rankings on problems that nobody could know when the agents' bytes were fixed.
//!
//! A contest is a folder of plain files. `contest.json` has the [`Rules`] and the digest of the organiser's secret;
//! `entries/` has a [`ContestEntry`] for each entered agent, which may have the digest of the entrant's own secret;
//! `agents/` has the components; `closed.json` is the [`EntryList`] that the close fixed; `secrets/` has the secrets that
//! were revealed after it; and `run/` is the run whose seed is the [key](fn@key) of all these. Whoever has the folder can
//! compute all of it again ([`Checked`]).
#![deny(missing_docs)]

pub mod checked;
pub mod close;
mod draw;
pub mod enter;
mod entry;
mod entry_list;
mod folder;
mod key;
mod lack;
pub mod open;
mod rules;
mod secret;
mod time;

pub use checked::Checked;
pub use entry::ContestEntry;
pub use entry_list::EntryList;
pub use folder::ContestFolder;
pub use key::key;
pub use lack::Lack;
pub use rules::Rules;
pub use secret::Secret;
pub use time::Time;
