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
