//! All that a guest can find out or change through WASI.

use super::clocks::Clock;
use super::io::Pollables;
use super::output::Output;
use super::random::Random;

/// The state behind the interfaces, one a store.
pub(crate) struct VirtualWorld {
    pub(super) clock: Clock,
    pub(super) random: Random,
    pub(super) output: Output,
    pub(super) pollables: Pollables,
}

impl VirtualWorld {
    /// The world of a guest that is to train with `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            clock: Clock::default(),
            random: Random::new(seed),
            output: Output::default(),
            pollables: Pollables::default(),
        }
    }

    /// Ends the lines that the guest has begun to print; these are theirs.
    pub(crate) fn end_lines(&mut self) -> impl Iterator<Item = String> {
        self.output.end_lines()
    }
}
