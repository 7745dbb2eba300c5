//! Plans that name native agents: their commands are run only with consent.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;

use crate::output;

/// Refuses a plan from elsewhere that names native agents, unless the user lets their commands run.
///
/// # Errors
/// When the plan names a native agent and `allowed` is false.
pub(crate) fn refuse_unless(allowed: bool, plan: &Plan) -> Result<()> {
    let places: BTreeSet<String> = plan.native_agents().filter_map(|agent| agent.reported.clone()).collect();
    if allowed || places.is_empty() {
        return Ok(());
    }
    output::quote(&places.iter().map(|place| format!("    {place}")).collect::<Vec<_>>());
    bail!(
        "the plan names {} (above), which would run outside the sandbox with your rights; give --native if you trust all of them",
        counted(places.len(), "native agent")
    )
}
