//! `jointly contest reveal`: reveals an entrant's secret.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::close::reveal;
use jointly_contest::{ContestFolder, Secret};

use crate::{exit, output};

/// Reveals an entrant's secret, once the list of entries is fixed and published
///
/// It writes a file into secrets/, which goes to the organiser.
#[derive(Args)]
pub(crate) struct Reveal {
    /// The folder of the contest, or your copy of it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The file that `jointly contest enter --secret` wrote
    #[arg(value_name = "FILE")]
    secret: PathBuf,
}

impl Reveal {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let secret = Secret::read(&self.secret)?;
        let (list, entries) = reveal(&ContestFolder::open(&self.folder)?, &secret)?;
        for entry in entries {
            output::print_line(&format!("revealed: the secret of {}", entry.shown()))?;
        }
        output::print_line(&format!("keep this digest of closed.json, under which it counts: {list}"))?;
        Ok(ExitCode::from(exit::DONE))
    }
}
