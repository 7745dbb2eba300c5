//! Selects problems of a suite: by the user's pattern, or those of a plan.

use std::collections::HashMap;

use anyhow::{Context, Result};
use jointly_record::pattern;
use jointly_record::plan::{Plan, PlannedProblem};

/// Keeps the problems whose name matches a pattern, and returns the others. `name` returns the name of a problem.
///
/// # Errors
/// When the pattern cannot be read, or no problem matches it or one of its alternatives.
pub(crate) fn restrict<P>(
    suite: &str,
    problems: &mut Vec<P>,
    pattern: &str,
    name: impl Fn(&P) -> &str,
) -> Result<Vec<P>> {
    let names: Vec<&str> = problems.iter().map(&name).collect();
    let glob = pattern::checked(suite, &names, pattern)?;
    Ok(problems.extract_if(.., |problem| !glob.is_match(name(problem))).collect())
}

/// Returns the problems of a plan among all of its suite, in the plan's order.
///
/// # Errors
/// When the suite has no problem of a name in the plan.
pub(crate) fn of_plan<P: Clone>(plan: &Plan, all: &[P], name: impl Fn(&P) -> &str) -> Result<Vec<P>> {
    let known: HashMap<&str, &P> = all.iter().map(|problem| (name(problem), problem)).collect();
    let problem = |planned: &PlannedProblem| {
        let problem = known.get(planned.problem.as_str()).map(|problem| (*problem).clone());
        problem.with_context(|| format!("the suite {} has no problem {}", plan.suite, planned.problem))
    };
    plan.problems.iter().map(problem).collect()
}
