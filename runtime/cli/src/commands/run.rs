//! `jointly run`: runs agents on a suite, into a directory.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_record::agent_spec::AgentSpec;

use crate::request::{CarriedOut, Request};

/// Runs agents on a suite's problems and ranks them
///
/// On a directory with the same plan, it continues where it stopped.
#[derive(Args)]
pub(crate) struct Run {
    /// A bundled name, a path to a .wasm or .py, exec:COMMAND, socket:PATH or predictions:FOLDER, with settings:
    /// ensemble+:size=30,prior-scale=1, agent.py:size=5, 'exec:Rscript agent.R :size=5'. None means all bundled agents that
    /// support the suite
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    /// Print scores.json rather than the leaderboard
    #[arg(long)]
    json: bool,
    /// Run nothing: write plan.json and the files that units need, for `jointly worker` processes to run them. When the
    /// journal has all results, the same command without this option ranks them. With --json, print what is to be done
    #[arg(long)]
    plan_only: bool,
    // The headings of its options would stand over those that follow.
    #[command(flatten)]
    request: Request,
}

impl Run {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        if self.plan_only {
            self.request.refuse_shard("nothing is run with --plan-only; leave one of them out")?;
            self.request.refuse_timeout("nothing is run with --plan-only; leave one of them out")?;
            return self.request.plan(&self.agents)?.show(self.json);
        }
        if self.json {
            self.request.refuse_shard("--json prints scores, and a shard has none; leave one of them out")?;
        }
        match self.request.carry_out(&self.agents)? {
            CarriedOut::Whole(done) => done.show(self.json),
            CarriedOut::Share(done) => done.show(),
        }
    }

    /// Loads the agents and problems, and runs nothing.
    pub(crate) fn load(&self) -> Result<()> {
        self.request.workload(&self.agents).map(drop)
    }
}
