//! Tests of problems on real data, which can be described without their data.

use std::collections::HashSet;

use jointly_data::card;

use super::*;

fn real_problem(train_size: u32, repetition: u32) -> Problem {
    let real = RealProblem::new(card("iris").unwrap(), train_size, repetition);
    let name = format!("test/iris/t{train_size}/seed{repetition}");
    Problem { name, source: Source::Real(real), coordinates: Coordinates::default() }
}

#[test]
fn problems_of_a_dataset_are_one_cluster() {
    let clusters = |suite: &str| -> HashSet<String> {
        crate::suite(suite).unwrap().problems.into_iter().map(|problem| problem.coordinates.cluster).collect()
    };
    assert_eq!(clusters("quick/dyadic"), HashSet::from([String::new()]));
    let real = clusters("testbed/real");
    assert!(real.len() == 10 && real.contains("iris"), "{real:?}");
}

#[test]
fn a_problem_on_a_dataset_is_put_to_the_suites_evaluation() {
    let problem = real_problem(10, 0);
    let task = problem.task();
    assert_eq!((task.input_dim, task.num_classes, task.temperature, task.hidden_layers), (4, 3, Some(0.01), None));
    let evaluation = Evaluation::testbed();
    assert_eq!((problem.taus(&evaluation), problem.samples(&evaluation)), (vec![1, 100], 1000));
    assert_eq!(problem.metric(), Metric::Nll);
}
