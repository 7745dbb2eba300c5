//! Independent random streams of one seed, so that no use of randomness moves another.

use jointly_sdk::Rng;

/// What a stream is for.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The start of a member's parameters.
    Start,
    /// A network drawn from a prior.
    Prior,
    /// The order of the examples.
    Batches,
    /// The weights of the examples for a member.
    Bootstrap,
    /// Which member a draw names.
    Choice,
    /// The index that a draw names.
    IndexOfDraw,
    /// The indices of each step of training.
    IndicesOfSteps,
    /// A Markov chain.
    Chain,
    /// The sample of the examples that a tree is grown on, and the features that it looks at.
    Tree,
    /// How a draw's last layer differs from the trained one.
    LastLayer,
    /// Which units a draw, or a step of training, drops.
    Masks,
    /// The noise of a step of training.
    Noise,
    /// The parameters that a draw names.
    Parameters,
    /// The start of an autoencoder's parameters.
    AutoencoderStart,
    /// The order in which an autoencoder sees the examples.
    AutoencoderBatches,
    /// The noise of each step of an autoencoder's training.
    AutoencoderNoise,
    /// How the flows of a belief start.
    FlowStart,
    /// The noise that a flow makes a draw of, in each step of training.
    FlowNoise,
    /// The noise that a flow makes a draw of.
    FlowDraw,
    /// Which examples are held out of training.
    HeldOut,
    /// Which passes through a network an interval is made of.
    Passes,
    /// The start of the tables of a member's embeddings.
    Embeddings,
}

impl Stream {
    /// The seed under which this use of `seed` numbers its streams.
    pub fn seed(self, seed: u64) -> u64 {
        Rng::new(seed, self as u64).next_u64()
    }

    /// The stream of this use with the given index.
    pub fn rng(self, seed: u64, index: u64) -> Rng {
        Rng::new(self.seed(seed), index)
    }
}
