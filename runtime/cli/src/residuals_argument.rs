//! The names of the residuals that the noise of simulated tables is sampled from.

use clap::ValueEnum;
use jointly_regression::Residuals;

/// As plan.json has it.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ResidualsArgument {
    /// About the trees that did not see a row
    OutOfBag,
    /// About the whole forest, as the paper's algorithm is written
    InBag,
}

impl From<ResidualsArgument> for Residuals {
    fn from(argument: ResidualsArgument) -> Self {
        match argument {
            ResidualsArgument::OutOfBag => Self::OutOfBag,
            ResidualsArgument::InBag => Self::InBag,
        }
    }
}
