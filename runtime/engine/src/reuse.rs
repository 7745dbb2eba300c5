//! Reuses finished results of other runs: a unit's result is a function of the plan.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use jointly_record::directory::RunDirectory;
use jointly_record::journal::Journal;
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;

use crate::execution::Finished;
use crate::problem_set::Belief;

/// Returns the results of other runs' units that are also units of this plan, under its labels, each once.
///
/// # Errors
/// When the plan of a run differs in more than agents and problems, or a run cannot be read.
pub fn results(plan: &Plan, directories: &[PathBuf]) -> Result<Vec<Finished>> {
    let mut known = Vec::new();
    let mut seen = HashSet::new();
    for path in directories {
        let directory = RunDirectory::existing(path)?;
        let other = directory.plan()?;
        if let Some(difference) = plan.other_conditions(&other) {
            bail!("cannot reuse {}: this run has {difference}", path.display());
        }
        for result in Journal::read(&directory.journal())? {
            if let Some(result) = translated(plan, &other, result)
                && seen.insert((result.agent.clone(), result.problem.clone()))
            {
                let belief = result.outcome.belief().map(|name| belief(&directory, name)).transpose();
                let belief = belief.with_context(|| format!("cannot reuse {}", path.display()))?;
                known.push(Finished { result, belief });
            }
        }
    }
    Ok(known)
}

/// Reads an agent's predictions from the directory of the run that made them.
fn belief(directory: &RunDirectory, name: &str) -> Result<Belief> {
    Ok(Belief { digest: name.to_owned(), bytes: directory.belief(name)? })
}

/// Returns the result under this plan's label of the agent, if agent and problem match this plan's exactly.
fn translated(plan: &Plan, other: &Plan, result: UnitResult) -> Option<UnitResult> {
    let theirs = other.agents.iter().find(|agent| agent.label == result.agent)?;
    let ours = plan.agents.iter().find(|agent| agent.has_bytes_and_settings_of(theirs))?;
    let problem = other.problems.iter().find(|problem| problem.problem == result.problem)?;
    plan.problems.contains(problem).then(|| UnitResult { agent: ours.label.clone(), ..result })
}
