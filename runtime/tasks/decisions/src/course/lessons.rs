//! Active learning: how well an agent predicts after each purchase of labels, and which it buys next.

use jointly_classification::{EnvironmentSpec, EvaluateError, Evaluation, Problem, Source, TestInputs, evaluate};
use jointly_core::Seed;
use jointly_core::classifier::Model;
use jointly_core::coordinates::Coordinates;
use jointly_core::estimate::Partitioning;
use jointly_core::matrix::Matrix;
use jointly_core::pick;
use jointly_core::stream::Stream;

use super::sampled::{Question, each_function};
use crate::priority::{Averages, Priority};
use crate::score::Lesson;

/// The taus of marginal and joint predictions, as in the reference implementation.
const TAUS: [u32; 2] = [1, 10];
/// The number of tau-samples.
const SAMPLES: u32 = 500;

/// Scores an agent after a number of labels, at new inputs of the environment. `name` is that of the problem's streams, by
/// which all lessons have the same environment and tau-samples.
pub(super) fn lesson<M: Model>(
    model: &mut M,
    environment: &EnvironmentSpec,
    (name, seed): (&str, Seed),
    labels: u32,
    draws: u32,
) -> Result<Lesson, EvaluateError<M::Error>> {
    let problem = Problem {
        name: name.to_owned(),
        source: Source::Synthetic {
            environment: environment.clone(),
            train_size: 1,
            test_inputs: TestInputs::Independent,
        },
        coordinates: Coordinates::default(),
    };
    let evaluation = Evaluation {
        taus: TAUS.to_vec(),
        samples: SAMPLES,
        draws,
        precision: None,
        partition: Partitioning::default(),
        planes: 0,
        clip: true,
        partition_above: TAUS[1],
    };
    let scores = evaluate(model, &problem, &problem.instance(seed), &evaluation, seed, &mut |_| ())?;
    Ok(Lesson { labels, marginal: scores.joint[0].1, joint: scores.joint[1].1 })
}

/// Returns all inputs, the one whose label is bought first at the beginning. `source` orders inputs of equal priority.
pub(super) fn choose<M: Model>(
    model: &mut M,
    pool: &Matrix,
    question: Question,
    priority: Priority,
    mut source: Stream,
) -> Result<Vec<usize>, EvaluateError<M::Error>> {
    let mut order = pick::prefix(pool.rows(), pool.rows(), &mut source);
    if priority != Priority::Uniform {
        let mut averages = Averages::new(pool.rows(), question.classes);
        each_function(model, pool, question, |named, function| averages.add(function, named.len() as f64))?;
        let values = priority.of(&averages);
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    }
    Ok(order)
}
