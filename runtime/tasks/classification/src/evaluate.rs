//! Scores a trained agent on a problem, in calls of bounded size.

mod audit;
mod block;
mod chunks;
mod error;

use std::ops::Range;

pub use audit::{Audit, Sample};
pub(crate) use block::Block;
use chunks::Budget;
pub use error::EvaluateError;

use crate::{Evaluation, ProblemScores};
use jointly_core::classifier::Model;
use jointly_core::estimate::DrawError;
use jointly_core::functions::Functions;
use jointly_core::metric::MarginalScores;
use jointly_core::tau_samples::TauSamples;
use jointly_core::{JointScore, Real, Seed};

use crate::problem::{Instance, Problem};
use crate::rule::Rule;

/// Scores a trained agent on a problem.
///
/// # Formula
/// For each tau, the score is the mean over N tau-samples of the problem's [`Metric`](jointly_core::Metric). The
/// agent's joint log-likelihood is estimated from draws 0..M by [`MonteCarlo`](jointly_core::estimate::MonteCarlo) up
/// to tau `partition_above` and by [`Partition`](jointly_core::estimate::Partition) above, or at
/// every tau from Monte Carlo corrected by the jackknife, if the evaluation asks for that. Accuracy and expected
/// calibration error are computed from the mean over draws at the rows of the first tau.
///
/// [`DrawError`] estimates the error of each joint score that is due to the finite number of draws.
///
/// With a [precision](Evaluation::precision), M is doubled from step to [step](Evaluation::steps) up to the evaluation's draws,
/// until every joint score [is precise](JointScore::is_precise). The agent is asked anew each time: all steps together cost at
/// most twice the last.
///
/// The agent is asked for each of its distinct functions once; the scores are bit-identical to those of asking for
/// every draw. One call returns at most 2^23 probabilities, unless one function at one tau-sample has more. The sizes
/// alone determine which calls are made. `progress` receives the fraction done, up to 1.
///
/// The first block of tau-samples of each tau is audited: the agent is called again for a few draws, not in canonical
/// form, at a few rows, in another order and alone.
///
/// # Errors
/// Returns errors of the model unchanged, and [`Inconsistent`](EvaluateError::Inconsistent) when an audited answer
/// differs in a bit: it then depends on the rest of the call, on earlier calls, or on a draw that its canonical draw
/// does not stand for.
/// # Panics
/// When `evaluation` does not [fit](Problem::fits) the problem, or when the model's answers have a wrong length.
pub fn evaluate<M: Model>(
    model: &mut M,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    seed: Seed,
    progress: &mut dyn FnMut(f64),
) -> Result<ProblemScores, EvaluateError<M::Error>> {
    let budget = Budget::default();
    let Some(Real(precision)) = evaluation.precision else {
        return evaluate_within(&budget, model, problem, instance, evaluation, seed, progress);
    };
    let mut left = 1.0;
    for draws in evaluation.steps() {
        let step = Evaluation { draws, ..evaluation.clone() };
        // Nobody knows how often draws will be doubled: each evaluation is half of what is left.
        let mut report = |fraction: f64| progress(1.0 - left * (1.0 - 0.5 * fraction));
        let scores = evaluate_within(&budget, model, problem, instance, &step, seed, &mut report)?;
        if draws == evaluation.draws || scores.reaches(precision, draws) {
            progress(1.0);
            return Ok(ProblemScores { draws: Some(draws), ..scores });
        }
        left *= 0.5;
    }
    unreachable!("the last step has all draws")
}

fn evaluate_within<M: Model>(
    budget: &Budget,
    model: &mut M,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    seed: Seed,
    progress: &mut dyn FnMut(f64),
) -> Result<ProblemScores, EvaluateError<M::Error>> {
    if let Err(error) = problem.fits(evaluation) {
        panic!("{}: {error}", problem.name);
    }
    let functions = Functions::of(evaluation.draws, |draws| model.canonical_draws(draws))?;
    let taus = problem.taus(evaluation);
    let samples = problem.samples(evaluation);
    let num_classes = problem.task().num_classes as usize;
    let metric = problem.metric();
    // Rows cost about the same at every tau, so the number of rows measures progress.
    let total_rows: f64 = taus.iter().map(|&tau| f64::from(tau) * f64::from(samples)).sum();
    let mut rows_done = 0.0;

    let mut marginals = MarginalScores::default();
    let mut joint = Vec::with_capacity(taus.len());
    for (i, &tau) in taus.iter().enumerate() {
        let rule =
            Rule { problem: problem.stream_name(), seed, tau, num_classes, marginals: i == 0, ..Rule::of(evaluation) };
        let chunks = budget.chunks(&rule, problem.task().input_dim, functions.draws.len());
        // A single function is alone in its cell, wherever the planes are.
        let rule = if functions.draws.len() == 1 { Rule { planes: 0, ..rule } } else { rule };
        let mut losses = Vec::new();
        let mut errors = DrawError::default();
        for block in chunks.blocks(samples) {
            let test = instance.test(tau, block.clone());
            let share = test.labels.len() as f64;
            let mut report = |fraction: f64| progress((rows_done + share * fraction) / total_rows);
            let block = evaluate_block(model, &functions, &rule, &test, block, chunks.draws, &mut report)?;
            let log_likelihoods = block.finish(&mut marginals, &mut errors);
            losses.extend(metric.losses(&log_likelihoods, test.log_likelihoods.as_deref()));
            rows_done += share;
        }
        joint.push((tau, JointScore::of(&losses, &errors)));
    }
    progress(1.0);
    Ok(ProblemScores {
        draws: None,
        joint,
        accuracy: marginals.accuracy(),
        ece: Real(marginals.ece()),
        marginal: marginals.values(),
        calibration: marginals.bins(),
    })
}

fn evaluate_block<'a, M: Model>(
    model: &mut M,
    functions: &Functions,
    rule: &'a Rule<'a>,
    test: &'a TauSamples,
    samples: Range<u32>,
    draws_a_call: usize,
    report: &mut dyn FnMut(f64),
) -> Result<Block<'a>, EvaluateError<M::Error>> {
    let mut audit = (samples.start == 0).then(|| Audit::of_rule(rule, functions, test.labels.len()));
    let mut block = Block::new(rule, samples, &test.labels);
    let calls = functions.draws.chunks(draws_a_call).zip(functions.counts.chunks(draws_a_call));
    let mut done = 0;
    for (draws, counts) in calls {
        let probs = model.sample_probs(&test.inputs, draws)?;
        block.add(&probs, counts);
        if let Some(audit) = &mut audit {
            audit.keep(&probs, done, draws.len());
        }
        done += draws.len();
        report(done as f64 / functions.draws.len() as f64);
    }
    if let Some(audit) = audit {
        audit.run(model.tolerance(), &mut |rows, draws| model.sample_probs(&test.inputs.select(rows), draws))?;
    }
    Ok(block)
}

#[cfg(test)]
mod tests;
