//! Scores a trained agent on a problem, in calls of bounded size.

mod audit;
mod block;
mod chunks;
mod error;
mod estimates;
mod functions;

use std::sync::Arc;

pub(crate) use audit::Audit;
pub(crate) use block::Block;
use chunks::Budget;
pub use error::EvaluateError;
use estimates::{Answer, Estimates, Part};
pub(crate) use functions::Functions;

use crate::Evaluation;
use crate::ProblemScores;
use jointly_core::Seed;
use jointly_core::classifier::Model;

use crate::problem::{Instance, Problem};
use crate::rule::Rule;

/// Scores a trained agent on a problem.
///
/// # Formula
/// For each tau, the score is the mean over N tau-samples of the problem's [`Metric`](jointly_core::Metric). The
/// agent's joint log-likelihood is estimated from draws 0..M by [`MonteCarlo`](jointly_core::estimate::MonteCarlo) up
/// to tau `partition_above` and by [`Partition`](jointly_core::estimate::Partition) above. Accuracy and expected
/// calibration error are computed from the mean over draws at the rows of the first tau.
///
/// [`DrawError`](jointly_core::estimate::DrawError) estimates the error of each joint score that is due to the finite
/// number of draws.
///
/// The agent is asked for each of its distinct functions once; the scores are bit-identical to those of asking for
/// every draw. One call returns at most 2^23 probabilities, unless one function at one tau-sample has more. The sizes
/// alone determine which calls are made. `progress` receives the fraction done, up to 1.
///
/// While the agent computes an answer, another thread of the calling pool adds the last one to the estimates and makes
/// the next test inputs, if it has nothing else to do. At most two answers are held.
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
pub fn evaluate<M: Model<Error: Send> + Send>(
    model: &mut M,
    problem: &Problem,
    instance: &Instance,
    evaluation: &Evaluation,
    seed: Seed,
    progress: &mut dyn FnMut(f64),
) -> Result<ProblemScores, EvaluateError<M::Error>> {
    evaluate_within(&Budget::default(), model, problem, instance, evaluation, seed, progress)
}

fn evaluate_within<M: Model<Error: Send> + Send>(
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
    let samples = problem.samples(evaluation);
    let rules = rules(problem, evaluation, functions.draws.len(), seed);
    let mut parts = rules
        .iter()
        .flat_map(|rule| {
            // The calls do not depend on what is estimated from few functions.
            let whole = Rule { planes: evaluation.planes, ..rule.clone() };
            let chunks = budget.chunks(&whole, problem.task().input_dim, functions.draws.len());
            chunks.blocks(samples).map(move |block| Part {
                rule,
                last: block.end == samples,
                samples: block,
                draws: chunks.draws,
            })
        })
        .peekable();
    let test = |part: &Part| instance.test(part.rule.tau, part.samples.clone());
    // Rows cost about the same at every tau, so the number of rows measures progress.
    let total_rows: f64 = rules.iter().map(|rule| f64::from(rule.tau) * f64::from(samples)).sum();
    let mut rows_done = 0.0;

    let mut estimates = Estimates::new(problem.metric());
    let mut waiting: Option<Answer> = None;
    let mut upcoming = parts.peek().map(test);
    while let Some(part) = parts.next() {
        let next = parts.peek();
        let asked = Arc::new(upcoming.take().expect("made during the last call"));
        let share = asked.labels.len() as f64;
        let mut audit = (part.samples.start == 0).then(|| Audit::of(part.rule, &functions, asked.labels.len()));
        let mut done = 0;
        let calls = functions.draws.chunks(part.draws).zip(functions.counts.chunks(part.draws));
        for (draws, counts) in calls {
            let last = done + draws.len() == functions.draws.len();
            let meanwhile = || {
                if let Some(answer) = waiting.take() {
                    estimates.add(&answer);
                }
                if last {
                    upcoming = next.map(test);
                }
            };
            let (probs, ()) = rayon::join(|| model.sample_probs(&asked.inputs, draws), meanwhile);
            let probs = probs?;
            if let Some(audit) = &mut audit {
                audit.keep(&probs, done, draws.len());
            }
            waiting =
                Some(Answer { part: part.clone(), test: Arc::clone(&asked), probs, counts, first: done == 0, last });
            done += draws.len();
            progress((rows_done + share * done as f64 / functions.draws.len() as f64) / total_rows);
        }
        if let Some(audit) = audit {
            audit.run(model.tolerance(), &mut |rows, draws| model.sample_probs(&asked.inputs.select(rows), draws))?;
        }
        rows_done += share;
    }
    if let Some(answer) = waiting {
        estimates.add(&answer);
    }
    progress(1.0);
    Ok(estimates.finish())
}

/// Returns the options of the estimates at each tau; marginals are scored at the first.
fn rules<'a>(problem: &'a Problem, evaluation: &Evaluation, functions: usize, seed: Seed) -> Vec<Rule<'a>> {
    let num_classes = problem.task().num_classes as usize;
    // A single function is alone in its cell, wherever the planes are.
    let planes = if functions == 1 { 0 } else { evaluation.planes };
    let shared = Rule { problem: problem.stream_name(), seed, num_classes, planes, ..Rule::of(evaluation) };
    let rule = |(i, &tau)| Rule { tau, marginals: i == 0, ..shared.clone() };
    problem.taus(evaluation).iter().enumerate().map(rule).collect()
}

#[cfg(test)]
mod tests;
