//! Finds the problems of a plan that cost alike, and the relative costs of size classes as far as a plan tells them.
//!
//! Problems that differ only in seed, split, simulation or temperature are in one size class: an agent does the same
//! work on them, except for what early stopping saves.

use jointly_core::Coordinates;
use jointly_record::plan::{Plan, PlannedProblem};

/// The usual size of a minibatch: beyond it, further examples cost only the time to read them.
const BATCH: u64 = 100;
const READING: u64 = 100;
/// The examples and features that are added to every problem's own: the cost of sampling and of an agent's fixed work.
const FIXED_EXAMPLES: u64 = 100;
const FIXED_FEATURES: u64 = 50;

/// Problems that cost alike.
#[derive(Debug, PartialEq, Eq)]
pub struct SizeClass {
    /// The common part of their names.
    pub name: String,
    /// The places of the problems in the plan.
    pub problems: Vec<usize>,
}

/// Returns the plan's problems in classes, ordered by the first problem of each class in the plan.
pub fn size_classes(plan: &Plan) -> Vec<SizeClass> {
    let mut classes: Vec<SizeClass> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (place, planned) in plan.problems.iter().enumerate() {
        let name = size_of(&plan.suite, planned);
        let class = *places.entry(name.clone()).or_insert(classes.len());
        if class == classes.len() {
            classes.push(SizeClass { name, problems: Vec::new() });
        }
        classes[class].problems.push(place);
    }
    classes
}

/// Returns the name that all problems of one size share: the series without the temperature.
fn size_of(suite: &str, planned: &PlannedProblem) -> String {
    let Coordinates { group, train_size, temperature, .. } = &planned.coordinates;
    match (train_size, temperature) {
        (Some(size), Some(_)) if group.is_empty() => format!("{suite}/t{size}"),
        (Some(size), Some(_)) => format!("{suite}/{group}/t{size}"),
        _ => planned.series().to_owned(),
    }
}

/// Returns the expected relative cost of a unit on each of the plan's problems, for any agent. It is a function of the
/// plan alone and an integer, so it is the same everywhere: training examples (those beyond a batch count little) times
/// features, plus fixed parts. So bundled agents are expected to cost one to three times as much at T = 100 as at 1,
/// and no more at 1,000. Problems that no suite here knows all cost alike.
pub fn expected_costs(plan: &Plan) -> Vec<u64> {
    let cost = |planned: &PlannedProblem| {
        let Coordinates { train_size, input_dim, .. } = &planned.coordinates;
        cost(train_size.unwrap_or(0), input_dim.unwrap_or(0))
    };
    plan.problems.iter().map(cost).collect()
}

fn cost(train_size: u32, input_dim: u32) -> u64 {
    let examples = u64::from(train_size);
    let learnt = examples.min(BATCH) + examples / READING;
    (learnt + FIXED_EXAMPLES) * (u64::from(input_dim) + FIXED_FEATURES)
}

#[cfg(test)]
mod tests {
    use super::{expected_costs, size_classes};
    use jointly_host::Limits;
    use jointly_record::plan::Plan;

    fn plan(suite: &str) -> Plan {
        crate::plans::of_classification(
            &jointly_classification::suite(suite).unwrap(),
            0.into(),
            Limits::default(),
            Vec::new(),
        )
    }

    #[test]
    fn problems_of_one_size_are_of_one_class() {
        let classes = |suite: &str| {
            let classes = size_classes(&plan(suite)).into_iter();
            classes.map(|class| (class.name, class.problems.len())).collect::<Vec<_>>()
        };
        assert_eq!(classes("quick"), [("quick/t10".to_owned(), 9), ("quick/t100".to_owned(), 9)]);
        assert_eq!(classes("testbed").len(), 7);
        let dyadic = classes("testbed/dyadic");
        assert!(dyadic.contains(&("testbed/dyadic/d100/t1000".to_owned(), 15)), "{dyadic:?}");
        let regression = |suite: &str| {
            let suite = jointly_regression::regression_suite(suite).unwrap();
            let plan = crate::plans::of_regression(&suite, 0.into(), Limits::default(), Vec::new(), None);
            size_classes(&plan).into_iter().map(|class| (class.name, class.problems.len())).collect::<Vec<_>>()
        };
        assert_eq!(regression("coverage/gap"), [("coverage/gap".to_owned(), 100)]);
        assert!(regression("quick/active").contains(&("quick/active/d5/batch-mig".to_owned(), 3)));
    }

    #[test]
    fn larger_problems_are_expected_to_cost_more() {
        let quick = expected_costs(&plan("quick"));
        assert!(quick[..9].iter().all(|cost| *cost == quick[0]) && quick[17] > quick[0], "{quick:?}");
        let real = plan("testbed/real");
        let costs = expected_costs(&real);
        let of = |name: &str| costs[real.problems.iter().position(|problem| problem.problem.contains(name)).unwrap()];
        assert!(of("/iris/t10/") < of("/iris/tfull/") && of("/iris/tfull/") < of("/mnist/t1000/"));
    }
}
