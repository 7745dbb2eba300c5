//! Leaves out a canonical draw.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Leaves out a canonical draw.
pub struct WrongCanonicalLength;

impl Liar for WrongCanonicalLength {
    fn describe() -> Description {
        card("wrong-canonical-length", "forgets a canonical draw")
    }

    fn canonical_draws(mut draws: Vec<u64>) -> Vec<u64> {
        draws.pop();
        draws
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(WrongCanonicalLength);
