//! Suites: which problems, and how their predictions are evaluated. A suite is data.

use serde::{Deserialize, Serialize};

use crate::environment::{EnvironmentSpec, Initialization};
use crate::metric::Metric;
use crate::problem::{Problem, Source};

/// Temperatures of the testbed's softmax, from strong signal to weak.
const TEMPERATURES: [f64; 3] = [0.01, 0.1, 0.5];
/// The largest tau that plain Monte Carlo estimates well (appendix A.1 of the paper).
const MONTE_CARLO_UP_TO: u32 = 10;
/// Hyperplanes for real data in the reference implementation.
const PLANES_FOR_DATA: u32 = 10;

/// A named list of problems and the way they are evaluated.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name that the command takes.
    pub name: String,
    /// One line for a person.
    pub summary: String,
    /// How each problem is evaluated.
    pub evaluation: Evaluation,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<Problem>,
}

/// How predictions on a problem are evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Orders of the predictive distributions; an imported problem has its own instead.
    pub taus: Vec<u32>,
    /// Number N of test tau-samples; an imported problem has its own instead.
    pub samples: u32,
    /// Number M of functions sampled from the agent, at most [`MAX_DRAWS`](crate::estimate::MAX_DRAWS).
    pub draws: u32,
    /// Number of random hyperplanes that part the draws, at most [`MAX_PLANES`](crate::estimate::MAX_PLANES).
    pub planes: u32,
    /// Whether the partition clips probits as the reference implementation does; off is the paper's algorithm 4.
    pub clip: bool,
    /// The partition serves where tau is above this, Monte Carlo elsewhere.
    pub partition_above: u32,
}

/// All suites that come with the runtime.
pub fn suites() -> Vec<Suite> {
    vec![
        testbed(
            "quick",
            "a glance at the Neural Testbed in minutes: T 10 and 100, temperatures 0.01, 0.1 and 0.5, 3 seeds, tau 1 and 100",
            &[10, 100],
            3,
            Evaluation { samples: 100, draws: 250, planes: 5, ..Evaluation::testbed() },
        ),
        testbed(
            "testbed",
            "the Neural Testbed of the paper: T 1 to 1000, temperatures 0.01, 0.1 and 0.5, 10 seeds, tau 1 and 100",
            &[1, 3, 10, 30, 100, 300, 1000],
            10,
            Evaluation::testbed(),
        ),
    ]
}

/// The suite of that name, if there is one.
pub fn suite(name: &str) -> Option<Suite> {
    suites().into_iter().find(|suite| suite.name == name)
}

fn testbed(name: &str, summary: &str, train_sizes: &[u32], seeds: u32, evaluation: Evaluation) -> Suite {
    let mut problems = Vec::new();
    for &train_size in train_sizes {
        for temperature in TEMPERATURES {
            for seed in 0..seeds {
                let environment = EnvironmentSpec {
                    input_dim: 2,
                    num_classes: 2,
                    temperature,
                    hidden: vec![50, 50],
                    initialization: Initialization::Testbed,
                };
                problems.push(Problem {
                    name: format!("{name}/t{train_size}/temp{temperature}/seed{seed}"),
                    source: Source::Synthetic { environment, train_size },
                });
            }
        }
    }
    Suite { name: name.to_owned(), summary: summary.to_owned(), evaluation, problems }
}

impl Suite {
    /// Problems read from files, as one suite.
    pub fn imported(problems: Vec<Problem>) -> Self {
        Self {
            name: "imported".to_owned(),
            summary: "problems read from files".to_owned(),
            evaluation: Evaluation { taus: Vec::new(), samples: 0, planes: PLANES_FOR_DATA, ..Evaluation::testbed() },
            problems,
        }
    }

    /// The metric that all problems have in common, if they have one: the prefix of the suite's score names.
    pub fn metric_prefix(&self) -> Option<Metric> {
        let first = self.problems.first()?.metric();
        self.problems.iter().all(|problem| problem.metric() == first).then_some(first)
    }
}

impl Evaluation {
    /// The paper's numbers (appendix A.3) with the reference implementation's clip.
    pub fn testbed() -> Self {
        Self {
            taus: vec![1, 100],
            samples: 1000,
            draws: 1000,
            planes: 7,
            clip: true,
            partition_above: MONTE_CARLO_UP_TO,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_testbed_is_the_papers() {
        let suite = suite("testbed").unwrap();
        assert_eq!(suite.problems.len(), 210);
        assert!(suite.problems.iter().any(|problem| problem.name == "testbed/t10/temp0.1/seed3"));
        assert_eq!((suite.evaluation.samples, suite.evaluation.draws, suite.evaluation.planes), (1000, 1000, 7));
    }

    #[test]
    fn quick_is_small() {
        let suite = suite("quick").unwrap();
        assert_eq!(suite.problems.len(), 18);
        assert_eq!(suite.problems[0].name, "quick/t10/temp0.01/seed0");
    }

    #[test]
    fn names_are_unique() {
        for suite in suites() {
            let names: HashSet<_> = suite.problems.iter().map(|problem| &problem.name).collect();
            assert_eq!(names.len(), suite.problems.len());
            assert_eq!(suite.metric_prefix(), Some(Metric::Kl));
        }
    }

    #[test]
    fn there_is_no_suite_of_another_name() {
        assert!(suite("nonesuch").is_none());
    }
}
