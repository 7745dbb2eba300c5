//! Makes models endlessly and releases none: each is a handle in the host's tables, outside the agent's memory.

use jointly_guests::{Liar, card};
use jointly_sdk::Description;

/// Makes as many models as it can.
pub struct ManyModels;

impl Liar for ManyModels {
    const MODELS: usize = usize::MAX;

    fn describe() -> Description {
        card("many-models", "makes models without end")
    }
}

#[cfg(target_arch = "wasm32")]
jointly_guests::export_liar!(ManyModels);
