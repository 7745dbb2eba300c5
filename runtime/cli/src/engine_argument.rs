//! `--engine`: how agents' code is run.

use clap::ValueEnum;
use jointly_host::Execution;

#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum EngineArgument {
    /// As code of this machine
    #[default]
    Compiled,
    /// By the portable interpreter: the same bits, many times slower
    Interpreter,
}

impl From<EngineArgument> for Execution {
    fn from(argument: EngineArgument) -> Self {
        match argument {
            EngineArgument::Compiled => Self::Compiled,
            EngineArgument::Interpreter => Self::Interpreted,
        }
    }
}
