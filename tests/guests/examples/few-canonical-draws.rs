//! Leaves out a canonical draw.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Answers for fewer draws than requested.
pub struct FewCanonicalDraws;

impl Liar for FewCanonicalDraws {
    fn describe() -> Description {
        card("few-canonical-draws", "answers for fewer draws than it is asked for")
    }

    fn canonical_draws(mut draws: Vec<u64>) -> Vec<u64> {
        draws.pop();
        draws
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(FewCanonicalDraws);
