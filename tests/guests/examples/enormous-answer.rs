//! Answers with far more probabilities than the images need.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with hundreds of megabytes.
pub struct EnormousAnswer;

impl Liar for EnormousAnswer {
    fn describe() -> Description {
        card("enormous-answer", "answers with hundreds of megabytes")
    }

    fn probs(_due: usize) -> Vec<f32> {
        vec![0.1; 96 << 20]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(EnormousAnswer);
