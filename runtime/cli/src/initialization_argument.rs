//! The option `--initialization`: the distribution of the environments' weights.

use clap::ValueEnum;
use jointly_classification::Initialization;

/// The value as given on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum InitializationArgument {
    /// Truncated normal, as the reference implementation has it
    Reference,
    /// Glorot normal
    Glorot,
}

impl From<InitializationArgument> for Initialization {
    fn from(argument: InitializationArgument) -> Self {
        match argument {
            InitializationArgument::Reference => Self::Testbed,
            InitializationArgument::Glorot => Self::Glorot,
        }
    }
}
