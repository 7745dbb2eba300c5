//! Independent random streams of one seed, so that no use of random numbers changes another.

use jointly_sdk::Rng;

/// The use of a stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// The initial parameters of a member.
    Start,
    /// A network sampled from a prior.
    Prior,
    /// The order of the examples.
    Batches,
    /// The weights of the examples for a member.
    Bootstrap,
    /// The member that a draw names.
    Choice,
    /// The index that a draw names.
    IndexOfDraw,
    /// The indices of each step of training.
    IndicesOfSteps,
    /// A Markov chain.
    Chain,
    /// The sample of examples on which a tree is grown, and the features that it considers.
    Tree,
    /// The difference between a draw's last layer and the trained one.
    LastLayer,
    /// The units that a draw, or a training step, drops.
    Masks,
    /// The noise of a training step.
    Noise,
    /// The parameters that a draw names.
    Parameters,
    /// The initial parameters of an autoencoder.
    AutoencoderStart,
    /// The order in which an autoencoder sees the examples.
    AutoencoderBatches,
    /// The noise of each training step of an autoencoder.
    AutoencoderNoise,
    /// The initial parameters of the flows of a posterior.
    FlowStart,
    /// The noise from which a flow makes a draw, in each training step.
    FlowNoise,
    /// The noise from which a flow makes a draw.
    FlowDraw,
    /// The examples that are held out from training.
    HeldOut,
    /// The passes through a network from which an interval is computed.
    Passes,
    /// The initial embedding tables of a member.
    Embeddings,
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
