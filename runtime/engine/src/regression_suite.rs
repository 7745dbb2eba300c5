//! Prepares the problems of a regression run: the user's selection from a suite, its data, and its plan.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use jointly_record::plan::Plan;
use jointly_record::suites;
use jointly_regression::{Regression, RegressionProblem, RegressionSuite, TableError, TableFile, attach_tables};

use crate::data_directories::DataDirectories;
use crate::{real_data, selection, user_tables};

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
        let left_out = selection::restrict(name, &mut suite.problems, pattern, |problem| &problem.name)?;
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
    let mut own = selection::of_plan(plan, &all.problems, |problem| &problem.name)?;
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
                "{missing}; a data directory is given by --data or JOINTLY_DATA, and --problems of `jointly run` leaves problems out"
            )
        }
        TableError::Data(error) => error.into(),
    })
}
