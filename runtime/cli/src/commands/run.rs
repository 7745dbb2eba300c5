//! `jointly run`: agents on a suite, into a directory.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_host::Limits;

use crate::agent_spec::AgentSpec;
use crate::data_directories::DataDirectories;
use crate::directory::{self, RunDirectory};
use crate::execution;
use crate::journal::Journal;
use crate::leaderboard::Leaderboard;
use crate::progress::Display;
use crate::scores::Scores;
use crate::workload::Workload;
use crate::{agent_source, exit, output, problems};

/// Runs agents on a suite's problems and ranks them
///
/// On a directory that holds the same plan, goes on where it stopped.
#[derive(Args)]
pub(crate) struct Run {
    /// A bundled name or a path to a .wasm, with settings: ensemble+:size=30,prior-scale=1. None means all bundled
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// The suite; see `jointly suites`
    #[arg(long, value_name = "S")]
    suite: Option<String>,
    /// Where plan, journal, scores and leaderboard go [default: jointly-runs/SUITE-PLAN, so that the same command goes on
    /// with its own run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Master seed: problems, test inputs and the agents' seeds follow from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Units at a time; no score depends on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = execution::parse_jobs)]
    jobs: Option<NonZero<usize>>,
    /// Only problems whose name matches, such as 'quick/t10/*/*' or '*/{iris,mnist}/*'
    #[arg(long, value_name = "GLOB")]
    problems: Option<String>,
    /// A problem of your own, as .npz; may be repeated
    #[arg(long = "problem", value_name = "FILE.npz")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    data: DataDirectories,
    /// What an agent may use on one problem, roughly in instructions
    #[arg(long, value_name = "N", default_value_t = Limits::default().fuel)]
    fuel: u64,
    /// What an agent may hold, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().memory >> 20, value_parser = clap::value_parser!(u64).range(1..=4096))]
    memory: u64,
    /// Print scores.json rather than the leaderboard
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let agents = if self.agents.is_empty() { agent_source::all_bundled() } else { self.agents };
        let limits = Limits { fuel: self.fuel, memory: self.memory << 20 };
        let suite = problems::requested(self.suite.as_deref(), &self.files, self.problems.as_deref(), &self.data)?;
        let workload = Workload::of(&agents, suite, self.seed, limits)?;
        let out = match self.out {
            Some(out) => out,
            None => Path::new("jointly-runs").join(workload.plan.short_name()?),
        };
        let (directory, mut journal) = RunDirectory::for_plan(&out, &workload.plan)?;
        workload.keep_agents_in(&directory)?;
        problems::keep(&self.files, &directory)?;
        interruptible(&out)?;
        finish(&workload, &mut journal, execution::jobs(self.jobs))?;

        let scores = Scores::new(&workload.plan, journal.results());
        let leaderboard = Leaderboard::new(&scores);
        let json = directory::to_json(&scores.to_json())?;
        directory.write("leaderboard.csv", &leaderboard.to_csv())?;
        directory.write("scores.json", &json)?;
        if self.json {
            output::print(&json)?;
        } else {
            let files = [directory.scores(), directory.leaderboard(), directory.journal()];
            let files = files.map(|file| file.display().to_string()).join("\n  ");
            output::print(&format!(
                "{}\nscores, leaderboard and journal are in\n  {files}",
                leaderboard.to_text(None)
            ))?;
        }
        Ok(ExitCode::from(if scores.failed() { exit::SOME_FAILED } else { exit::DONE }))
    }
}

/// Carries out what the journal does not have yet.
fn finish(workload: &Workload, journal: &mut Journal, jobs: usize) -> Result<()> {
    let pending = execution::pending(workload, journal.results());
    let total = workload.plan.agents.len() * workload.plan.problems.len();
    let done = total - pending.len();
    if done > 0 {
        let then = if done == total { "showing them" } else { "going on" };
        output::note(&format!("{done} of {total} units are done already; {then}"));
    }
    let display = Display::new(total, done);
    execution::execute(workload, &pending, jobs, &display, |result| journal.append(result))
}

/// Ctrl-C ends the process between two bytes of the journal at worst, and the next run drops a torn line.
fn interruptible(out: &Path) -> Result<()> {
    let out = out.display().to_string();
    ctrlc::set_handler(move || {
        output::note(&format!("interrupted; finished units are kept in {out}: the same command goes on from there"));
        std::process::exit(i32::from(exit::INTERRUPTED));
    })?;
    Ok(())
}
