//! Plans that name native agents: their commands are run only on demand.

use anyhow::{Result, bail};
use jointly_record::plan::Plan;

/// Refuses a plan from elsewhere that names native agents, unless the user lets their commands run.
///
/// # Errors
/// When the plan names a native agent and `allowed` is false.
pub(crate) fn refuse_unless(allowed: bool, plan: &Plan) -> Result<()> {
    match plan.native_agents().find_map(|agent| agent.reported.as_ref()) {
        Some(reached) if !allowed => bail!(
            "the plan names a native agent, {reached}, which runs outside the sandbox with your rights; give --native if you \
             trust it"
        ),
        _ => Ok(()),
    }
}
