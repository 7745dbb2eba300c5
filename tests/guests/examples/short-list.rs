//! Leaves out the last row's last probability.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with too few probabilities.
pub struct ShortList;

impl Liar for ShortList {
    fn describe() -> Description {
        card("short-list", "answers too little")
    }

    fn probs(due: usize) -> Vec<f32> {
        vec![0.5; due - 1]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(ShortList);
