//! How far an experiment is whose runs are not all finished.

use std::path::Path;

use anyhow::{Context as _, Result};
use jointly_core::counted::counted;
use jointly_record::directory::{PLAN, RunDirectory, SCORES};
use serde::Serialize;

use crate::asked;
use crate::manifest::Run;

/// How far the runs of an experiment are.
#[derive(Serialize)]
pub struct Progress {
    /// The number of runs that have scores.
    pub finished: usize,
    /// The number of runs.
    pub runs: usize,
    /// The runs that have a plan and no scores.
    pub begun: Vec<Begun>,
}

/// A run that has a plan and no scores.
#[derive(Serialize)]
pub struct Begun {
    /// The name of its directory.
    pub run: String,
    /// The number of units that are done, failed ones among them.
    pub done: usize,
    /// The number of units.
    pub units: usize,
}

impl Progress {
    /// Reads how far runs are in a folder, or returns `None` if none has begun.
    ///
    /// # Errors
    /// When a run is another than the manifest's, or a plan or a journal cannot be read.
    pub fn read(runs: &[Run], folder: &Path) -> Result<Option<Self>> {
        let (mut finished, mut begun) = (0, Vec::new());
        for run in runs {
            let path = folder.join(&run.name);
            if !path.join(PLAN).is_file() {
                continue;
            }
            let directory = RunDirectory::existing(&path)?;
            let plan = directory.plan()?;
            asked::check(run, &plan).with_context(|| asked::is_another(run, folder))?;
            if path.join(SCORES).is_file() {
                finished += 1;
                continue;
            }
            let mut done = 0;
            directory.find_results(|_| done += 1)?;
            begun.push(Begun { run: run.name.clone(), done, units: plan.agents.len() * plan.problems.len() });
        }
        Ok((finished + begun.len() > 0).then_some(Self { finished, runs: runs.len(), begun }))
    }

    /// Returns it as text: `1 of 3 runs finished; 12 of 35 units of a/b done`.
    pub fn text(&self) -> String {
        let begun = self
            .begun
            .iter()
            .map(|own| format!("; {} of {} of {} done", own.done, counted(own.units, "unit"), own.run));
        format!("{} of {} finished{}", self.finished, counted(self.runs, "run"), begun.collect::<String>())
    }
}
