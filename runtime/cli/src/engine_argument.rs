//! `--engine`: how agents' code is run.

use clap::ValueEnum;
use jointly_host::Execution;

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineArgument {
    /// As code of this machine
    #[default]
    Compiled,
    /// By the portable interpreter: the same bits, many times slower
    Interpreter,
    /// By compiled code, with the engine's own canonical NaNs: the same scores but for fuel, for tests of the former
    #[value(hide = true)]
    WithoutSinks,
}

impl EngineArgument {
    /// Returns the value as given on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl From<EngineArgument> for Execution {
    fn from(argument: EngineArgument) -> Self {
        match argument {
            EngineArgument::Compiled => Self::Compiled,
            EngineArgument::Interpreter => Self::Interpreted,
            EngineArgument::WithoutSinks => Self::WithoutSinks,
        }
    }
}
