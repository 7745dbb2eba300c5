//! The suites of this version: names, sizes, and the coordinates of their problems.

use std::collections::HashMap;

use anyhow::{Context, Result};
use jointly_classification::Suite;
use jointly_core::Coordinates;
use jointly_core::kind::{Kind, SuiteOutline};
use jointly_regression::{RegressionSuite, regression_suite_on};

use crate::guess;
use crate::kinds::KINDS;
use crate::plan::Plan;

pub use jointly_classification::suite::IMPORTED;

/// Returns the message about an unknown suite.
pub fn unknown(name: &str) -> String {
    let names: Vec<String> = KINDS.iter().flat_map(|kind| (kind.suites)()).map(|suite| suite.name).collect();
    let remedy = guess::remedy(name, names.iter().map(String::as_str), "`jointly suites` lists all");
    format!("there is no suite {name}: {remedy}")
}

/// Returns the kind of the suite of this name.
pub fn kind(suite: &str) -> Option<&'static Kind> {
    KINDS.into_iter().find(|kind| outline(kind, suite).is_some())
}

/// Returns the kind of the suite that has a problem of this name.
pub fn kind_of(problem: &str) -> Option<&'static Kind> {
    let has = |suite: &SuiteOutline| suite.problems.iter().any(|(name, _)| name == problem);
    KINDS.into_iter().find(|kind| (kind.suites)().iter().any(has))
}

/// Returns the suite of classification of that name.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<Suite> {
    jointly_classification::suite(name).with_context(|| unknown(name))
}

/// Returns the number of problems of a plan's suite, on the plan's tables.
pub fn size_of(plan: &Plan) -> Option<usize> {
    outline_of(plan).map(|suite| suite.problems.len())
}

/// Returns the suite of regression of a plan on the plan's tables, without any data.
pub fn suite_of(plan: &Plan) -> Option<RegressionSuite> {
    let tables = plan.tables.iter().map(|planned| planned.table().map(|(_, table)| table));
    regression_suite_on(&plan.suite, &tables.collect::<Result<Vec<_>>>().ok()?)
}

fn outline(kind: &Kind, suite: &str) -> Option<SuiteOutline> {
    (kind.suites)().into_iter().find(|own| own.name == suite)
}

/// Returns the outline of a plan's suite, on the plan's tables.
fn outline_of(plan: &Plan) -> Option<SuiteOutline> {
    if plan.tables.is_empty() {
        outline(plan.kind(), &plan.suite)
    } else {
        suite_of(plan).map(RegressionSuite::outline)
    }
}

/// Returns the names of all problems of a plan's suite, in order; none if this version does not have the suite.
pub fn problems_of(plan: &Plan) -> Vec<String> {
    outline_of(plan).into_iter().flat_map(|suite| suite.problems).map(|(name, _)| name).collect()
}

/// Returns the names of all problems of the suite of this name, in order, or `None` if this version does not have it.
pub fn problems_named(suite: &str) -> Option<Vec<String>> {
    let outline = KINDS.into_iter().find_map(|kind| outline(kind, suite))?;
    Some(outline.problems.into_iter().map(|(name, _)| name).collect())
}

/// Gives each problem its coordinates in the suite, whatever the plan says, so that a plan from elsewhere cannot choose
/// how its standard errors are clustered. A problem that no suite of this version has keeps the plan's coordinates.
pub fn place(plan: &mut Plan) {
    let known: HashMap<String, Coordinates> = outline_of(plan).into_iter().flat_map(|suite| suite.problems).collect();
    for planned in &mut plan.problems {
        if let Some(coordinates) = known.get(&planned.problem) {
            planned.coordinates = coordinates.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jointly_classification::shift::shift_suite;
    use jointly_core::{Coordinates, Metric, Repetition, digest};
    use jointly_regression::regression_suite;

    use super::place;
    use crate::invented;
    use crate::plan::{Plan, PlannedProblem, RegressionTerms, Terms};
    use crate::planned_table::PlannedTable;

    /// Returns a plan from before coordinates were introduced.
    fn plan(suite: &str, terms: Terms, problems: &[&str]) -> Plan {
        let planned = |name: &&str| invented::planned_problem(name, Metric::Nll);
        Plan { problems: problems.iter().map(planned).collect(), ..invented::plan(suite, terms, Vec::new()) }
    }

    fn clusters(mut plan: Plan) -> Vec<String> {
        place(&mut plan);
        plan.problems.iter().map(PlannedProblem::cluster).map(str::to_owned).collect()
    }

    /// Checks that splits and variants of one dataset form one unit of a test, and freshly drawn digits one each.
    #[test]
    fn problems_of_dataset_shift_are_clustered_by_dataset_where_there_is_one() {
        let counts = |name: &str| {
            let suite = shift_suite(name).unwrap();
            let names: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
            let clusters = clusters(plan(name, Terms::Shift(suite.options), &names));
            (clusters.len(), clusters.iter().collect::<HashSet<_>>().len())
        };
        assert_eq!(counts("shift/tabular"), (55, 3));
        assert_eq!(counts("shift/cifar10"), (5, 1));
        assert_eq!(counts("shift/synthetic"), (5, 5));
        assert_eq!(counts("quick/shift"), (2, 2));
    }

    /// Checks that coordinates of a plan from elsewhere are kept only for problems that no suite here has.
    #[test]
    fn the_suite_says_where_its_problems_stand() {
        let terms = || Terms::Evaluation(jointly_classification::suite("quick").unwrap().evaluation);
        let mut plan = plan("quick", terms(), &["quick/t10/temp0.1/seed2", "quick/mine"]);
        let mine = Coordinates { series: "mine".into(), cluster: "one".into(), ..Coordinates::default() };
        plan.problems.iter_mut().for_each(|planned| planned.coordinates = mine.clone());
        place(&mut plan);
        assert_eq!(
            (plan.problems[0].series(), plan.problems[0].cluster()),
            ("quick/t10/temp0.1", "quick/t10/temp0.1/seed2")
        );
        assert_eq!(plan.problems[0].coordinates.repetition, Some(Repetition::Seed(2)));
        assert_eq!((plan.problems[1].series(), plan.problems[1].cluster()), ("mine", "one"));
    }

    #[test]
    fn splits_of_a_user_supplied_table_are_clustered_by_its_name() {
        let options = regression_suite("quick/coverage").unwrap().options;
        let terms = Terms::Regression(RegressionTerms { options, predictor: None });
        let problems = ["line/sim0", "mine/sim0", "uci/yours/split1"].map(|name| format!("quick/coverage/{name}"));
        let mut plan = plan("quick/coverage", terms, &problems.each_ref().map(String::as_str));
        let table = |file: &str| PlannedTable { file: file.to_owned(), digest: digest(b"") };
        plan.tables = vec![table("mine.csv"), table("yours.csv")];
        assert_eq!(clusters(plan), ["quick/coverage/line/sim0", "quick/coverage/mine/sim0", "yours"]);
    }
}
