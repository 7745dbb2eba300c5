//! Makes plans from suites, with the user's overrides of the suite's problems.

use std::num::NonZeroU32;

use jointly_classification::shift::{ShiftProblem, ShiftSuite};
use jointly_classification::{Initialization, Problem, Source, Suite, TestInputs};
use jointly_core::{Coordinates, Metric, Seed};
use jointly_decisions::{DecisionProblem, DecisionSuite};
use jointly_host::{ENGINE, INTERFACE, Limits};
use jointly_record::format::Format;
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem, ProblemOverrides, RegressionTerms, Terms, label};
use jointly_record::planned_table::PlannedTable;
use jointly_regression::{RegressionProblem, RegressionSuite, TableFile};

/// Returns the plan of agents, whose labels are derived, on a suite's problems.
pub fn of_classification(suite: &Suite, seed: Seed, limits: Limits, agents: Vec<PlannedAgent>) -> Plan {
    let problems = suite.problems.iter().map(planned).collect();
    let terms = Terms::Evaluation(suite.evaluation.clone());
    Plan { problem_overrides: problem_overrides(suite), ..plan(&suite.name, problems, terms, seed, limits, agents) }
}

/// Returns the plan of agents on the problems of a suite of regression.
pub fn of_regression(
    suite: &RegressionSuite,
    seed: Seed,
    limits: Limits,
    agents: Vec<PlannedAgent>,
    predictor: Option<PlannedAgent>,
) -> Plan {
    let problems = suite.problems.iter().map(planned_regression).collect();
    let terms = Terms::Regression(RegressionTerms { options: suite.options.clone(), predictor });
    plan(&suite.name, problems, terms, seed, limits, agents)
}

/// Returns the plan of agents on the problems of a suite of dataset shift.
pub fn of_shift(suite: &ShiftSuite, seed: Seed, limits: Limits, agents: Vec<PlannedAgent>) -> Plan {
    let problems = suite.problems.iter().map(planned_shift).collect();
    plan(&suite.name, problems, Terms::Shift(suite.options.clone()), seed, limits, agents)
}

/// Returns the plan of agents on the problems of a suite of decisions.
pub fn of_decisions(suite: &DecisionSuite, seed: Seed, limits: Limits, agents: Vec<PlannedAgent>) -> Plan {
    let planned = |problem: &DecisionProblem| planned_problem(&problem.name, Metric::Nll, None, &problem.coordinates);
    let problems = suite.problems.iter().map(planned).collect();
    plan(&suite.name, problems, Terms::Decisions(suite.options.clone()), seed, limits, agents)
}

/// Returns a plan in the current format, without overridden problems.
fn plan(
    suite: &str,
    problems: Vec<PlannedProblem>,
    terms: Terms,
    seed: Seed,
    limits: Limits,
    mut agents: Vec<PlannedAgent>,
) -> Plan {
    label(&mut agents);
    Plan {
        format: Format,
        version: env!("CARGO_PKG_VERSION").into(),
        interface: INTERFACE.into(),
        engine: ENGINE.into(),
        suite: suite.to_owned(),
        seed,
        limits,
        terms,
        problem_overrides: ProblemOverrides::default(),
        tables: Vec::new(),
        images: None,
        agents,
        problems,
    }
}

fn planned_problem(name: &str, metric: Metric, digest: Option<String>, coordinates: &Coordinates) -> PlannedProblem {
    PlannedProblem { problem: name.to_owned(), metric, digest, coordinates: coordinates.clone() }
}

/// Returns a problem of classification as it stands in the plan.
pub fn planned(problem: &Problem) -> PlannedProblem {
    let digest = match &problem.source {
        Source::Imported(imported) => Some(imported.digest.clone()),
        Source::Real(real) => real.data().map(|data| data.digest().to_owned()),
        Source::Synthetic { .. } => None,
    };
    planned_problem(&problem.name, problem.metric(), digest, &problem.coordinates)
}

/// Returns a problem of regression as it stands in the plan.
pub fn planned_regression(problem: &RegressionProblem) -> PlannedProblem {
    planned_problem(&problem.name, Metric::Nll, problem.digest(), &problem.coordinates)
}

/// Returns a problem of dataset shift as it stands in the plan.
pub fn planned_shift(problem: &ShiftProblem) -> PlannedProblem {
    planned_problem(&problem.name, Metric::Nll, problem.digest(), &problem.coordinates)
}

/// Returns a user-supplied table as it stands in the plan.
pub fn planned_table(file: &TableFile) -> PlannedTable {
    PlannedTable { file: file.file.clone(), digest: file.digest.clone() }
}

