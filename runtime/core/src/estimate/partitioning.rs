//! The method that partitions an agent's draws into cells, if any.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The method that partitions an agent's draws into cells, if any, for the estimate of joint likelihoods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Partitioning {
    /// [Random hyperplanes](super::Planes), as in the paper.
    #[default]
    Planes,
    /// [Clusters](super::KMeans) of the draws themselves: slower.
    KMeans,
    /// No cells: at every tau, Monte Carlo whose bias the
    /// [jackknife over draws](super::MonteCarlo::finish_jackknife) corrects.
    Jackknife,
}

impl Partitioning {
    /// Returns the name in `--partition` and in plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Planes => "planes",
            Self::KMeans => "k-means",
            Self::Jackknife => "jackknife",
        }
    }

    /// Returns the fewest effective draws, of many, with which a joint score can be trusted: in the experiment in
    /// docs/estimators.md the bias of Monte Carlo is then at most 0.03 nats, and with the jackknife at most 0.02.
    pub fn least_effective_draws(self) -> f64 {
        match self {
            Self::Planes | Self::KMeans => 20.0,
            Self::Jackknife => 7.0,
        }
    }

    /// Returns the same of `draws` draws: with few draws fewer have to count, because all of them do if they are one function.
    ///
    /// # Formula
    /// 1 / (1 / n + 1 / M), with the number n for many draws.
    pub fn least_effective_draws_of(self, draws: u32) -> f64 {
        1.0 / (1.0 / self.least_effective_draws() + 1.0 / f64::from(draws))
    }

    /// Returns the verb phrase for a joint score with fewer effective draws.
    pub fn bias_of_few_draws(self) -> &'static str {
        match self {
            Self::Planes | Self::KMeans => "is biased upwards",
            // It removes too little of the bias, or too much.
            Self::Jackknife => "may be biased either way",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Partitioning;

    #[test]
    fn plans_have_it_by_its_name() {
        for partitioning in [Partitioning::Planes, Partitioning::KMeans, Partitioning::Jackknife] {
            assert_eq!(serde_json::to_value(partitioning).unwrap(), partitioning.name());
        }
    }
}
