//! What an ensemble is made of and how it is trained.

use jointly_sdk::choices;

use crate::front::Front;
use crate::network::FirstBiases;
use crate::penalty::Penalty;

choices! {
    /// How the functions of a belief weigh the examples.
    pub enum Weighting {
        /// All the same.
        Equal = "none",
        /// Zero or two, as likely.
        Bernoulli = "bernoulli",
        /// Exponential with mean one.
        Exponential = "exponential",
    }
}

choices! {
    /// The fixed random functions that the members of an ensemble learn around.
    pub enum Prior {
        /// There are none.
        None = "none",
        /// A network of the environment's law, with the members' hidden layers.
        Mlp = "mlp",
        /// The same without hidden layers.
        Linear = "linear",
        /// A linear function of the latent of an autoencoder of the training inputs.
        Vae = "vae",
    }
}

/// What an ensemble is made of and how it is trained.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Number of members.
    pub size: usize,
    /// What stands in front of a member's hidden layers, where inputs are images.
    pub front: Option<Front>,
    /// Widths of the hidden layers; none is logistic regression.
    pub hidden: Vec<usize>,
    /// Steps of Adam.
    pub steps: usize,
    /// Examples in a batch.
    pub batch_size: usize,
    /// Step size of Adam.
    pub learning_rate: f32,
    /// What is asked of the squares of a member's parameters.
    pub penalty: Penalty,
    /// How the first layer's biases start.
    pub first_biases: FirstBiases,
    /// The law of the fixed random functions whose logits are added to the members'.
    pub prior: Prior,
    /// What those logits are multiplied by, over the root of the temperature; zero is as good as no prior.
    pub prior_scale: f32,
    /// Steps of the training of an autoencoder, where the prior needs one.
    pub vae_steps: usize,
    /// How members weigh the examples.
    pub weighting: Weighting,
}

impl Default for Recipe {
    /// A single network, as the testbed trains its own: of two hidden layers, around nothing, on all examples alike.
    fn default() -> Self {
        Self {
            size: 1,
            front: None,
            hidden: vec![50, 50],
            steps: 1000,
            batch_size: 100,
            learning_rate: 1e-3,
            penalty: Penalty { l2: 1.0, adaptive: true },
            first_biases: FirstBiases::Zero,
            prior: Prior::None,
            prior_scale: 0.0,
            vae_steps: 0,
            weighting: Weighting::Equal,
        }
    }
}
