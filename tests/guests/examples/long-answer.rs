//! Adds a probability of a picture that nobody asked for.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers too much.
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