/// Returns the overrides of the problems of a suite.
pub fn problem_overrides(suite: &Suite) -> ProblemOverrides {
    // An override applies to all problems.
    let Some(mut problem) = suite.problems.first().cloned() else { return ProblemOverrides::default() };
    let own = jointly_classification::suite(&suite.name);
    let own = own.and_then(|own| own.problems.into_iter().find(|own| own.name == problem.name));
    let Some(mut own) = own else { return ProblemOverrides::default() };
    ProblemOverrides {
        anchors: overridden(anchors(&mut problem), anchors(&mut own)),
        initialization: overridden(initialization(&mut problem), initialization(&mut own)),
    }
}

fn overridden<T: Copy + PartialEq>(mine: Option<&mut T>, own: Option<&mut T>) -> Option<T> {
    mine.filter(|mine| own.is_none_or(|own| **mine != *own)).copied()
}

/// Returns the number of anchors of a problem's test inputs, if they are anchored.
pub(crate) fn anchors(problem: &mut Problem) -> Option<&mut NonZeroU32> {
    match &mut problem.source {
        Source::Synthetic { test_inputs: TestInputs::Anchored { anchors }, .. } => Some(anchors),
        Source::Synthetic { .. } | Source::Imported(_) | Source::Real(_) => None,
    }
}

/// Returns the distribution of the weights of a problem's environment, if it is sampled.
pub(crate) fn initialization(problem: &mut Problem) -> Option<&mut Initialization> {
    match &mut problem.source {
        Source::Synthetic { environment, .. } => Some(&mut environment.initialization),
        Source::Imported(_) | Source::Real(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::of_regression;
    use jointly_host::Limits;
    use jointly_record::plan::PlannedAgent;
    use jointly_record::settings::Settings;
    use jointly_regression::{AgentUnits, Noise, RegressionOptions, RegressionSuite, regression_suite};

    #[test]
    fn what_is_chosen_of_regression_is_named_as_an_option() {
        let mut suite = regression_suite("quick/coverage").unwrap();
        suite.problems.truncate(1);
        let plan = |suite: &RegressionSuite| of_regression(suite, 0.into(), Limits::default(), Vec::new(), None);
        let own = plan(&suite);
        assert_eq!((own.overrides(), own.override_options()), (String::new(), Vec::new()));
        (suite.options.draws, suite.options.noise) = (50, Noise::StudentT);
        let chosen = plan(&suite);
        assert_eq!(chosen.overrides(), ", 50 draws, student-t noise");
        assert_eq!(chosen.override_options().join(" "), "--draws 50 --noise student-t");
        assert_eq!(chosen.difference(&own).as_deref(), Some("draws 50, not 100"));
        let other = |change: fn(&mut RegressionOptions)| {
            let mut suite = regression_suite("quick/active").unwrap();
            suite.problems.truncate(1);
            change(&mut suite.options);
            plan(&suite).override_options().join(" ")
        };
        assert_eq!(other(|own| (own.pool, own.test) = (7, 8)), "--pool 7 --test 8");
        assert_eq!(other(|own| own.levels = vec![0.5, 0.57]), "--levels 50,57");
        assert_eq!(other(|own| (own.moment_draws, own.rounds) = (9, 1)), "--moment-draws 9 --rounds 1");
        assert_eq!(other(|own| own.standardize_synthetic = true), "--standardize");
        assert_eq!(other(|own| own.agent_units = Some(AgentUnits::Data)), "--agent-units data");
        suite.options.draws = own.draws();
        assert_eq!(plan(&suite).difference(&own).as_deref(), Some("noise student-t, not normal"));
        let predictor = PlannedAgent {
            agent: "gp".into(),
            label: "gp".into(),
            digest: String::new(),
            reported: None,
            settings: Settings::default(),
        };
        let led =
            |predictor: PlannedAgent| of_regression(&suite, 0.into(), Limits::default(), Vec::new(), Some(predictor));
        assert_eq!(led(predictor.clone()).overrides(), ", student-t noise, predicted by gp");
        let difference = plan(&suite).difference(&led(predictor.clone()));
        assert_eq!(difference.as_deref(), Some("predictor the agent that selects, not gp"));
        // Results of another predicting agent are not reused.
        let other = led(PlannedAgent { digest: "sha256:0".into(), ..predictor.clone() });
        let difference = led(predictor.clone()).other_conditions(&other);
        assert_eq!(difference.as_deref(), Some("other bytes of the agent that predicts"));
        assert_eq!(led(predictor.clone()).other_conditions(&led(predictor)), None);
    }
}
