//! A run of one problem.

use jointly_core::Seed;
use jointly_core::stream::agent_seed;

use super::options::RegressionOptions;

/// The inputs of a run besides its agents.
pub(super) struct Run<'a> {
    pub(super) seed: Seed,
    /// The name from which random streams are derived.
    pub(super) name: &'a str,
    pub(super) options: &'a RegressionOptions,
}

impl Run<'_> {
    /// Returns the seed that the agent is trained with.
    pub(super) fn agent_seed(&self) -> u64 {
        agent_seed(self.seed, self.name)
    }
}
