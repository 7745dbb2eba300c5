//! The names of the distributions of simulated noise.

use clap::ValueEnum;
use jointly_regression::Noise;

/// As plan.json has it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NoiseArgument {
    Normal,
    /// Heavier tails
    StudentT,
    /// Skewed
    Exponential,
}

impl From<NoiseArgument> for Noise {
    fn from(argument: NoiseArgument) -> Self {
        match argument {
            NoiseArgument::Normal => Self::Normal,
            NoiseArgument::StudentT => Self::StudentT,
            NoiseArgument::Exponential => Self::Exponential,
        }
    }
}
