//! Losses computed from the joint log-likelihood of a tau-sample's labels.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The loss of a tau-sample.
///
/// # Formula
/// With l the agent's estimated joint log-likelihood of the labels (natural logarithm, nats) and e the environment's,
/// `Kl` is e - l and `Nll` is -l. The mean of `Kl` over tau-samples estimates the Kullback-Leibler loss of order tau,
/// Osband et al., "The Neural Testbed", equation 1; `Nll` differs from it by a constant that no agent can change
/// (appendix A.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The environment's log-likelihood minus the agent's.
    Kl,
    /// The agent's negative log-likelihood, used if the environment is not known.
    Nll,
}

impl Metric {
    /// Returns the KL if the environment's log-likelihoods are known, else the NLL.
    pub fn given(environment_known: bool) -> Self {
        if environment_known { Self::Kl } else { Self::Nll }
    }

    /// Returns the loss of each tau-sample.
    ///
    /// # Panics
    /// When the metric is the KL and the environment's log-likelihoods are not given.
    pub fn losses(self, agent: &[f64], environment: Option<&[f64]>) -> Vec<f64> {
        match self {
            Self::Nll => agent.iter().map(|l| -l).collect(),
            Self::Kl => {
                let environment = environment.expect("the KL is taken where the environment is known");
                environment.iter().zip(agent).map(|(e, l)| e - l).collect()
            }
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kl => "kl",
            Self::Nll => "nll",
        })
    }
}
