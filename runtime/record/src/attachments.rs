//! The bytes, beside plan and journal, that are needed to run a plan again.

use anyhow::Result;

use crate::directory::RunDirectory;
use crate::kept::Kept;
use crate::plan::Plan;
use crate::suites::IMPORTED;
use crate::unit::UnitResult;

/// Lists the bytes that are needed to run an entry again and are kept under their digests, ordered by name.
///
/// # Errors
/// When the plan names a table that is none.
pub fn kept(plan: &Plan, results: &[UnitResult]) -> Result<Vec<(Kept, String)>> {
    let agents = plan.agents.iter().chain(plan.predictor()).filter(|agent| agent.is_component());
    let mut kept: Vec<(Kept, String)> = agents.map(|agent| (Kept::Agent, agent.digest.clone())).collect();
    if plan.suite == IMPORTED {
        let digests = plan.problems.iter().filter_map(|problem| problem.digest.clone());
        kept.extend(digests.map(|digest| (Kept::Problem, digest)));
    }
    for table in &plan.tables {
        kept.push((table.kept()?, table.digest.clone()));
    }
    kept.extend(
        results.iter().filter_map(|result| result.outcome.belief()).map(|digest| (Kept::Belief, digest.to_owned())),
    );
    kept.sort_by_key(|(kind, digest)| kind.path(digest));
    kept.dedup_by_key(|(kind, digest)| kind.path(digest));
    Ok(kept)
}

/// Copies these bytes from one directory to another.
///
/// # Errors
/// When bytes are missing or damaged, or cannot be written.
pub fn copy_kept(plan: &Plan, results: &[UnitResult], from: &RunDirectory, to: &RunDirectory) -> Result<()> {
    kept(plan, results)?.into_iter().try_for_each(|(kind, digest)| to.keep(kind, &digest, &from.whole(kind, &digest)?))
}
