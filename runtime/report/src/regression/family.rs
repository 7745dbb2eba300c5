//! The family that a problem of regression belongs to by its name: simulations of a process, splits of a table, datasets
//! of a dimension; and by what points are acquired.

use jointly_regression::Acquisition;
use jointly_score::scores::AgentScores;

use crate::view::View;

/// The coordinates of problems that are not averaged over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Family {
    /// `boston`, `d5` or `heteroscedastic`.
    pub(super) data: String,
    /// The acquisition function of active learning.
    pub(super) acquisition: Option<Acquisition>,
}

impl Family {
    /// Reads a name such as `correlations/active/boston/seed0/tig` or `coverage/line/sim7`.
    pub(super) fn of(suite: &str, problem: &str) -> Self {
        let last = |name: &str| {
            name.rsplit_once('/').map_or((String::new(), name.to_owned()), |(head, last)| (head.into(), last.into()))
        };
        let acquisition = Acquisition::of_problem(problem);
        let numbered = if acquisition.is_some() { last(problem).0 } else { problem.to_owned() };
        let (many, _) = last(&numbered);
        // A suite of one process bears its name.
        let data = match many.strip_prefix(suite).map(|rest| rest.trim_start_matches('/')) {
            Some("") => last(suite).1,
            Some(rest) => rest.to_owned(),
            None => many,
        };
        Self { data, acquisition }
    }
}

/// The families of a run's problems, in the plan's order.
pub(super) fn families(view: &View) -> Vec<Family> {
    let plan = view.scores.plan;
    let mut families: Vec<Family> = Vec::new();
    for planned in &plan.problems {
        let family = Family::of(&plan.suite, &planned.problem);
        if !families.contains(&family) {
            families.push(family);
        }
    }
    families
}

/// Names of what the data are, in the plan's order.
pub(super) fn datasets(view: &View) -> Vec<String> {
    let mut datasets: Vec<String> = Vec::new();
    for Family { data, .. } in families(view) {
        if !datasets.contains(&data) {
            datasets.push(data);
        }
    }
    datasets
}

/// An agent's score on each problem of some data that it has one on.
pub(super) fn values_on<'v>(view: &View, agent: &'v AgentScores, score: &'v str, data: &str) -> Vec<(&'v str, f64)> {
    let suite = &view.scores.plan.suite;
    let here = agent.by_problem(score).filter(|(problem, _)| Family::of(suite, problem.problem).data == *data);
    here.map(|(problem, scored)| (problem.problem, scored.value)).collect()
}

/// The number of problems that are of such a family and on which an agent failed.
pub(super) fn failures(view: &View, agent: &AgentScores, wanted: impl Fn(&Family) -> bool) -> usize {
    let suite = &view.scores.plan.suite;
    agent.failures.iter().filter(|(problem, _)| wanted(&Family::of(suite, problem))).count()
}

#[cfg(test)]
mod tests {
    use super::Family;
    use jointly_regression::Acquisition;

    #[test]
    fn names_of_all_suites_are_read() {
        let data = |suite: &str, problem: &str| Family::of(suite, problem).data;
        assert_eq!(data("coverage/line", "coverage/line/sim7"), "line");
        assert_eq!(data("quick/coverage", "quick/coverage/uci/yacht/split1"), "uci/yacht");
        assert_eq!(data("coverage/tables", "coverage/tables/energy/sim99"), "energy");
        assert_eq!(data("correlations/synthetic", "correlations/synthetic/d5/set3"), "d5");
        let active = Family::of("quick/active", "quick/active/boston/seed0/batch-mig");
        assert_eq!(active, Family { data: "boston".into(), acquisition: Some(Acquisition::BatchMig) });
    }

    #[test]
    fn every_problem_of_every_suite_has_a_family_of_its_own_kind() {
        for suite in jointly_regression::regression_suites() {
            for problem in &suite.problems {
                let Family { data, acquisition } = Family::of(&suite.name, &problem.name);
                assert!(!data.is_empty() && !data.contains("sim") && !data.contains("seed"), "{}", problem.name);
                assert_eq!(acquisition.is_some(), problem.asks_predictor(), "{}", problem.name);
            }
        }
    }
}
