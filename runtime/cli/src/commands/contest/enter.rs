//! `jointly contest enter`: enters agents by the digests of their components.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::enter::enter;
use jointly_contest::{ContestFolder, Secret};
use jointly_core::printable::ShowPath as _;
use jointly_record::agent_spec::AgentSpec;

use crate::data_arguments::DataArguments;
use crate::{exit, output};

/// Enters agents into a contest, by the digests of their components
///
/// It writes a file into entries/ for each agent, and its component into agents/. Both go to the organiser; the component
/// may be kept back until the list of entries is fixed, since the entry has its digest. With --secret, the entry also has
/// the digest of a secret of yours, without which nobody can compute the seed: reveal it when the list is published.
#[derive(Args)]
pub(crate) struct Enter {
    /// The folder of the contest, or your copy of it
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A bundled name or a path to a .wasm, with settings, or a run or a pack, which stands for all its components
    #[arg(value_name = "AGENT", required = true)]
    agents: Vec<AgentSpec>,
    /// The entrant's name
    #[arg(long, value_name = "NAME")]
    by: String,
    /// A new file for a secret of yours; keep it until the list of entries is published
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    #[command(flatten)]
    data: DataArguments,
}

impl Enter {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let contest = ContestFolder::open(&self.folder)?;
        let secret = self.secret.as_ref().map(|path| Secret::random().map(|secret| (secret, path))).transpose()?;
        if let Some((secret, path)) = &secret {
            secret.write(path, &self.folder)?;
        }
        let own = secret.as_ref().map(|(secret, _)| secret);
        let entered = enter(&contest, &self.agents, &self.by, own, &self.data.directories());
        if let (Err(_), Some((_, path))) = (&entered, &secret) {
            // No entry is committed to it.
            let _ = std::fs::remove_file(path);
        }
        for (id, entry) in entered? {
            output::print_line(&format!("{} entered as {id}", entry.shown()))?;
        }
        let shown = self.folder.shown();
        output::note(&format!(
            "send the organiser the new files of {shown}/entries, and those of {shown}/agents now or after the close"
        ));
        if let Some((_, path)) = &secret {
            let next = format!("jointly contest reveal {} {}", self.folder.shown(), path.shown());
            output::note(&format!("when closed.json is published and has your entries: {next}"));
        }
        Ok(ExitCode::from(exit::DONE))
    }
}
