//! The state that a guest can read or change through WASI.

use super::clock::Clock;
use super::output::Output;
use super::pollables::Pollables;
use super::random::Random;

/// The state behind the interfaces, one for each store.
pub(crate) struct VirtualWorld {
    pub(in crate::wasi) clock: Clock,
    pub(in crate::wasi) random: Random,
    pub(in crate::wasi) output: Output,
    pub(in crate::wasi) pollables: Pollables,
}

impl VirtualWorld {
    /// Makes the state of a guest that trains with `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            clock: Clock::default(),
            random: Random::new(seed),
            output: Output::default(),
            pollables: Pollables::default(),
        }
    }

    /// Finishes the lines that the guest has printed without a line end, and returns them.
    pub(crate) fn end_lines(&mut self) -> impl Iterator<Item = String> {
        self.output.end_lines()
    }
}
