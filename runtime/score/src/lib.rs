//! Scores of a run, computed from its plan and journal alone: leaderboards, comparisons, selection, entries and their claims.
#![deny(missing_docs)]

pub mod boards;
mod chance;
mod claims;
pub mod combined;
pub mod comparison;
pub mod entry;
pub mod finished;
pub mod held_scores;
#[cfg(any(test, feature = "fixtures"))]
#[doc(hidden)]
pub mod invented;
pub mod leaderboard;
pub mod leaderboard_columns;
pub mod leaderboard_document;
mod leaderboard_notes;
pub mod mark;
mod marks;
pub mod overfit;
pub mod pairwise;
pub mod rank_interval;
pub mod run_results;
pub mod scores;
pub mod selection;
pub mod sweep_document;
