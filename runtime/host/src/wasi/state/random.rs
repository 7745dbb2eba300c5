//! The random numbers of a guest, from streams named by the seed that it trains with.

use jointly_core::{Stream, stream};

/// The most random bytes of one call; `getrandom` requests a few bytes.
pub(in crate::wasi) const MOST_BYTES: u64 = 16 << 20;

/// One stream for each interface, so that the use of one does not change another.
pub(in crate::wasi) struct Random {
    pub(in crate::wasi) secure: Stream,
    pub(in crate::wasi) insecure: Stream,
    pub(in crate::wasi) insecure_seed: Stream,
}

impl Random {
    /// Makes the streams of a guest that trains with `seed`.
    pub(in crate::wasi) fn new(seed: u64) -> Self {
        let named = |purpose| stream(seed, purpose, "", 0);
        Self {
            secure: named("wasi-random"),
            insecure: named("wasi-insecure-random"),
            insecure_seed: named("wasi-insecure-seed"),
        }
    }
}
