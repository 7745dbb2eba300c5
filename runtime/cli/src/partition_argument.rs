//! The option `--partition`: how draws are partitioned into cells, if at all.

use clap::ValueEnum;
use jointly_core::Partitioning;

/// The value as given on the command line.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PartitionArgument {
    /// Random hyperplanes, as in the paper
    Planes,
    /// Clusters of the draws themselves; slower
    KMeans,
    /// No partition: Monte Carlo at every tau, its bias corrected by the jackknife over draws
    Jackknife,
}

impl From<PartitionArgument> for Partitioning {
    fn from(argument: PartitionArgument) -> Self {
        match argument {
            PartitionArgument::Planes => Self::Planes,
            PartitionArgument::KMeans => Self::KMeans,
            PartitionArgument::Jackknife => Self::Jackknife,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_called_what_the_command_line_takes() {
        for argument in PartitionArgument::value_variants() {
            let taken = argument.to_possible_value().unwrap();
            assert_eq!(Partitioning::from(*argument).name(), taken.get_name());
        }
    }
}
