//! The bytes, beside plan and journal, that are needed to run a plan again.

use anyhow::Result;

use crate::directory::RunDirectory;
use crate::kept::Kept;
use crate::plan::Plan;
use crate::suites::IMPORTED;

/// Lists the bytes that are needed to run an entry again and are kept under their digests, ordered by name. `beliefs`
/// are the digests that results name.
///
/// # Errors
/// When the plan names a table that is none.
pub fn kept<'b>(plan: &Plan, beliefs: impl IntoIterator<Item = &'b str>) -> Result<Vec<(Kept, String)>> {
    let agents = plan.agents.iter().chain(plan.predictor()).filter(|agent| agent.is_component());
    let mut kept: Vec<(Kept, String)> = agents.map(|agent| (Kept::Agent, agent.digest.clone())).collect();
    if plan.suite == IMPORTED {
        let digests = plan.problems.iter().filter_map(|problem| problem.digest.clone());
        kept.extend(digests.map(|digest| (Kept::Problem, digest)));
    }
    for table in &plan.tables {
        kept.push((table.kept()?, table.digest.clone()));
    }
    kept.extend(beliefs.into_iter().map(|digest| (Kept::Belief, digest.to_owned())));
    kept.sort_by_key(|(kind, digest)| kind.path(digest));
    kept.dedup_by_key(|(kind, digest)| kind.path(digest));
    Ok(kept)
}

/// Copies these bytes, except beliefs, from one directory to another.
///
/// # Errors
/// When bytes are missing or damaged, or cannot be written.
pub fn copy_kept(plan: &Plan, from: &RunDirectory, to: &RunDirectory) -> Result<()> {
    kept(plan, [])?.into_iter().try_for_each(|(kind, digest)| to.keep(kind, &digest, &from.whole(kind, &digest)?))
}
