//! Suites: lists of problems and the evaluation of predictions on them. A suite is data.

use std::num::NonZeroU32;

use crate::Evaluation;
use jointly_core::coordinates::{Coordinates, Repetition};
use jointly_data::{Card, Kind, RealProblem, cards};

use crate::environment::{EnvironmentSpec, Initialization};
use crate::problem::{Problem, Source};
use crate::test_inputs::TestInputs;

/// Temperatures of the testbed's softmax, from strong signal to weak.
const TEMPERATURES: [f64; 3] = [0.01, 0.1, 0.5];
/// Input dimensions of the dyadic suites.
const DIMENSIONS: [u32; 3] = [2, 10, 100];
/// Numbers of classes, and input dimensions, of the suite with more classes.
const CLASSES: [u32; 4] = [2, 3, 5, 10];
const DIMENSIONS_OF_CLASSES: [u32; 2] = [2, 10];
/// Number of anchors of the test inputs of both.
const ANCHORS: NonZeroU32 = NonZeroU32::new(2).unwrap();
/// Number of hyperplanes for real data in the reference implementation.
const PLANES_FOR_DATA: u32 = 10;

/// Datasets of the reduced suite of real data.
const QUICK_DATASETS: [&str; 4] = ["iris", "wine-quality", "german-credit", "mnist-t10k"];

/// The name of the suite of problems that are given as files.
pub const IMPORTED: &str = "imported";

/// A named list of problems and their evaluation.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name on the command line.
    pub name: String,
    /// A one-line summary for users.
    pub summary: String,
    /// The evaluation options of each problem.
    pub evaluation: Evaluation,
    /// The problems, in the order in which results are reduced.
    pub problems: Vec<Problem>,
}

/// Returns all built-in suites.
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
        dyadic(
            "quick/dyadic",
            "a glance at the dyadic testbed in minutes: d 2, 10 and 100, T 10 d, temperatures 0.01, 0.1 and 0.5, 2 seeds",
            &[10],
            2,
            Evaluation { samples: 100, draws: 250, planes: 5, taus: vec![1, 10], ..Evaluation::testbed() },
        ),
        dyadic(
            "testbed/dyadic",
            "the Neural Testbed in more dimensions: d 2, 10 and 100, T d to 1000 d, temperatures 0.01, 0.1 and 0.5, 5 seeds; \
             each of 10 test inputs is one of two",
            &[1, 10, 100, 1000],
            5,
            Evaluation { taus: vec![1, 10], ..Evaluation::testbed() },
        ),
        classes(
            "testbed/classes",
            "the Neural Testbed of more classes: K 2, 3, 5 and 10, d 2 and 10, T 10 d and 100 d, temperatures 0.01, 0.1 and 0.5, \
             5 seeds; each of 10 test inputs is one of two",
            &[10, 100],
            5,
            Evaluation { taus: vec![1, 10], ..Evaluation::testbed() },
        ),
        real(
            "quick/real",
            "a glance at real data in minutes: three tables and the test images of MNIST, T 1, 10, 100 and, of tables, all, \
             2 seeds, tau 1 and 100",
            cards().iter().filter(|card| QUICK_DATASETS.contains(&card.name)),
            |card| if card.kind == Kind::Table { vec![1, 10, 100, card.train_size] } else { vec![1, 10, 100] },
            2,
            Evaluation { samples: 100, draws: 250, planes: 5, ..Evaluation::testbed() },
        ),
        real(
            "testbed/real",
            "real data of the paper: ten datasets, T 1 to 10000 and all, 5 seeds, tau 1 and 100",
            cards().iter().filter(|card| card.in_paper),
            |card| vec![1, 10, 100, 1000, 10_000, card.train_size],
            5,
            Evaluation { planes: PLANES_FOR_DATA, ..Evaluation::testbed() },
        ),
    ]
}

/// Returns the suite with this name, if it exists.
pub fn suite(name: &str) -> Option<Suite> {
    suites().into_iter().find(|suite| suite.name == name)
}

fn testbed(name: &str, summary: &str, train_sizes: &[u32], seeds: u32, evaluation: Evaluation) -> Suite {
    let mut problems = Vec::new();
    for &train_size in train_sizes {
        for temperature in TEMPERATURES {
            for seed in 0..seeds {
                problems.push(synthetic(name, "", (2, 2), (train_size, temperature, seed), TestInputs::Independent));
            }
        }
    }
    Suite { name: name.to_owned(), summary: summary.to_owned(), evaluation, problems }
}

