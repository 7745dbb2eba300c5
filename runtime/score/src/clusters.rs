//! Clusters of a plan's problems: problems of one dataset are one unit of a test, any other problem is a unit of its
//! own.

use std::collections::{BTreeMap, HashMap};

use jointly_classification::Problem;
use jointly_classification::shift::shift_suite;
use jointly_record::plan::Plan;
use jointly_record::suites;

/// The [cluster](Problem::cluster) of each of a plan's problems; of one that no suite here has, its own name.
pub fn clusters(plan: &Plan) -> Vec<String> {
    if plan.regression().is_some() {
        return of_regression(plan);
    }
    if plan.shift().is_some() {
        return of_shift(plan);
    }
    let suite = jointly_classification::suite(&plan.suite);
    let known = suite.as_ref().map_or(&[][..], |suite| &suite.problems);
    let known: HashMap<&str, &Problem> = known.iter().map(|problem| (problem.name.as_str(), problem)).collect();
    let cluster = |name: &str| known.get(name).map_or(name, |problem| problem.cluster()).to_owned();
    plan.problems.iter().map(|planned| cluster(&planned.problem)).collect()
}

/// The cluster of each of a plan's problems: its dataset, or its own name where no suite here has it.
fn of_regression(plan: &Plan) -> Vec<String> {
    let suite = suites::suite_of(plan);
    let known: BTreeMap<&str, String> = suite.as_ref().map_or_else(BTreeMap::new, |suite| {
        suite.problems.iter().map(|problem| (problem.name.as_str(), problem.cluster())).collect()
    });
    let cluster = |name: &str| known.get(name).cloned().unwrap_or_else(|| name.to_owned());
    plan.problems.iter().map(|planned| cluster(&planned.problem)).collect()
}

/// The cluster of each of a plan's problems: its dataset, or its own name where no suite here has it.
fn of_shift(plan: &Plan) -> Vec<String> {
    let suite = shift_suite(&plan.suite);
    let known = suite.iter().flat_map(|suite| &suite.problems);
    let known: HashMap<&str, &str> = known.map(|problem| (problem.name.as_str(), problem.cluster())).collect();
    let cluster = |name: &str| known.get(name).copied().unwrap_or(name).to_owned();
    plan.problems.iter().map(|planned| cluster(&planned.problem)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use jointly_classification::shift::shift_suite;
    use jointly_core::{Metric, digest};
    use jointly_record::invented;
    use jointly_record::plan::{Plan, PlannedProblem, RegressionTerms, Terms};
    use jointly_record::planned_table::PlannedTable;
    use jointly_regression::regression_suite;

    use super::clusters;

    fn plan(suite: &str, terms: Terms, problems: &[&str]) -> Plan {
        let planned = |name: &&str| PlannedProblem { problem: (*name).to_owned(), metric: Metric::Nll, digest: None };
        Plan { problems: problems.iter().map(planned).collect(), ..invented::plan(suite, terms, Vec::new()) }
    }

    /// Splits and variants of one dataset are one unit of a test, digits that are drawn anew each their own.
    #[test]
    fn problems_of_dataset_shift_are_clustered_by_dataset_where_there_is_one() {
        let counts = |name: &str| {
            let suite = shift_suite(name).unwrap();
            let names: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
            let clusters = clusters(&plan(name, Terms::Shift(suite.options), &names));
            (clusters.len(), clusters.iter().collect::<HashSet<_>>().len())
        };
        assert_eq!(counts("shift/tabular"), (55, 3));
        assert_eq!(counts("shift/cifar10"), (5, 1));
        assert_eq!(counts("shift/synthetic"), (5, 5));
        assert_eq!(counts("quick/shift"), (2, 2));
    }

    #[test]
    fn splits_of_a_user_supplied_table_are_clustered_by_its_name() {
        let options = regression_suite("quick/coverage").unwrap().options;
        let terms = Terms::Regression(RegressionTerms { options, predictor: None });
        let problems = ["line/sim0", "mine/sim0", "uci/yours/split1"].map(|name| format!("quick/coverage/{name}"));
        let mut plan = plan("quick/coverage", terms, &problems.each_ref().map(String::as_str));
        let table = |file: &str| PlannedTable { file: file.to_owned(), digest: digest(b"") };
        plan.tables = vec![table("mine.csv"), table("yours.csv")];
        assert_eq!(clusters(&plan), ["quick/coverage/line/sim0", "quick/coverage/mine/sim0", "yours"]);
    }
}
