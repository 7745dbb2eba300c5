//! Adds a superfluous probability to its answer for images.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with too many probabilities.
pub struct LongAnswer;

impl Liar for LongAnswer {
    fn describe() -> Description {
        card("long-answer", "answers too much")
    }

    fn probs(due: usize) -> Vec<f32> {
        vec![0.1; due + 1]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(LongAnswer);