/// Creates a suite with several input dimensions, `examples` training examples per dimension, and dyadic test inputs.
fn dyadic(name: &str, summary: &str, examples: &[u32], seeds: u32, evaluation: Evaluation) -> Suite {
    let mut problems = Vec::new();
    for dim in DIMENSIONS {
        for train_size in examples.iter().map(|&examples| dim * examples) {
            for temperature in TEMPERATURES {
                let inputs = TestInputs::Anchored { anchors: ANCHORS };
                for seed in 0..seeds {
                    problems.push(synthetic(
                        name,
                        &format!("d{dim}"),
                        (dim, 2),
                        (train_size, temperature, seed),
                        inputs,
                    ));
                }
            }
        }
    }
    Suite { name: name.to_owned(), summary: summary.to_owned(), evaluation, problems }
}

/// Creates a suite with several numbers of classes, `examples` training examples per dimension, and dyadic test inputs:
/// the labels of independent inputs would share almost no information in ten dimensions.
fn classes(name: &str, summary: &str, examples: &[u32], seeds: u32, evaluation: Evaluation) -> Suite {
    let mut problems = Vec::new();
    for num_classes in CLASSES {
        for dim in DIMENSIONS_OF_CLASSES {
            for train_size in examples.iter().map(|&examples| dim * examples) {
                for temperature in TEMPERATURES {
                    let inputs = TestInputs::Anchored { anchors: ANCHORS };
                    for seed in 0..seeds {
                        let (group, sizes) = (format!("k{num_classes}/d{dim}"), (dim, num_classes));
                        problems.push(synthetic(name, &group, sizes, (train_size, temperature, seed), inputs));
                    }
                }
            }
        }
    }
    Suite { name: name.to_owned(), summary: summary.to_owned(), evaluation, problems }
}

/// Creates a suite of datasets at the given numbers of training examples, where a dataset has that many.
fn real(
    name: &str,
    summary: &str,
    cards: impl Iterator<Item = &'static Card>,
    train_sizes: impl Fn(&Card) -> Vec<u32>,
    seeds: u32,
    evaluation: Evaluation,
) -> Suite {
    let mut problems = Vec::new();
    for card in cards {
        let mut sizes = train_sizes(card);
        sizes.retain(|&size| size <= card.train_size);
        for train_size in sizes {
            let size = if train_size == card.train_size { "full".to_owned() } else { train_size.to_string() };
            let series = format!("{name}/{}/t{size}", card.name);
            problems.extend((0..seeds).map(|seed| Problem {
                name: format!("{series}/seed{seed}"),
                source: Source::Real(RealProblem::new(card, train_size, seed)),
                coordinates: Coordinates {
                    series: series.clone(),
                    group: card.name.to_owned(),
                    // These problems train on nested or equal sets of the same examples, and are tested on the same
                    // held-out ones.
                    cluster: card.name.to_owned(),
                    input_dim: Some(card.input_dim),
                    train_size: Some(train_size),
                    classes: Some(card.num_classes),
                    repetition: Some(Repetition::Seed(seed)),
                    ..Coordinates::default()
                },
            }));
        }
    }
    Suite { name: name.to_owned(), summary: summary.to_owned(), evaluation, problems }
}

/// Creates a problem of a suite's group, with the given input dimension and number of classes and an environment of the
/// testbed.
fn synthetic(
    suite: &str,
    group: &str,
    (input_dim, num_classes): (u32, u32),
    (train_size, temperature, seed): (u32, f64, u32),
    test_inputs: TestInputs,
) -> Problem {
    let of_group = if group.is_empty() { suite.to_owned() } else { format!("{suite}/{group}") };
    let series = format!("{of_group}/t{train_size}/temp{temperature}");
    let environment = EnvironmentSpec {
        input_dim,
        num_classes,
        temperature,
        hidden: vec![50, 50],
        initialization: Initialization::Testbed,
    };
    Problem {
        name: format!("{series}/seed{seed}"),
        source: Source::Synthetic { environment, train_size, test_inputs },
        coordinates: Coordinates {
            series,
            group: group.to_owned(),
            input_dim: Some(input_dim),
            train_size: Some(train_size),
            temperature: Some(temperature),
            repetition: Some(Repetition::Seed(seed)),
            ..Coordinates::default()
        },
    }
}

