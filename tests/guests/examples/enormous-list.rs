//! Answers with hundreds of megabytes.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers with as much as it can hold.
pub struct EnormousList;

/// The number of probabilities, 384 MiB of them.
const PROBS: usize = 96 << 20;

impl Liar for EnormousList {
    fn describe() -> Description {
        card("enormous-list", "answers with all that it can hold")
    }

    fn probs(_due: usize) -> Vec<f32> {
        vec![0.5; PROBS]
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(EnormousList);
