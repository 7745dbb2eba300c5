//! What an agent predicts at each row, in the data's units; what it leaves out is derived, and it is known which was.
//!
//! A belief has a law of the function's value at a row and one of an observation there. Where the agent gives Gaussian
//! moments both are Gaussian. Elsewhere they are those of draws 0..M: the function's value is one of the M sampled
//! values, each as likely as another, and an observation is of the mixture of N(mean, noise sd^2) over the draws.

mod audit;
mod draws;
mod empirical;
mod functions;
mod joint;
mod mixture;
mod options;
mod predict;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use draws::Samples;
pub use empirical::weighted_quantile;
pub use joint::Joint;
pub use mixture::{Component, NormalMixture};
pub use options::{OptionsError, PredictionOptions};

use jointly_core::distribution::normal_quantile;
use jointly_core::regression::answer::Bounds;

use draws::Draws;

/// Where a prediction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The agent gave it.
    Agent,
    /// The host derived it from the agent's Gaussian moments.
    Moments,
    /// The host derived it from draws.
    Draws,
}

/// What an agent predicts at the rows of a block, in the data's units.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Mean of the function's value, and so of an observation, at each row.
    pub mean: Vec<f64>,
    /// Variance of the function's value at each row.
    pub function_variance: Vec<f64>,
    /// Variance of the noise at each row, its mean where draws differ in it.
    pub noise_variance: Vec<f64>,
    /// Where the moments come from: [`Agent`](Origin::Agent) or [`Draws`](Origin::Draws).
    pub moments_from: Origin,
    /// Intervals at each level that was asked for, in its order.
    pub intervals: Vec<LevelIntervals>,
    /// None where the moments are the agent's.
    draws: Option<Draws>,
}

/// Intervals at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelIntervals {
    /// The coverage that they claim.
    pub level: f64,
    /// Of the function's value.
    pub confidence: Bounds,
    /// Where those come from.
    pub confidence_from: Origin,
    /// Of a new observation.
    pub prediction: Bounds,
    /// Where those come from.
    pub prediction_from: Origin,
}

impl Origin {
    /// How intervals of that origin are made, for a person.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Agent => "the agent's own intervals",
            Self::Moments => "mean -+ z standard deviations of the agent's Gaussian moments",
            Self::Draws => {
                "quantiles of draws: of the sampled functions' values for confidence intervals, of the mixture of their \
                 normal laws for prediction intervals"
            }
        }
    }
}

impl Prediction {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.mean.len()
    }

    /// Variance of an observation at a row: the function's and the noise's, which a belief holds to be independent.
    pub fn variance(&self, row: usize) -> f64 {
        self.function_variance[row] + self.noise_variance[row]
    }

    /// The law of an observation at a row.
    pub fn observation(&self, row: usize) -> NormalMixture {
        match &self.draws {
            Some(draws) => draws.observation(row),
            None => NormalMixture::normal(self.mean[row], self.variance(row).sqrt()),
        }
    }

    /// Ends of the central interval that holds the function's value with probability `level`.
    fn confidence(&self, row: usize, level: f64) -> (f64, f64) {
        match &self.draws {
            Some(draws) => draws.function_interval(row, level),
            None => gaussian_interval(self.mean[row], self.function_variance[row].sqrt(), level),
        }
    }

    /// Ends of the central interval that holds an observation with probability `level`.
    fn prediction(&self, row: usize, level: f64) -> (f64, f64) {
        let law = self.observation(row);
        (law.quantile(0.5 - 0.5 * level), law.quantile(0.5 + 0.5 * level))
    }

    /// The origin of what is derived from the moments or draws.
    fn derived(&self) -> Origin {
        if self.draws.is_some() { Origin::Draws } else { Origin::Moments }
    }
}

fn gaussian_interval(mean: f64, deviation: f64, level: f64) -> (f64, f64) {
    let reach = normal_quantile(0.5 + 0.5 * level) * deviation;
    (mean - reach, mean + reach)
}

#[cfg(test)]
mod tests;
