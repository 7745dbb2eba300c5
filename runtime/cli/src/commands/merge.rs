//! `jointly merge`: joins the shards of a run into the run that one machine would have made.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_engine::join::{Joined, join};

use crate::request::Done;

/// Joins the shards of a run into one directory, with the scores of a run on one machine
///
/// All directories must hold the same plan; the first difference is named. A unit that several of them have must have
/// the same result in all, to the byte, except for its time. If units have no result yet, the message names them and
/// the command that runs them, and nothing is written. Scores and leaderboard are those of a run of the whole plan on
/// one machine, to the byte. Interrupted runs can be joined too.
#[derive(Args)]
pub(crate) struct Merge {
    /// Where the joined run goes: a new directory, or one of the same plan, whose results are joined too
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
