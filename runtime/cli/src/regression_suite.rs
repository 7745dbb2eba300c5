//! The problems of a run of regression: what a person asked for of a suite, its data, and its plan.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use jointly_core::Metric;
use jointly_core::regression::{RegressionProblem, RegressionSuite, TableError, TableFile, attach_tables};

use crate::data_directories::DataDirectories;
use crate::plan::{Plan, PlannedProblem};
use crate::{own_tables, problems};

/// The suite of that name on its own tables or on a person's, less what the pattern leaves out, with what a person chooses of
/// it; None where it is no suite of regression.
pub(crate) fn requested(
    name: &str,
    pattern: Option<&str>,
    tables: &[TableFile],
    choose: impl FnOnce(&mut RegressionSuite) -> Result<()>,
    data: &DataDirectories,
) -> Result<Option<RegressionSuite>> {
    let Some(mut suite) = own_tables::suite(name, tables)? else { return Ok(None) };
    if let Some(pattern) = pattern {
        let example = suite.problems.first().map(|problem| problem.name.clone()).unwrap_or_default();
        let glob = problems::matcher(pattern)?;
        let left_out: Vec<RegressionProblem> =
            suite.problems.extract_if(.., |problem| !glob.is_match(&problem.name)).collect();
        if suite.problems.is_empty() {
            bail!("no problem of {name} matches {pattern}; a name looks like {example}");
        }
        own_tables::refuse_idle(tables, &suite.problems, &left_out)?;
    }
    choose(&mut suite)?;
    suite.options.check().with_context(|| format!("failed to take on {name}"))?;
    own_tables::fit(&suite.problems)?;
    attach(&mut suite.problems, data)?;
    Ok(Some(suite))
}

/// The suite of a plan with the plan's problems and options, on the plan's own tables where it has some.
pub(crate) fn held(plan: &Plan, tables: &[TableFile], data: &DataDirectories) -> Result<RegressionSuite> {
    let terms = plan.regression().context("the plan is not one of regression")?;
    let all = own_tables::suite(&plan.suite, tables)?
        .with_context(|| format!("there is no suite {} of regression; there are {}", plan.suite, problems::names()))?;
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
        problems::are_those_of_the_run(what, problem.digest().as_deref(), planned, problems::ELSEWHERE)?;
    }
    Ok(RegressionSuite { problems: own, options: terms.options.clone(), ..all })
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

/// A problem as the plan has it.
pub(crate) fn planned(problem: &RegressionProblem) -> PlannedProblem {
    PlannedProblem { problem: problem.name.clone(), metric: Metric::Nll, digest: problem.digest() }
}

/// What each of a plan's problems shares its data with; of one that no suite here has, its own name.
pub(crate) fn clusters(plan: &Plan) -> Vec<String> {
    let suite = own_tables::suite_of(plan);
    let known: BTreeMap<&str, String> = suite.as_ref().map_or_else(BTreeMap::new, |suite| {
        suite.problems.iter().map(|problem| (problem.name.as_str(), problem.cluster())).collect()
    });
    let cluster = |name: &str| known.get(name).cloned().unwrap_or_else(|| name.to_owned());
    plan.problems.iter().map(|planned| cluster(&planned.problem)).collect()
}
