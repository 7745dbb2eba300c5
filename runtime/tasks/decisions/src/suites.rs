//! Suites of decisions. A suite is data.

use jointly_classification::{EnvironmentSpec, Initialization};
use jointly_core::coordinates::{Coordinates, Repetition};
use jointly_core::interface::Interface;

use crate::objective::Objective;
use crate::options::{DecisionOptions, DecisionOptionsError};
use crate::priority::Priority;
use crate::problem::{DecisionProblem, Setting};
use crate::rule::Rule;

/// Temperatures of the environments' softmax, as in the testbed.
const TEMPERATURES: [f64; 3] = [0.01, 0.1, 0.5];
/// The most draws of a search: their values at 1000 inputs take 400 MB.
const MOST_SEARCH_DRAWS: u32 = 1 << 14;
/// The most draws times actions of a search: for each action, the host compares the values of all draws at 1000 inputs.
const MOST_SEARCH_WORK: u64 = 1 << 24;
/// Classes of active learning. With two, entropy, margin and least confidence are one priority.
const CLASSES: u32 = 3;

/// A named list of problems and their options.
#[derive(Clone, Debug)]
pub struct DecisionSuite {
    /// The name on the command line.
    pub name: String,
    /// A one-line summary for users.
    pub summary: String,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<DecisionProblem>,
    /// The options of each problem.
    pub options: DecisionOptions,
}

impl DecisionSuite {
    /// Checks the options, and that an agent is trained at all: a problem's first actions are random.
    ///
    /// # Errors
    /// When a number is out of its range.
    pub fn check(&self) -> Result<(), DecisionOptionsError> {
        self.options.check()?;
        if self.interface() == Interface::Regression {
            let DecisionOptions { draws, steps, .. } = self.options;
            if draws > MOST_SEARCH_DRAWS {
                return Err(DecisionOptionsError {
                    field: "draws",
                    value: draws.to_string(),
                    expected: format!(
                        "at most {MOST_SEARCH_DRAWS}: each has a value at every input that may be chosen"
                    ),
                });
            }
            if u64::from(draws) * u64::from(steps) > MOST_SEARCH_WORK {
                return Err(DecisionOptionsError {
                    field: "steps",
                    value: steps.to_string(),
                    expected: format!("at most {} with {draws} draws", MOST_SEARCH_WORK / u64::from(draws)),
                });
            }
        }
        let random = self.problems.iter().map(DecisionProblem::first).max().unwrap_or(0);
        if self.options.steps <= random {
            return Err(DecisionOptionsError {
                field: "steps",
                value: self.options.steps.to_string(),
                expected: format!("at least {}: the first {random} actions are random", random + 1),
            });
        }
        Ok(())
    }

    /// Returns the interface that its agents support.
    pub fn interface(&self) -> Interface {
        match self.problems.first().map(|problem| &problem.setting) {
            Some(Setting::Search { .. }) => Interface::Regression,
            _ => Interface::Classification,
        }
    }

    /// Returns text for users about the seconds per problem on one core, measured like [those of
    /// classification](jointly_classification::Suite::cost).
    pub fn cost(&self) -> &'static str {
        match self.name.as_str() {
            "quick/decisions/bandit" => {
                "on one core, seconds a problem: knn 0.1, mlp and laplace 0.6, ensemble at size=10, dropout and bbb 5 to 6, \
                 hypermodel 18"
            }
            "quick/decisions/optimize" => {
                "on one core, seconds a problem: linear 0.1, dropout and ensemble 0.4, bbb 2, gp and svgp 3, nkn 4, hmc 11"
            }
            "quick/decisions/active" => {
                "on one core, seconds a problem: knn 0.1, mlp 0.2, laplace 1, ensemble at size=10 2, bbb 6, dropout 7, hypermodel 10"
            }
            "decisions/bandit" => {
                "on one core, seconds a problem: knn 0.1, mlp 3; of others only quick/decisions/bandit was measured"
            }
            "decisions/active" => "on one core, seconds a problem: knn 0.3, mlp 2, laplace and ensemble at size=10 15",
            _ => {
                "on one core, seconds a problem: linear 2, dropout and ensemble 4, bbb 14, gp by thompson 3 and by improvement 50 to 100"
            }
        }
    }
}

/// Returns all suites of decisions.
pub fn decision_suites() -> Vec<DecisionSuite> {
    vec![
        bandit(
            "quick/decisions/bandit",
            "a glance at decisions in minutes: bandits in d 2, temperatures 0.01, 0.1 and 0.5, 2 seeds",
            &[2],
            2,
            DecisionOptions { draws: 250, steps: 300, growth: 1.0 },
        ),
        bandit(
            "decisions/bandit",
            "regret of Thompson sampling: bandits of 50 d actions in d 2 and 10, temperatures 0.01, 0.1 and 0.5, 10 seeds",
            &[2, 10],
            10,
            DecisionOptions { draws: 1000, steps: 10_000, growth: 0.25 },
        ),
        search(
            "quick/decisions/optimize",
            "a glance at searches in minutes: Branin, Hartmann's function of 3 and random networks in d 2, by two rules, 1 seed",
            &[Objective::Branin, Objective::Hartmann3, Objective::Network(2)],
            1,
            DecisionOptions { draws: 250, steps: 40, growth: 0.5 },
        ),
        search(
            "decisions/optimize",
            "searches for a function's largest value by agents of regression: Branin, Hartmann 3 and 6, Ackley, linear functions \
             and random networks, by Thompson sampling and expected improvement, 10 seeds",
            &[
                Objective::Branin,
                Objective::Hartmann3,
                Objective::Hartmann6,
                Objective::Ackley,
                Objective::Linear,
                Objective::Network(2),
                Objective::Network(10),
            ],
            10,
            DecisionOptions { draws: 1000, steps: 100, growth: 0.1 },
        ),
        active(
            "quick/decisions/active",
            "a glance at active learning in minutes: three classes in d 2, by six priorities, 1 seed",
            &[2],
            1,
            DecisionOptions { draws: 250, steps: 40, growth: 1.0 },
        ),
        active(
            "decisions/active",
            "labels bought by six priorities, and the joint KL that they lead to: three classes in d 2 and 10, 10 seeds",
            &[2, 10],
            10,
            DecisionOptions { draws: 1000, steps: 300, growth: 0.25 },
        ),
    ]
}

