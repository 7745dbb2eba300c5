//! `jointly merge`: shards of a run as the run that one machine would have made.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_engine::join::{Joined, join};

use crate::request::Done;

/// Joins the shards of a run into one directory, with the scores that one machine would have found
///
/// All directories must hold the same plan; the first difference is named. A unit that several of
/// them have must have the same result in all, to the byte, but for the time that it took. Where units have no result
/// yet, they are named with the command that runs them, and nothing is written. Scores and leaderboard are those of a
/// run of the whole plan on one machine, to the byte. Runs that were cut short can be joined as well.
#[derive(Args)]
pub(crate) struct Merge {
    /// Where the whole run goes: a new directory, or one of the same plan, whose results count too
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The directories that `jointly run --shard` wrote
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Print scores.json rather than the leaderboard
    #[arg(long)]
    json: bool,
}

impl Merge {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let Joined { directory, plan, journal } = join(&self.out, &self.directories)?;
        Done::of(directory, plan, journal)?.show(self.json)
    }
}
