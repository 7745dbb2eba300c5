//! Prepares the problems of a regression run: the user's selection from a suite, its data, and its plan.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use jointly_record::plan::{Plan, PlannedProblem};
use jointly_record::suites;
use jointly_regression::{Regression, RegressionProblem, RegressionSuite, TableError, TableFile, attach_tables};

use crate::data_directories::DataDirectories;
use crate::{real_data, user_tables};

/// Returns the suite of that name on its own tables or on user-supplied ones, without the problems that the pattern
/// excludes and with the user's overrides, or `None` if it is no suite of regression.
///
/// # Errors
/// When no problem matches, an override or a table does not fit, or data are not at hand.
pub fn requested(
    name: &str,
    pattern: Option<&str>,
    tables: &[TableFile],
    choose: impl FnOnce(&mut RegressionSuite) -> Result<()>,
    data: &DataDirectories,
) -> Result<Option<RegressionSuite>> {
    let Some(mut suite) = user_tables::suite(name, tables)? else { return Ok(None) };
    if let Some(pattern) = pattern {
        let example = suite.problems.first().map(|problem| problem.name.clone()).unwrap_or_default();
        let glob = suites::matcher(pattern)?;
        let left_out: Vec<RegressionProblem> =
            suite.problems.extract_if(.., |problem| !glob.is_match(&problem.name)).collect();
        if suite.problems.is_empty() {
            bail!("no problem of {name} matches {pattern}; a name looks like {example}");
        }
        user_tables::refuse_idle(tables, &suite.problems, &left_out)?;
    }
    choose(&mut suite)?;
    suite.options.check().with_context(|| format!("failed to take on {name}"))?;
    user_tables::fit(&suite.problems)?;
    attach(&mut suite.problems, data)?;
    Ok(Some(suite))
}

/// Returns the suite of a plan with the plan's problems and options, on the plan's user-supplied tables if it has any.
///
/// # Errors
/// When the plan names an unknown problem, or data that are not at hand.
pub fn held(plan: &Plan, tables: &[TableFile], data: &DataDirectories) -> Result<RegressionSuite> {
    let options = plan.options::<Regression>().context("the plan is not one of regression")?;
    let all = user_tables::suite(&plan.suite, tables)?.with_context(|| suites::unknown(&plan.suite))?;
    let known: HashMap<&str, &RegressionProblem> =
        all.problems.iter().map(|problem| (problem.name.as_str(), problem)).collect();
    let problem = |planned: &PlannedProblem| {
        let problem = known.get(planned.problem.as_str()).map(|problem| (*problem).clone());
        problem.with_context(|| format!("the suite {} has no problem {}", plan.suite, planned.problem))
    };
    let mut own = plan.problems.iter().map(problem).collect::<Result<Vec<_>>>()?;
    attach(&mut own, data)?;
    for (planned, problem) in plan.problems.iter().zip(&own) {
        let what = problem.table().unwrap_or(&problem.name);
        real_data::are_those_of_the_run(what, problem.digest().as_deref(), planned, real_data::ELSEWHERE)?;
    }
    Ok(RegressionSuite { problems: own, options: options.clone(), ..all })
}

/// Reads the tables that the problems are made of, each once, and attaches them.
fn attach(problems: &mut [RegressionProblem], data: &DataDirectories) -> Result<()> {
    if problems.iter().all(|problem| problem.table_source().is_none_or(|table| table.data().is_some())) {
        return Ok(());
    }
    let directories: Vec<PathBuf> = data.paths()?;
    attach_tables(problems, &directories).map_err(|error| match error {
        TableError::Missing(missing) => {
            anyhow!(
                "{missing}; a data directory is given by --data or JOINTLY_DATA, and --problems leaves problems out"
            )
        }
        TableError::Data(error) => error.into(),
    })
}
