//! `jointly run`: agents on a suite, into a directory.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use jointly_engine::agent_spec::AgentSpec;

use crate::request::{CarriedOut, Request};

/// Runs agents on a suite's problems and ranks them
///
/// On a directory that holds the same plan, goes on where it stopped.
#[derive(Args)]
pub(crate) struct Run {
    /// A bundled name or a path to a .wasm, with settings: ensemble+:size=30,prior-scale=1. None means all bundled
    /// that learn what the suite is about
    #[arg(value_name = "AGENT")]
    agents: Vec<AgentSpec>,
    #[command(flatten)]
    request: Request,
    /// Print scores.json rather than the leaderboard
    #[arg(long)]
    json: bool,
    /// Run nothing: write plan.json and keep what units need, for others to carry them out by `jointly worker`. When the
    /// journal has their results, the same command without this ranks them; with --json, prints what there is to do
    #[arg(long)]
    plan_only: bool,
}

impl Run {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        if self.plan_only {
            self.request.refuse_shard("nothing is run with --plan-only; leave one of them out")?;
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
}
