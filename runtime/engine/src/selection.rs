//! Selects problems of a suite: by the user's pattern, or those of a plan.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::suites;

/// Keeps the problems whose name matches a pattern, and returns the others. `name` returns the name of a problem.
///
/// # Errors
/// When the pattern cannot be read, or no problem matches.
pub(crate) fn restrict<P>(
    suite: &str,
    problems: &mut Vec<P>,
    pattern: &str,
    name: impl Fn(&P) -> &str,
) -> Result<Vec<P>> {
    let glob = suites::matcher(pattern)?;
    let example = problems.first().map(|problem| name(problem).to_owned()).unwrap_or_default();
    let left_out: Vec<P> = problems.extract_if(.., |problem| !glob.is_match(name(problem))).collect();
    if problems.is_empty() {
        bail!("no problem of {suite} matches {pattern}; a name looks like {example}");
    }
    Ok(left_out)
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
