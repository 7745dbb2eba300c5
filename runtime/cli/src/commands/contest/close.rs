//! `jointly contest close`: fixes the list of entries, computes the seed, and runs the contest.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::close::{Closed, close};
use jointly_contest::{ContestFolder, Secret};
use jointly_core::printable::ShowPath as _;
use jointly_record::quantity::counted;
use jointly_record::shell;
use jointly_report::table::wrap;

use super::open::secret_beside;
use crate::data_arguments::DataArguments;
use crate::request::{CarriedOut, Request};
use crate::{exit, jobs, output};

/// Closes a contest: fixes the list of entries, computes the seed from all secrets, and runs the entries
///
/// Where entries keep back a secret or a component, it fixes the list and stops: publish the folder, take what the
/// entrants reveal, and give the same command again. It continues an interrupted run, too.
#[derive(Args)]
pub(crate) struct Close {
    /// The folder of the contest
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The file of the secret [default: DIR.secret]
    #[arg(long, value_name = "FILE")]
    secret: Option<PathBuf>,
    /// Go on without the entries that lack a secret or a component that can be run; the list must be published before
    #[arg(long)]
    without_lacking: bool,
    /// Run nothing: write the run's plan into DIR/run, for Slurm, Ray or another machine
    #[arg(long)]
    plan_only: bool,
    /// The number of units that run at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    data: DataArguments,
}

impl Close {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let contest = ContestFolder::open(&self.folder)?;
        let secret = Secret::read(&self.secret.clone().unwrap_or_else(|| secret_beside(&self.folder)))?;
        let closed = close(&contest, &secret, self.without_lacking, &self.data.directories())?;
        let (plan, entries, withdrawn) = match closed {
            Closed::Planned { plan, entries, withdrawn } => (plan, entries, withdrawn),
            Closed::Waiting { list, entries, lacking } => {
                output::print(&format!(
                    "closed with {}: closed.json is {list}\npublish {}; what is still missing:",
                    counted(entries, "entry"),
                    self.folder.shown()
                ))?;
                for (entry, lack) in
                    lacking.iter().flat_map(|(entry, lacks)| lacks.iter().map(move |lack| (entry, lack)))
                {
                    output::print_line(&format!("- {}: {lack}", entry.shown()))?;
                }
                output::note("then give the same command again; --without-lacking goes on without these entries");
                return Ok(ExitCode::from(exit::DONE));
            }
        };
        for entry in withdrawn {
            output::note(&format!("{} takes no part", entry.shown()));
        }
        if entries.iter().all(|entry| entry.commitment.is_none()) {
            output::note("no entrant gave a secret, so the seed follows from yours alone, and all have to trust you");
        }
        let by = plan.agents.iter().zip(&entries).map(|(agent, entry)| format!("{} by {}", agent.label, entry.by));
        let by = by.collect::<Vec<_>>().join("; ");
        let run = contest.run();
        if self.plan_only {
            let shown = shell::quoted(&run.shown().to_string());
            output::print(&format!("planned in {shown}; it is run by jointly run --like {shown} --out {shown}"))?;
            output::print(&wrap(&format!("{} has {by}", contest.rules.name), 2))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let mut words: Vec<OsString> = ["--like".into(), run.clone().into(), "--out".into(), run.into()].into();
        words.extend(self.jobs.iter().flat_map(|jobs| ["--jobs".into(), jobs.to_string().into()]));
        words.extend(self.data.words());
        let code = match Request::of_words(words)?.carry_out(&[])? {
            CarriedOut::Whole(done) => done.show(false),
            CarriedOut::Share(done) => done.show(),
        }?;
        output::print(&wrap(&format!("\n{} has {by}", contest.rules.name), 2))?;
        Ok(code)
    }
}
