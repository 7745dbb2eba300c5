//! The options of `run` and `sweep` that are for dataset shift alone.

use anyhow::{Result, bail};
use clap::Args;

use crate::shift_suite::ShiftChoices;

#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Dataset shift")]
pub(crate) struct ShiftArguments {
    /// Only these levels of shift, such as 'rotation/*,fog/3', or others that the inputs can be shifted by [default: the
    /// suite's]
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    shifts: Vec<String>,
    /// Orders of the joint predictions that are scored, each a divisor of the largest [default: the suite's]
    #[arg(long, value_name = "TAU", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    taus: Vec<u32>,
    /// Rows, and columns, that agents see of your own images [default: 32]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    side: Option<u32>,
    /// Show agents your own images in grey
    #[arg(long)]
    grey: bool,
}

impl ShiftArguments {
    /// What they choose.
    pub(crate) fn choices(&self) -> ShiftChoices {
        let given = |list: &[String]| (!list.is_empty()).then(|| list.to_vec());
        let taus = (!self.taus.is_empty()).then(|| self.taus.clone());
        ShiftChoices { draws: None, taus, shifts: given(&self.shifts), side: self.side, grey: self.grey }
    }

    /// Refuses them where the suite is not of dataset shift.
    pub(crate) fn refuse(&self) -> Result<()> {
        let given = [
            ("--shifts", !self.shifts.is_empty()),
            ("--taus", !self.taus.is_empty()),
            ("--side", self.side.is_some()),
            ("--grey", self.grey),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => bail!("{option} is for suites of dataset shift: leave it out"),
            None => Ok(()),
        }
    }
}
