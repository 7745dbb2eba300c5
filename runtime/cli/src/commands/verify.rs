//! `jointly verify`: runs an entry again and compares bit for bit.

use std::collections::HashMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use crate::data_directories::DataDirectories;
use crate::difference::difference;
use crate::directory::{self, RunDirectory, SWEEP};
use crate::engine_argument::EngineArgument;
use crate::execution::{self, Belief, Finished};
use crate::journal::Journal;
use crate::leaderboard::Leaderboard;
use crate::progress::Display;
use crate::scores::{Beliefs, Scores};
use crate::selection::{self, Selection, Tune};
use crate::table::counted;
use crate::unit::UnitResult;
use crate::workload::Workload;
use crate::{exit, output, problems, scores};

/// Runs a finished directory again and compares its scores bit for bit
///
/// Uses the agents and problems in the directory, believes nothing else in it, and writes nothing there. Real data are no
/// part of a run's directory: they are looked for as `jointly run` does, and must be those of the run.
#[derive(Args)]
pub(crate) struct Verify {
    /// The directory that `jointly run` wrote
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Units at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = execution::parse_jobs)]
    jobs: Option<NonZero<usize>>,
    /// How agents' code is run: the interpreter gives a second opinion that shares no machine code with the first
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArgument,
    #[command(flatten)]
    data: DataDirectories,
}

impl Verify {
    pub(crate) fn execute(self) -> Result<ExitCode> {
        let directory = RunDirectory::existing(&self.directory)?;
        let held = Held::read(&directory)?;
        let workload = Workload::from_directory(&directory, &self.data, self.engine.into())?;
        let units = execution::pending(&workload, &[]);
        let display = Display::new(units.len(), 0);
        let (mut results, mut beliefs) = (Vec::new(), Beliefs::default());
        execution::execute(&workload, &units, execution::jobs(self.jobs), &display, |Finished { result, belief }| {
            results.push(result);
            beliefs.extend(belief.map(|Belief { digest, bytes }| (digest, bytes)));
            Ok(())
        })?;
        drop(display);
        let name = self.directory.display();
        let Some(place) = held.defect(&workload, &results, &beliefs)? else {
            let (suite, problems) = (&workload.plan.suite, workload.plan.problems.len());
            let all = problems::size_of(&workload.plan).unwrap_or(problems);
            output::print(&format!(
                "{name} holds: {} on {problems} of {} of {suite}, the same to the bit",
                counted(units.len(), "unit"),
                counted(all, "problem")
            ))?;
            return Ok(ExitCode::from(exit::DONE));
        };
        output::print(&format!("{name} does not hold: {place}"))?;
        Ok(ExitCode::from(exit::BAD_INPUT))
    }
}

/// What a directory claims.
struct Held {
    scores: String,
    leaderboard: String,
    /// What a sweep chose, where the run is one.
    sweep: Option<String>,
    journal: Vec<UnitResult>,
}

impl Held {
    fn read(directory: &RunDirectory) -> Result<Self> {
        let read = |path: &Path| {
            fs::read_to_string(path)
                .with_context(|| format!("failed to read {}; a run writes it when it is finished", path.display()))
        };
        let journal = Journal::read(&directory.journal())?;
        // Those of the journal must be there, and whole; what they say is found again.
        scores::beliefs(&journal, directory)?;
        Ok(Self {
            scores: read(&directory.scores())?,
            leaderboard: read(&directory.leaderboard())?,
            sweep: match directory.sweep_file() {
                path if path.exists() => Some(read(&path)?),
                _ => None,
            },
            journal,
        })
    }

    /// The first place in which the claims and the results differ.
    fn defect(&self, workload: &Workload, results: &[UnitResult], beliefs: &Beliefs) -> Result<Option<String>> {
        let scores = Scores::among(&workload.plan, results, beliefs)?;
        let again = directory::to_json(&scores.to_json())?;
        if again != self.scores {
            return Ok(Some(first_difference(&self.scores, &again, "scores.json")?));
        }
        let leaderboard = Leaderboard::new(&scores);
        if leaderboard.to_csv() != self.leaderboard {
            return Ok(Some("leaderboard.csv is not that of scores.json".into()));
        }
        match self.sweep_defect(&scores, leaderboard.compared_by())? {
            Some(defect) => Ok(Some(defect)),
            None => Ok(self.journal_defect(results)),
        }
    }

    /// How the sweep was tuned is part of the question, and believed; what it chose is not.
    fn sweep_defect(&self, scores: &Scores, by: Option<&str>) -> Result<Option<String>> {
        let Some(held) = &self.sweep else { return Ok(None) };
        let document: Value = serde_json::from_str(held).unwrap_or_default();
        let Some(tune) = document["tune"].as_str().and_then(Tune::named) else {
            return Ok(Some(format!("{SWEEP} does not say how it was tuned")));
        };
        let selections = Selection::all(scores, by.unwrap_or_default(), tune);
        let again = directory::to_json(&selection::document(scores.plan, by, tune, &selections))?;
        if again == *held { Ok(None) } else { first_difference(held, &again, SWEEP).map(Some) }
    }

    fn journal_defect(&self, results: &[UnitResult]) -> Option<String> {
        fn unit(result: &UnitResult) -> (&str, &str) {
            (&result.agent, &result.problem)
        }
        let again: HashMap<_, _> = results.iter().map(|result| (unit(result), &result.outcome)).collect();
        let other = |result: &&UnitResult| again.get(&unit(result)) != Some(&&result.outcome);
        let line = |result: &UnitResult| format!("{} on {}", result.agent, result.problem);
        match self.journal.iter().find(other) {
            Some(result) => Some(format!("results.jsonl has another result for {}", line(result))),
            None if self.journal.len() != results.len() => Some("results.jsonl does not have every unit".into()),
            None => None,
        }
    }
}

/// The first place in which a file differs from what it should be.
fn first_difference(held: &str, again: &str, file: &str) -> Result<String> {
    let again: Value = serde_json::from_str(again)?;
    let held = serde_json::from_str(held);
    Ok(held.map_or_else(|_| format!("{file} is not JSON"), |held| difference(&held, &again, file)))
}
