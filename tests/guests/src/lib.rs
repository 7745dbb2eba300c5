//! The shared parts of the guests: honest behaviour around the one thing that each does wrong.

mod hinges;
mod liar;
pub mod wasi;

use jointly_sdk::Description;

pub use hinges::{functions, intervals, moments};
pub use liar::{Liar, LiarGlue, LiarModel};

/// Returns the description of a guest that claims not to use its seed.
pub fn card(name: &str, summary: &str) -> Description {
    Description { deterministic: true, ..Description::new(name, env!("CARGO_PKG_VERSION"), summary) }
}

/// Returns the description of a guest that also claims to take tokens.
pub fn card_with_tokens(name: &str, summary: &str) -> Description {
    Description { tokens: true, ..card(name, summary) }
}

/// Gives every row the same distribution: `first` for the first class, the rest shared by the others.
pub fn fill(out: &mut [f32], classes: usize, first: f32) {
    let rest = (1.0 - first) / (classes - 1) as f32;
    for row in out.chunks_exact_mut(classes) {
        row.fill(rest);
        row[0] = first;
    }
}

/// Gives every class the same probability.
pub fn fill_evenly(out: &mut [f32], classes: usize) {
    out.fill(1.0 / classes as f32);
}
