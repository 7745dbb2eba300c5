//! `jointly contest`: rankings on problems that nobody could know when the agents' bytes were fixed.

mod check;
mod close;
mod enter;
mod open;
mod reveal;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Ranks agents on problems that nobody could know when the agents' bytes were fixed
///
/// A contest is a folder of plain files. `open` fixes its rules and the digest of a secret; `enter` adds agents by
/// digest; `close` fixes the list of entries, computes the seed of the run from rules, entries and all secrets, and runs
/// them; `check` computes all of it again, for anybody who has the folder. docs/contest.md says who can know or choose
/// what.
#[derive(Args)]
pub(crate) struct Contest {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    Open(Box<open::Open>),
    Enter(enter::Enter),
    Close(close::Close),
    Reveal(reveal::Reveal),
    Check(check::Check),
}

impl Contest {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        match self.step {
            Step::Open(step) => step.execute(),
            Step::Enter(step) => step.execute(),
            Step::Close(step) => step.execute(),
            Step::Reveal(step) => step.execute(),
            Step::Check(step) => step.execute(),
        }
    }
}
