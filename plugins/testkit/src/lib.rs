//! Settings, small data sets and assertions about draws for the tests of agents.
//!
//! `jointly check` tests a built agent's contract on its own data. These functions test an agent's type, so that a
//! test can choose the data, settings and inputs under which a method is most likely to break the contract.
#![deny(missing_docs)]

mod data;
mod draws;
mod learning;
mod settings;
pub mod trials;

pub use data::{degenerate_targets, half_plane, no_examples, no_targets, plane, wave};
pub use draws::{assert_draws_are_functions, assert_draws_have_the_moments, assert_functions_stand_alone, probs};
pub use learning::{assert_divergence_names_the_step, assert_draws_disagree, correct, mean_nll};
pub use settings::{assert_invalid, setting, settings};
