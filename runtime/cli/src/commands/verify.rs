//! `jointly verify`: runs an entry again and compares bit for bit.

use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::directory::{self, RunDirectory};
use crate::execution;
use crate::progress::Display;
use crate::scores::Scores;
use crate::workload::Workload;
use crate::{commands::run, exit, output};

/// Runs a finished directory again and compares its scores bit for bit
///
/// Uses the agents, problems and plan in the directory and writes nothing there.
#[derive(Args)]
pub(crate) struct Verify {
    /// The directory that `jointly run` wrote
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Units at a time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

impl Verify {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let directory = RunDirectory::existing(&self.directory)?;
        let path = directory.scores();
        let held = fs::read_to_string(&path)
            .with_context(|| format!("failed to read {}; a run writes it when it is finished", path.display()))?;
        let workload = Workload::from_directory(&directory)?;
        let units = execution::pending(&workload, &[]);
        let display = Display::new(units.len(), 0);
        let mut results = Vec::new();
        execution::execute(&workload, &units, run::jobs(self.jobs), &display, |result| {
            results.push(result);
            Ok(())
        })?;
        drop(display);
        let again = directory::to_json(&Scores::new(&workload.plan, &results).to_json())?;
        let name = self.directory.display();
        if again == held {
            output::print(&format!("{name} holds: {} units, the same to the bit", units.len()))?;
            return Ok(ExitCode::from(exit::DONE));
        }
        let again: Value = serde_json::from_str(&again)?;
        let place = serde_json::from_str(&held)
            .map_or_else(|_| "it is not JSON".into(), |held| difference(&held, &again, "scores.json"));
        output::print(&format!("{name} does not hold: {place}"))?;
        Ok(ExitCode::from(exit::BAD_INPUT))
    }
}

/// The first place in which two documents differ.
fn difference(held: &Value, again: &Value, place: &str) -> String {
    let below = |held: Option<&Value>, again: Option<&Value>, place: String| match (held, again) {
        (Some(held), Some(again)) if held == again => None,
        (Some(held), Some(again)) => Some(difference(held, again, &place)),
        (None, Some(_)) => Some(format!("{place} is missing")),
        (Some(_), None) => Some(format!("{place} does not belong there")),
        (None, None) => None,
    };
    let found = match (held, again) {
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys()).find_map(|key| below(a.get(key), b.get(key), format!("{place}.{key}")))
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len())).find_map(|i| below(a.get(i), b.get(i), format!("{place}[{i}]")))
        }
        _ => (held != again).then(|| format!("{place} is {held} and comes out as {again}")),
    };
    found.unwrap_or_else(|| format!("{place} is written differently"))
}
