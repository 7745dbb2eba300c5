//! The suites of this version: names, sizes, and evaluation by default.

use anyhow::{Context, Result};
use jointly_classification::Suite;
use jointly_classification::shift::{shift_suite, shift_suites};
use jointly_core::Evaluation;
use jointly_regression::{RegressionSuite, regression_suite, regression_suite_on, regression_suites};

use crate::guess;
use crate::plan::Plan;

/// The suite of problems that are given as files.
pub const IMPORTED: &str = "imported";

/// The message about an unknown suite.
pub fn unknown(name: &str) -> String {
    let names = jointly_classification::suites().into_iter().map(|suite| suite.name);
    let names = names.chain(regression_suites().into_iter().map(|suite| suite.name));
    let names: Vec<String> = names.chain(shift_suites().into_iter().map(|suite| suite.name)).collect();
    let remedy = guess::remedy(name, names.iter().map(String::as_str), "`jointly suites` lists all");
    format!("there is no suite {name}: {remedy}")
}

/// The suite of classification of that name.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<Suite> {
    jointly_classification::suite(name).with_context(|| unknown(name))
}

/// The number of problems of the suite of this name, of whichever kind.
pub fn size(suite: &str) -> Option<usize> {
    let classification = jointly_classification::suite(suite).map(|suite| suite.problems.len());
    let regression = || regression_suite(suite).map(|suite| suite.problems.len());
    classification.or_else(regression).or_else(|| shift_suite(suite).map(|suite| suite.problems.len()))
}

/// The number of problems of a plan's suite, on the plan's tables.
pub fn size_of(plan: &Plan) -> Option<usize> {
    if plan.tables.is_empty() {
        return size(&plan.suite);
    }
    suite_of(plan).map(|suite| suite.problems.len())
}

/// The evaluation that the suite of this name has of itself.
pub fn evaluation(suite: &str) -> Option<Evaluation> {
    if suite == IMPORTED {
        Some(Suite::imported(Vec::new()).evaluation)
    } else {
        named(suite).ok().map(|suite| suite.evaluation)
    }
}

/// The suite of regression of a plan on the plan's tables, without any data.
pub fn suite_of(plan: &Plan) -> Option<RegressionSuite> {
    let tables = plan.tables.iter().map(|planned| planned.table().map(|(_, table)| table));
    regression_suite_on(&plan.suite, &tables.collect::<Result<Vec<_>>>().ok()?)
}
