//! The option `--tune`: the scope of a sweep's choice.

use clap::ValueEnum;
use jointly_score::selection::Tune;

/// The value as given on the command line.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(crate) enum TuneArgument {
    /// One variant for all problems
    #[default]
    Global,
    /// A variant for each setting: problems that are repetitions of one another, such as those of several seeds
    PerSetting,
}

impl From<TuneArgument> for Tune {
    fn from(argument: TuneArgument) -> Self {
        match argument {
            TuneArgument::Global => Self::Global,
            TuneArgument::PerSetting => Self::PerSetting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_called_what_the_command_line_takes() {
        assert_eq!(TuneArgument::value_variants().len(), Tune::ALL.len());
        for argument in TuneArgument::value_variants() {
            let taken = argument.to_possible_value().unwrap();
            assert_eq!(Tune::from(*argument).name(), taken.get_name());
        }
    }
}
