//! Independent random streams of one seed, so that no use of random numbers changes another.

use jointly_sdk::Rng;

/// The use of a stream. The numbers differ from those of the networks' streams.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The random features of a bank.
    Features = 1001,
    /// The function that a draw names.
    Draw,
    /// The further starts of a fit.
    Starts,
    /// The rows that are used if there are too many.
    Rows,
    /// The initial centres of clusters.
    Clusters,
    /// The weights of a neural kernel.
    Weights,
}

impl Stream {
    /// Returns the seed of this use's streams.
    pub fn seed(self, seed: u64) -> u64 {
        Rng::new(seed, self as u64).next_u64()
    }

    /// Returns stream `index` of this use.
    pub fn rng(self, seed: u64, index: u64) -> Rng {
        Rng::new(self.seed(seed), index)
    }
}
