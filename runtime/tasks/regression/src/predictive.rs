//! An agent's predictions at each row, in the data's units. What the agent does not give is derived, and the origin of
//! each part is recorded.
//!
//! A prediction has two distributions at each row: one of the function's value and one of an observation. Where the
//! agent gives Gaussian moments, both are Gaussian. Otherwise both come from draws 0..M: the function's value is one of
//! the M sampled values with equal probability, and an observation has the mixture of N(mean, noise sd^2) over the
//! draws.

mod audit;
mod draws;
mod empirical;
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

/// The origin of a prediction.
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

/// An agent's predictions at the rows of a block, in the data's units.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Mean of the function's value, and so of an observation, at each row.
    pub mean: Vec<f64>,
    /// Variance of the function's value at each row.
    pub function_variance: Vec<f64>,
    /// Variance of the noise at each row; its mean over draws where they differ.
    pub noise_variance: Vec<f64>,
    /// Origin of the moments: [`Agent`](Origin::Agent) or [`Draws`](Origin::Draws).
    pub moments_from: Origin,
    /// Intervals at each requested level, in the order of the options.
    pub intervals: Vec<LevelIntervals>,
    /// `None` where the moments are the agent's.
    draws: Option<Draws>,
}

/// Intervals at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelIntervals {
    /// The coverage that they claim, between 0 and 1.
    pub level: f64,
    /// Confidence intervals: intervals of the function's value.
    pub confidence: Bounds,
    /// Origin of the confidence intervals.
    pub confidence_from: Origin,
    /// Prediction intervals: intervals of a new observation.
    pub prediction: Bounds,
    /// Origin of the prediction intervals.
    pub prediction_from: Origin,
}

impl Origin {
    /// Describes to users how intervals of this origin are made.
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
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.mean.len()
    }

    /// Returns the variance of an observation at a row: the sum of the function's variance and the noise's, which are
    /// taken as independent.
    pub fn variance(&self, row: usize) -> f64 {
        self.function_variance[row] + self.noise_variance[row]
    }

    /// Returns the predictive distribution of an observation at a row.
    pub fn observation(&self, row: usize) -> NormalMixture {
        match &self.draws {
            Some(draws) => draws.observation(row),
            None => NormalMixture::normal(self.mean[row], self.variance(row).sqrt()),
        }
    }

    /// Returns the ends of the central interval that contains the function's value with probability `level`.
    fn confidence(&self, row: usize, level: f64) -> (f64, f64) {
        match &self.draws {
            Some(draws) => draws.function_interval(row, level),
            None => gaussian_interval(self.mean[row], self.function_variance[row].sqrt(), level),
        }
    }

    /// Returns the ends of the central interval that contains an observation with probability `level`.
    fn prediction(&self, row: usize, level: f64) -> (f64, f64) {
        let law = self.observation(row);
        (law.quantile(0.5 - 0.5 * level), law.quantile(0.5 + 0.5 * level))
    }

    /// Returns the origin of what is derived from the moments or draws.
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
