//! Reuses finished results of other runs: a unit's result is a function of the plan.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use jointly_core::failure::{Failure, Kind};
use jointly_core::printable::ShowPath as _;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem};
use jointly_record::unit::{Outcome, UnitResult};

use crate::execution::Finished;
use crate::problem_set::Belief;

/// A result of another run under this plan's label. Its belief stays in that run's directory, because those of a whole run may
/// take gigabytes.
pub struct Reused {
    /// The result.
    pub result: UnitResult,
    directory: Rc<RunDirectory>,
}

impl Reused {
    /// Reads the part of the result that has a file of its own.
    ///
    /// # Errors
    /// When the belief cannot be read or is damaged.
    pub fn finished(self) -> Result<Finished> {
        let belief = self.belief()?;
        Ok(Finished { result: self.result, belief })
    }

    fn belief(&self) -> Result<Option<Belief>> {
        let Some(name) = self.result.outcome.belief() else { return Ok(None) };
        Ok(Some(Belief { digest: name.to_owned(), bytes: self.directory.belief(name)? }))
    }
}

/// Returns the results of other runs' units that are also units of this plan, under its labels, each once. Runs with less
/// fuel give all units but those that used it up.
///
/// # Errors
/// When the plan of a run differs in more than agents, problems and less fuel, or a run or a belief cannot be read.
pub fn results(plan: &Plan, directories: &[PathBuf]) -> Result<Vec<Reused>> {
    let ours: HashMap<&str, &PlannedProblem> =
        plan.problems.iter().map(|problem| (problem.problem.as_str(), problem)).collect();
    let mut known = Vec::new();
    let mut seen = HashSet::new();
    for path in directories {
        let directory = Rc::new(RunDirectory::existing(path)?);
        if directory.lacks_journal() {
            bail!(
                "cannot reuse {}: it has no journal, from which results are taken; give a run with its results.jsonl",
                path.shown()
            );
        }
        let mut other = directory.plan()?;
        let had = other.limits.fuel;
        other.limits.fuel = had.max(plan.limits.fuel);
        if let Some(difference) = plan.other_conditions(&other) {
            bail!("cannot reuse {}: this run has {difference}", path.shown());
        }
        let labels = labels(plan, &other);
        let theirs: HashMap<&str, &PlannedProblem> =
            other.problems.iter().map(|problem| (problem.problem.as_str(), problem)).collect();
        for result in directory.results()? {
            let same = theirs.get(result.problem.as_str()) == ours.get(result.problem.as_str());
            let label =
                labels.get(result.agent.as_str()).filter(|_| same && ours.contains_key(result.problem.as_str()));
            let starved = had < plan.limits.fuel && used_up(&result);
            let result = label.filter(|_| !starved).map(|label| UnitResult { agent: (*label).to_owned(), ..result });
            if let Some(result) = result
                && seen.insert((result.agent.clone(), result.problem.clone()))
            {
                let reused = Reused { result, directory: Rc::clone(&directory) };
                // A damaged belief is an error before the run begins.
                reused.belief().with_context(|| format!("cannot reuse {}", path.shown()))?;
                known.push(reused);
            }
        }
    }
    Ok(known)
}

fn used_up(result: &UnitResult) -> bool {
    matches!(result.outcome, Outcome::Failed(Failure { kind: Kind::OutOfFuel, .. }))
}

/// Returns this plan's label of each agent of the other plan that has the same bytes and settings, by its label there.
fn labels<'a>(plan: &'a Plan, other: &'a Plan) -> HashMap<&'a str, &'a str> {
    let mut ours = HashMap::new();
    for agent in &plan.agents {
        ours.entry(agent.bytes_and_settings()).or_insert(agent.label.as_str());
    }
    let same = |theirs: &'a PlannedAgent| Some((theirs.label.as_str(), *ours.get(&theirs.bytes_and_settings())?));
    other.agents.iter().filter_map(same).collect()
}
