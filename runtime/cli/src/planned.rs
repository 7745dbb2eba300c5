//! A run that is planned, and what it has still to do.

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;

use crate::directory::RunDirectory;
use crate::journal::Journal;
use crate::schedule::order;
use crate::shard::Share;
use crate::size_class::expected_costs;
use crate::table::counted;
use crate::workload::Workload;
use crate::{exit, output};

/// Its directory has all that its units need, and is held.
pub(crate) struct Planned {
    pub(crate) workload: Workload,
    pub(crate) directory: RunDirectory,
    pub(crate) journal: Journal,
    pub(crate) share: Share,
}

impl Planned {
    /// How many units there are, where, and what is left of them.
    pub(crate) fn summary(&self) -> String {
        let Self { workload, directory, journal, share } = self;
        let pending = share.pending(workload, journal.results()).len();
        let units = counted(share.size(), "unit");
        format!("{units} planned in {}, {pending} of them to be run", directory.path().display())
    }

    /// Says how many units there are and what is left of them, and gives the exit code.
    pub(crate) fn show(&self, json: bool) -> Result<ExitCode> {
        let Self { workload, directory, journal, share } = self;
        let plan = &workload.plan;
        let units = share.size();
        let pending = share.pending(workload, journal.results()).len();
        let path = directory.path();
        if json {
            let costs = expected_costs(plan);
            let problems = order(plan).into_iter().map(|place| {
                let problem = &plan.problems[place].problem;
                json!({ "problem": problem, "cost": costs[place] })
            });
            let directory = path.to_str();
            output::print_json(&json!({
                "directory": directory.with_context(|| format!("{} is not UTF-8, as JSON is; rename it", path.display()))?,
                "plan": plan.digest()?,
                "version": plan.version,
                "engine": plan.engine,
                "units": units,
                "pending": pending,
                // In the order in which they are best begun, each with what its units cost beside those of the others.
                "problems": problems.collect::<Vec<_>>(),
            }))?;
        } else {
            output::print(&self.summary())?;
        }
        Ok(ExitCode::from(exit::DONE))
    }
}
