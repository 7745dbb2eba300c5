//! A run of one problem.

use jointly_core::stream::agent_seed;

use super::options::RegressionOptions;

/// What a run of a problem is given besides its agents.
pub(super) struct Run<'a> {
    pub(super) seed: u64,
    /// What streams are derived from.
    pub(super) name: &'a str,
    pub(super) options: &'a RegressionOptions,
}

impl Run<'_> {
    /// The seed that the agent is trained with.
    pub(super) fn agent_seed(&self) -> u64 {
        agent_seed(self.seed, self.name)
    }
}
