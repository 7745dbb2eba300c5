//! A planned run and its remaining units.

use std::process::ExitCode;

use anyhow::{Context, Result};
use jointly_core::printable::ShowPath as _;
use jointly_engine::schedule::order;
use jointly_engine::share::Share;
use jointly_engine::size_class::expected_costs;
use jointly_engine::workload::Workload;
use jointly_record::directory::RunDirectory;
use jointly_record::journal::Journal;
use jointly_record::quantity::counted;
use serde_json::json;

use crate::{exit, output};

/// A planned run. Its directory has everything that its units need, and is held by this process.
pub(crate) struct Planned {
    pub(crate) workload: Workload,
    pub(crate) directory: RunDirectory,
    pub(crate) journal: Journal,
    pub(crate) share: Share,
}

impl Planned {
    /// Returns the number of units, and of those that are left.
    fn units(&self) -> (usize, usize) {
        (self.share.size(), self.share.pending(&self.workload, self.journal.lines()).len())
    }

    /// Describes how many units are planned and left, and where.
    pub(crate) fn summary(&self) -> String {
        let (units, pending) = self.units();
        let units = counted(units, "unit");
        format!("{units} planned in {}, {pending} of them to be run", self.directory.path().shown())
    }

    /// Prints how many units there are and which are left, and returns the exit code.
    pub(crate) fn show(&self, json: bool) -> Result<ExitCode> {
        if !json {
            output::print(&self.summary())?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let (plan, path) = (&self.workload.plan, self.directory.path());
        let (units, pending) = self.units();
        let costs = expected_costs(plan);
        let problems = order(plan).into_iter().map(|place| {
            let problem = &plan.problems[place].problem;
            json!({ "problem": problem, "cost": costs[place] })
        });
        let directory = path.to_str();
        output::print_json(&json!({
            "directory": directory.with_context(|| format!("{} is not UTF-8, as JSON is; rename it", path.shown()))?,
            "plan": plan.digest()?,
            "version": plan.version,
            "engine": plan.engine,
            "units": units,
            "pending": pending,
            // In the order in which they are best begun, each with the relative cost of its units.
            "problems": problems.collect::<Vec<_>>(),
        }))?;
        Ok(ExitCode::from(exit::DONE))
    }
}
