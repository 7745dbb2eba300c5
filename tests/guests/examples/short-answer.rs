//! Leaves out the last probability of the last image.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with too few probabilities.
pub struct ShortAnswer;

impl Liar for ShortAnswer {
    fn describe() -> Description {
        card("short-answer", "answers too little")
    }

    fn probs(due: usize) -> Vec<f32> {
        vec![0.1; due - 1]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(ShortAnswer);
