//! The commands, one file each.

mod agents;
mod check;
mod completions;
mod contest;
mod data;
mod export;
mod leaderboard;
mod man;
mod merge;
mod new;
mod pack;
mod picture;
mod plan;
mod report;
mod reproduce;
mod run;
mod schema;
mod score;
mod scores;
mod slurm;
mod suites;
mod sweep;
mod verify;
mod worker;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Scores how well an agent knows what it does not know: joint predictions over many inputs, by agents that run
/// sandboxed and give the same bits everywhere.
#[derive(Parser)]
#[command(name = "jointly", version = VERSION, after_help = EXIT_CODES)]
pub(crate) struct Jointly {
    #[command(subcommand)]
    command: Command,
}

/// The commit that the command was built from, with `+changes` if the checkout differed from it; empty outside a checkout.
pub(crate) const COMMIT: &str = env!("JOINTLY_COMMIT");

/// The version and the commit.
const VERSION: &str = if COMMIT.is_empty() {
    env!("CARGO_PKG_VERSION")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("JOINTLY_COMMIT"), ")")
};

const EXIT_CODES: &str = "Exit codes: 0 done; 1 internal error; 2 usage or bad input, a \
                          contract broken (check), a failed verification (verify); 3 done, but some agent failed \
                          on some problem; 124 ended by --timeout; 130 interrupted.\nCompiled agents are kept in $JOINTLY_CACHE, by default \
                          ~/.cache/jointly.\nReal data are looked for in the directories of --data, else of \
                          $JOINTLY_DATA, else in ~/.local/share/jointly.";

#[derive(Subcommand)]
enum Command {
    Agents(agents::Agents),
    Suites(suites::Suites),
    Data(data::Data),
    Export(export::Export),
    Run(run::Run),
    Sweep(sweep::Sweep),
    Plan(plan::Plan),
    Merge(merge::Merge),
    Slurm(slurm::Slurm),
    Report(report::Report),
    Reproduce(reproduce::Reproduce),
    Picture(picture::Picture),
    New(new::New),
    Check(check::Check),
    Score(score::Score),
    Scores(scores::Scores),
    Verify(verify::Verify),
    Pack(pack::Pack),
    Leaderboard(leaderboard::Leaderboard),
    Contest(contest::Contest),
    Worker(worker::Worker),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Jointly {
    /// Loads what `run` or `sweep` would run, and runs nothing; other commands have nothing to load.
    pub(crate) fn load(&self) -> Result<()> {
        match &self.command {
            Command::Run(command) => command.load(),
            Command::Sweep(command) => command.load(),
            _ => Ok(()),
        }
    }

    pub(crate) fn execute(self) -> Result<ExitCode> {
        match self.command {
            Command::Agents(command) => command.execute(),
            Command::Suites(command) => command.execute(),
            Command::Data(command) => command.execute(),
            Command::Export(command) => command.execute(),
            Command::Run(command) => command.execute(),
            Command::Sweep(command) => command.execute(),
            Command::Plan(command) => command.execute(),
            Command::Merge(command) => command.execute(),
            Command::Slurm(command) => command.execute(),
            Command::Report(command) => command.execute(),
            Command::Reproduce(command) => command.execute(),
            Command::Picture(command) => command.execute(),
            Command::New(command) => command.execute(),
            Command::Check(command) => command.execute(),
            Command::Score(command) => command.execute(),
            Command::Scores(command) => command.execute(),
            Command::Verify(command) => command.execute(),
            Command::Pack(command) => command.execute(),
            Command::Leaderboard(command) => command.execute(),
            Command::Contest(command) => command.execute(),
            Command::Worker(command) => command.execute(),
            Command::Schema(command) => command.execute(),
            Command::Completions(command) => command.execute(),
            Command::Man(command) => command.execute(),
        }
    }
}
