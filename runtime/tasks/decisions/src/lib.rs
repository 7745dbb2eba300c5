//! Decisions: agents choose actions by their predictions, and are scored by what their choices cost.
//!
//! A good joint prediction is of use where it leads to good decisions. A problem of this kind goes round by round: an
//! agent is trained on all that was observed, actions are chosen by functions sampled from it, and their outcomes are
//! observed.
#![deny(missing_docs)]

mod arms;
mod course;
mod kind;
mod objective;
mod options;
mod priority;
mod problem;
mod rule;
mod schedule;
mod score;
pub mod scores;
mod suites;
mod ties;

pub use course::Course;
pub use kind::Decisions;
pub use objective::Objective;
pub use options::{DecisionOptions, DecisionOptionsError};
pub use priority::Priority;
pub use problem::{DecisionProblem, Setting};
pub use rule::Rule;
pub use schedule::Schedule;
pub use score::{DecisionScores, Lesson, Stage, stages};
pub use suites::{DecisionSuite, decision_suite, decision_suites};
