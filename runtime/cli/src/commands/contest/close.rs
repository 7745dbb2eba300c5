//! `jointly contest close`: fixes the list of entries, computes the seed, and runs the contest.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_contest::close::{Closed, Missing, close};
use jointly_contest::{ContestFolder, Secret};
use jointly_record::quantity::counted;
use jointly_record::shell;

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
    /// Go on without the entries that have not revealed what they kept back
    #[arg(long)]
    without_missing: bool,
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
        let withdrawn = match close(&contest, &secret, self.without_missing, &self.data.directories())? {
            Closed::Planned { withdrawn } => withdrawn,
            Closed::Waiting { list, entries, missing } => {
                output::print(&format!(
                    "closed with {}: closed.json is {list}\npublish {}; what is still missing:",
                    counted(entries, "entry"),
                    self.folder.display()
                ))?;
                for (entry, what) in missing {
                    output::print_line(&match what {
                        Missing::Secret => format!("- the secret of {}: `jointly contest reveal`", entry.shown()),
                        Missing::Component => {
                            format!("- the component of {}, in agents/: {}", entry.shown(), entry.digest)
                        }
                    })?;
                }
                output::note("then give the same command again; --without-missing goes on without these entries");
                return Ok(ExitCode::from(exit::DONE));
            }
        };
        for entry in withdrawn {
            output::note(&format!("{} takes no part: it has not revealed what it kept back", entry.shown()));
        }
        let run = contest.run();
        if self.plan_only {
            let shown = shell::quoted(&run.display().to_string());
            output::print(&format!("planned in {shown}; it is run by jointly run --like {shown} --out {shown}"))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let mut words: Vec<OsString> = ["--like".into(), run.clone().into(), "--out".into(), run.into()].into();
        words.extend(self.jobs.iter().flat_map(|jobs| ["--jobs".into(), jobs.to_string().into()]));
        words.extend(self.data.words());
        match Request::of_words(words)?.carry_out(&[])? {
            CarriedOut::Whole(done) => done.show(false),
            CarriedOut::Share(done) => done.show(),
        }
    }
}
