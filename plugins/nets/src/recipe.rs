//! The composition of an ensemble and the settings of its training.

use jointly_sdk::choices;

use crate::front::Front;
use crate::network::FirstBiases;
use crate::penalty::Penalty;

choices! {
    /// The distribution of the weights that a member gives the training examples.
    pub enum Weighting {
        /// All weights are one.
        Equal = "none",
        /// Zero or two, with equal probability.
        Bernoulli = "bernoulli",
        /// Exponential with mean one.
        Exponential = "exponential",
    }
}

choices! {
    /// The fixed random prior function that is added to each member of an ensemble.
    pub enum Prior {
        /// No prior function.
        None = "none",
        /// A network from the environment's distribution, with the members' hidden layers.
        Mlp = "mlp",
        /// A network from the environment's distribution, without hidden layers.
        Linear = "linear",
        /// A linear function of the latent representation of an autoencoder of the training inputs.
        Vae = "vae",
    }
}

/// The composition of an ensemble and the settings of its training.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The number of members.
    pub size: usize,
    /// Convolutions and poolings in front of a member's hidden layers, for inputs that are images.
    pub front: Option<Front>,
    /// Widths of the hidden layers; none gives logistic regression.
    pub hidden: Vec<usize>,
    /// Steps of Adam.
    pub steps: usize,
    /// Examples per minibatch.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
    /// The penalty on the squares of a member's parameters.
    pub penalty: Penalty,
    /// The initial biases of the first layer.
    pub first_biases: FirstBiases,
    /// The distribution of the fixed random functions whose logits are added to those of the members.
    pub prior: Prior,
    /// The factor of these logits, before division by the square root of the temperature; zero means no prior function.
    pub prior_scale: f32,
    /// Training steps of the autoencoder, if the prior function needs one.
    pub vae_steps: usize,
    /// The distribution of the members' weights of training examples.
    pub weighting: Weighting,
}

impl Default for Recipe {
    /// A single network as the Neural Testbed trains it: two hidden layers, no prior function, equal weights for all
    /// examples.
    fn default() -> Self {
        Self {
            size: 1,
            front: None,
            hidden: vec![50, 50],
            steps: 1000,
            batch_size: 100,
            learning_rate: 1e-3,
            penalty: Penalty { l2: 1.0, adaptive: None },
            first_biases: FirstBiases::Zero,
            prior: Prior::None,
            prior_scale: 0.0,
            vae_steps: 0,
            weighting: Weighting::Equal,
        }
    }
}