/// Returns the suite of decisions with this name, if it exists.
pub fn decision_suite(name: &str) -> Option<DecisionSuite> {
    decision_suites().into_iter().find(|suite| suite.name == name)
}

fn bandit(name: &str, summary: &str, dimensions: &[u32], seeds: u32, options: DecisionOptions) -> DecisionSuite {
    let mut problems = Vec::new();
    for &input_dim in dimensions {
        for temperature in TEMPERATURES {
            let group = format!("d{input_dim}");
            let series = format!("{name}/{group}/temp{temperature}");
            let environment = testbed(input_dim, 2, temperature);
            problems.extend((0..seeds).map(|seed| DecisionProblem {
                name: format!("{series}/seed{seed}"),
                setting: Setting::Bandit(environment.clone()),
                coordinates: Coordinates {
                    series: series.clone(),
                    group: group.clone(),
                    input_dim: Some(input_dim),
                    temperature: Some(temperature),
                    repetition: Some(Repetition::Seed(seed)),
                    ..Coordinates::default()
                },
            }));
        }
    }
    DecisionSuite { name: name.to_owned(), summary: summary.to_owned(), problems, options }
}

fn active(name: &str, summary: &str, dimensions: &[u32], seeds: u32, options: DecisionOptions) -> DecisionSuite {
    let temperature = TEMPERATURES[1];
    let of_dimension = |&input_dim: &u32| {
        let environment = testbed(input_dim, CLASSES, temperature);
        let setting = |priority: Priority| Setting::Labels { environment: environment.clone(), priority };
        let rules = Priority::ALL.map(|priority| (priority.name(), setting(priority)));
        let coordinates = Coordinates {
            group: format!("d{input_dim}"),
            input_dim: Some(input_dim),
            temperature: Some(temperature),
            ..Coordinates::default()
        };
        by_rules(name, seeds, &coordinates, &rules)
    };
    let problems = dimensions.iter().flat_map(of_dimension).collect();
    DecisionSuite { name: name.to_owned(), summary: summary.to_owned(), problems, options }
}

/// Returns the testbed's distribution of environments.
fn testbed(input_dim: u32, num_classes: u32, temperature: f64) -> EnvironmentSpec {
    EnvironmentSpec {
        input_dim,
        num_classes,
        temperature,
        hidden: vec![50, 50],
        initialization: Initialization::Testbed,
    }
}

fn search(name: &str, summary: &str, objectives: &[Objective], seeds: u32, options: DecisionOptions) -> DecisionSuite {
    let of_objective = |&objective: &Objective| {
        let rules = Rule::ALL.map(|rule| (rule.name(), Setting::Search { objective, rule }));
        let coordinates =
            Coordinates { group: objective.name(), input_dim: Some(objective.input_dim()), ..Coordinates::default() };
        by_rules(name, seeds, &coordinates, &rules)
    };
    let problems = objectives.iter().flat_map(of_objective).collect();
    DecisionSuite { name: name.to_owned(), summary: summary.to_owned(), problems, options }
}

/// Returns the problems of a group, by seed and then by rule. All rules of a seed have the same data, and are one cluster.
fn by_rules(suite: &str, seeds: u32, coordinates: &Coordinates, rules: &[(&str, Setting)]) -> Vec<DecisionProblem> {
    let group = &coordinates.group;
    let problem = |seed: u32, (rule, setting): &(&str, Setting)| DecisionProblem {
        name: format!("{suite}/{group}/seed{seed}/{rule}"),
        setting: setting.clone(),
        coordinates: Coordinates {
            series: format!("{suite}/{group}/{rule}"),
            cluster: format!("{group}/seed{seed}"),
            acquisition: Some((*rule).to_owned()),
            repetition: Some(Repetition::Seed(seed)),
            ..coordinates.clone()
        },
    };
    (0..seeds).flat_map(|seed| rules.iter().map(move |rule| problem(seed, rule))).collect()
}

#[cfg(test)]
mod tests {
    use super::decision_suites;

    #[test]
    fn suites_pass_their_own_checks_and_name_each_problem_once() {
        for suite in decision_suites() {
            assert_eq!(suite.check(), Ok(()));
            let mut names: Vec<&str> = suite.problems.iter().map(|problem| problem.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), suite.problems.len(), "{}", suite.name);
        }
    }

    #[test]
    fn the_full_bandit_trains_about_forty_times() {
        let suite = super::decision_suite("decisions/bandit").unwrap();
        assert_eq!(suite.problems.len(), 2 * 3 * 10);
        let trainings = |at: usize| suite.problems[at].schedule(&suite.options).trainings();
        assert_eq!((trainings(0), trainings(59)), (39, 32));
        assert_eq!((suite.problems[0].actions(), suite.problems[59].actions()), (100, 500));
    }

    #[test]
    fn the_full_search_trains_about_thirty_times() {
        let suite = super::decision_suite("decisions/optimize").unwrap();
        assert_eq!(suite.problems.len(), 7 * 10 * 2);
        let trainings = |at: usize| suite.problems[at].schedule(&suite.options).trainings();
        assert_eq!((trainings(0), trainings(139)), (35, 19));
    }
}
