//! Scores a trained agent on a problem, in calls of bounded size.

mod block;
mod chunks;

pub(crate) use block::{Block, Rule};
use chunks::Budget;

use std::collections::HashMap;
use std::ops::Range;

use crate::classifier::Model;
use crate::metric::{CalibrationGaps, Metric};
use crate::problem::{Instance, Problem, TauSamples};
use crate::score::{ProblemScores, Score};
use crate::suite::Evaluation;

/// Scores a trained agent on a problem.
///
/// # Formula
/// For each tau, the mean over N tau-samples of the problem's [`Metric`], the agent's joint log-likelihood being
/// estimated from draws 0..M by [`MonteCarlo`](crate::estimate::MonteCarlo) up to tau `partition_above` and by
/// [`Partition`](crate::estimate::Partition) beyond. Accuracy and expected calibration error are those of the mean over
/// draws at the rows of the first tau.
///
/// The agent is asked for each of its distinct functions once; the scores are the same to the bit as if it had been
/// asked for every draw. One call returns at most 2^23 probabilities, unless one function at one tau-sample has more,
/// and which calls are made depends on nothing but the sizes. `progress` is told the fraction done, up to 1.
///
/// # Errors
/// Those of the model, as they are.
///
/// # Panics
/// When `evaluation` asks for no draws, more than [`MAX_DRAWS`](crate::estimate::MAX_DRAWS) or more than
/// [`MAX_PLANES`](crate::estimate::MAX_PLANES), when a tau is 0, or when the model's answers have a wrong length.
pub fn evaluate<M: Model>(
    model: &mut M,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<ProblemScores, M::Error> {
    evaluate_within(&Budget::default(), model, problem, instance, evaluation, seed, progress)
}

fn evaluate_within<M: Model>(
    budget: &Budget,
    model: &mut M,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    seed: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<ProblemScores, M::Error> {
    let functions = Functions::of(model, evaluation.draws)?;
    let taus = problem.taus(evaluation);
    let samples = problem.samples(evaluation);
    let num_classes = problem.task().num_classes as usize;
    let metric = problem.metric();
    // Rows cost about the same at every tau, so that they measure progress.
    let total_rows: f64 = taus.iter().map(|&tau| f64::from(tau) * f64::from(samples)).sum();
    let mut rows_done = 0.0;

    let mut gaps = CalibrationGaps::default();
    let mut joint = Vec::with_capacity(taus.len());
    for (i, &tau) in taus.iter().enumerate() {
        let rule = Rule { problem: &problem.name, seed, tau, num_classes, marginals: i == 0, ..Rule::of(evaluation) };
        let chunks = budget.chunks(&rule, problem.task().input_dim as usize, functions.draws.len());
        let mut losses = Vec::with_capacity(samples as usize);
        for block in chunks.blocks(samples) {
            let test = instance.test(tau, block.clone());
            let share = test.labels.len() as f64;
            let mut report = |fraction: f64| progress((rows_done + share * fraction) / total_rows);
            let log_likelihoods =
                evaluate_block(model, &functions, &rule, &test, block, chunks.draws, &mut gaps, &mut report)?;
            losses.extend(metric.losses(&log_likelihoods, test.log_likelihoods.as_deref()));
            rows_done += share;
        }
        joint.push((tau, Score::of(&losses)));
    }
    progress(1.0);
    Ok(ProblemScores { joint, accuracy: gaps.accuracy(), ece: gaps.error() })
}

#[expect(clippy::too_many_arguments, reason = "what one block needs, from one caller")]
fn evaluate_block<M: Model>(
    model: &mut M,
    functions: &Functions,
    rule: &Rule,
    test: &TauSamples,
    samples: Range<u32>,
    draws_a_call: usize,
    gaps: &mut CalibrationGaps,
    report: &mut dyn FnMut(f64),
) -> Result<Vec<f64>, M::Error> {
    let mut block = Block::new(rule, samples, &test.labels);
    let calls = functions.draws.chunks(draws_a_call).zip(functions.counts.chunks(draws_a_call));
    let mut done = 0;
    for (draws, counts) in calls {
        block.add(&model.sample_probs(&test.inputs, draws)?, counts);
        done += draws.len();
        report(done as f64 / functions.draws.len() as f64);
    }
    Ok(block.finish(gaps))
}

/// The distinct functions among draws 0..M, each with the number of draws that name it.
struct Functions {
    draws: Vec<u64>,
    counts: Vec<u64>,
}

impl Functions {
    fn of<M: Model>(model: &mut M, draws: u32) -> Result<Self, M::Error> {
        assert!(draws > 0, "an evaluation needs a draw");
        let all: Vec<u64> = (0..u64::from(draws)).collect();
        let canonical = model.canonical_draws(&all)?;
        assert_eq!(canonical.len(), all.len(), "one canonical draw a draw");
        let mut places = HashMap::new();
        let mut functions = Self { draws: Vec::new(), counts: Vec::new() };
        for draw in canonical {
            let place = *places.entry(draw).or_insert(functions.draws.len());
            if place == functions.draws.len() {
                functions.draws.push(draw);
                functions.counts.push(0);
            }
            functions.counts[place] += 1;
        }
        Ok(functions)
    }
}

impl Metric {
    /// The loss of each tau-sample.
    ///
    /// # Panics
    /// When this is the KL and the environment's log-likelihoods are not given.
    pub(crate) fn losses(self, agent: &[f64], environment: Option<&[f64]>) -> Vec<f64> {
        match self {
            Self::Nll => agent.iter().map(|l| -l).collect(),
            Self::Kl => {
                let environment = environment.expect("the KL is taken where the environment is known");
                environment.iter().zip(agent).map(|(e, l)| e - l).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
