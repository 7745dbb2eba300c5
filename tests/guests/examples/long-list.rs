//! Adds a superfluous probability to its answer.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with too many probabilities.
pub struct LongList;

impl Liar for LongList {
    fn describe() -> Description {
        card("long-list", "answers too much")
    }

    fn probs(due: usize) -> Vec<f32> {
        vec![0.5; due + 1]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(LongList);
