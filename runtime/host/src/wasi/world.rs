//! The state that a guest can read or change through WASI.

use super::clocks::Clock;
use super::io::Pollables;
use super::output::Output;
use super::random::Random;

/// The state behind the interfaces, one for each store.
pub(crate) struct VirtualWorld {
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) output: Output,
    pub(super) pollables: Pollables,
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
