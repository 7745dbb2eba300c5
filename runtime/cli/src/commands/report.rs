//! `jointly report`: the leaderboard of a run, finished or not.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use crate::agent_spec::AgentSpec;
use crate::directory::{self, RunDirectory};
use crate::journal::Journal;
use crate::leaderboard::Leaderboard;
use crate::scores::Scores;
use crate::{exit, output};

/// Shows the leaderboard of a run
#[derive(Args)]
pub(crate) struct Report {
    /// The directory that `jointly run` wrote
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The agent to compare with, as the table names it [default: mlp, where it took part]
    #[arg(long, value_name = "AGENT")]
    baseline: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For a person
    Table,
    /// One row an agent
    Csv,
    /// The whole of scores.json
    Json,
}

impl Report {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let directory = RunDirectory::existing(&self.directory)?;
        let plan = directory.plan()?;
        let results = Journal::read(&directory.journal())?;
        let scores = Scores::new(&plan, &results);
        let leaderboard = Leaderboard::new(&scores);
        let labels = leaderboard.labels();
        // What `run` was given will do, in whatever order its settings were.
        let label = |baseline: &str| match baseline.parse::<AgentSpec>() {
            Ok(spec) if !labels.contains(&baseline) => spec.settings.label(&spec.agent),
            _ => baseline.to_owned(),
        };
        let baseline = self.baseline.as_deref().map(label);
        if let Some(unknown) = baseline.as_deref().filter(|baseline| !labels.contains(baseline)) {
            bail!("no agent {unknown} in {}; there are {}", self.directory.display(), labels.join("; "));
        }
        if scores.missing() > 0 {
            let total = plan.agents.len() * plan.problems.len();
            output::note(&format!("{} of {total} units have no result yet", scores.missing()));
        }
        match self.format {
            Format::Table => output::print(&leaderboard.to_text(baseline.as_deref()))?,
            Format::Csv => output::print(&leaderboard.to_csv())?,
            Format::Json => output::print(&directory::to_json(&scores.to_json())?)?,
        }
        Ok(ExitCode::from(exit::DONE))
    }
}