impl Suite {
    /// Returns text for users about the seconds per problem on one core: the slowest problems of the suite, which have
    /// the most examples, measured with the bundled agents at their defaults by `jointly run AGENT --jobs 1`.
    pub fn cost(&self) -> &'static str {
        match self.name.as_str() {
            "testbed/dyadic" => {
                "on one core, seconds a problem: mlp 2, prior 37, ensemble 96, ensemble+ 126; at d 2, a tenth of it"
            }
            "quick/dyadic" => {
                "on one core, seconds a problem: mlp 1, prior 2, ensemble 92, ensemble+ 91; at size=10, a tenth"
            }
            "quick" => "on one core, seconds a problem: mlp 0.2, prior 0.5, ensemble and ensemble+ 8; at size=10, 1",
            "quick/real" => {
                "on one core, seconds a problem: mlp 1.3, prior 16, ensemble+ at size=10 13 on images, 1.5 on tables"
            }
            "testbed/real" => {
                "on one core, seconds a problem: on MNIST, mlp 2.3, ensemble+ at size=10 28; on tables, 0.3 and 2.5"
            }
            _ => {
                "on one core, seconds a problem: mlp 0.1, ensemble and ensemble+ 8, bbb, dropout and hypermodel 12 to 14, sgmcmc 37"
            }
        }
    }

    /// Combines problems read from files into one suite.
    pub fn imported(problems: Vec<Problem>) -> Self {
        Self {
            name: IMPORTED.to_owned(),
            summary: "problems read from files".to_owned(),
            evaluation: Evaluation { taus: Vec::new(), samples: 0, planes: PLANES_FOR_DATA, ..Evaluation::testbed() },
            problems,
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
    fn the_dyadic_testbed_has_as_many_examples_a_dimension() {
        let suite = suite("testbed/dyadic").unwrap();
        assert_eq!(suite.problems.len(), 3 * 4 * 3 * 5);
        let problem = suite.problems.iter().find(|p| p.name == "testbed/dyadic/d100/t10000/temp0.1/seed4").unwrap();
        assert_eq!(problem.task().input_dim, 100);
        assert_eq!((suite.evaluation.taus, suite.evaluation.samples), (vec![1, 10], 1000));
    }

    #[test]
    fn the_testbed_of_more_classes_has_each_number_in_each_dimension() {
        let suite = suite("testbed/classes").unwrap();
        assert_eq!(suite.problems.len(), 4 * 2 * 2 * 3 * 5);
        let problem = suite.problems.iter().find(|p| p.name == "testbed/classes/k5/d10/t1000/temp0.5/seed4").unwrap();
        assert_eq!((problem.task().num_classes, problem.task().input_dim), (5, 10));
        let labels: std::collections::BTreeSet<u32> =
            problem.instance(0.into()).train().labels().iter().copied().collect();
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn real_data_are_the_papers() {
        let suite = suite("testbed/real").unwrap();
        let count = |prefix: &str| suite.problems.iter().filter(|problem| problem.name.starts_with(prefix)).count();
        // T is 1, 10, 100 and all for 120 examples; up to 1000 for 5000; up to 10000 beyond.
        assert_eq!(count("testbed/real/iris/"), 4 * 5);
        assert_eq!(count("testbed/real/cmaterdb/"), 5 * 5);
        assert_eq!(count("testbed/real/emnist-letters/"), 6 * 5);
        assert_eq!(suite.problems.len(), (2 * 4 + 2 * 5 + 6 * 6) * 5);
        assert!(suite.problems.iter().any(|problem| problem.name == "testbed/real/iris/t10/seed0"));
        assert!(suite.problems.iter().any(|problem| problem.name == "testbed/real/mnist/tfull/seed4"));
        assert_eq!((suite.evaluation.samples, suite.evaluation.draws, suite.evaluation.planes), (1000, 1000, 10));
    }

    #[test]
    fn quick_real_data_are_few() {
        let suite = suite("quick/real").unwrap();
        assert_eq!(suite.problems.len(), (3 * 4 + 3) * 2);
        assert!(suite.problems.iter().all(|problem| problem.metric() == jointly_core::Metric::Nll));
    }

    #[test]
    fn every_suite_passes_its_own_checks() {
        for suite in suites() {
            assert!(suite.problems.iter().all(|problem| problem.fits(&suite.evaluation).is_ok()), "{}", suite.name);
        }
        assert_eq!(Suite::imported(Vec::new()).evaluation.check(), Ok(()));
    }

    #[test]
    fn names_are_unique() {
        for suite in suites() {
            let names: HashSet<_> = suite.problems.iter().map(|problem| &problem.name).collect();
            assert_eq!(names.len(), suite.problems.len());
        }
    }

    #[test]
    fn there_is_no_suite_of_another_name() {
        assert!(suite("nonesuch").is_none());
    }
}
