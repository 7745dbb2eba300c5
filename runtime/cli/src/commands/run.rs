//! `jointly run`: agents on a suite, into a directory.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::agent_spec::AgentSpec;
use crate::request::{CarriedOut, Planned, Request};
use crate::schedule::order;
use crate::size_class::expected_costs;
use crate::table::counted;
use crate::{exit, output};

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
            return planned(&self.request.plan(&self.agents)?, self.json);
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

/// Says what a run that is only planned has still to do.
fn planned(Planned { workload, directory, journal, share }: &Planned, json: bool) -> Result<ExitCode> {
    let plan = &workload.plan;
    let units = share.size();
    let pending = share.pending(workload, journal.results()).len();
    let path = directory.path().display();
    if json {
        let costs = expected_costs(plan);
        let problems = order(plan).into_iter().map(|place| {
            let problem = &plan.problems[place].problem;
            json!({ "problem": problem, "cost": costs[place] })
        });
        output::print_json(&json!({
            "directory": directory.path(),
            "plan": plan.digest()?,
            "version": plan.version,
            "engine": plan.engine,
            "units": units,
            "pending": pending,
            // In the order in which they are best begun, each with what its units cost beside those of the others.
            "problems": problems.collect::<Vec<_>>(),
        }))?;
    } else {
        output::print(&format!("{} planned in {path}, {pending} of them to be run", counted(units, "unit")))?;
    }
    Ok(ExitCode::from(exit::DONE))
}
