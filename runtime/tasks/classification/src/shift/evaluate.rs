//! Scores a trained agent on a problem of dataset shift: in every condition, in calls of bounded size.

mod block;
mod condition;
mod means;

use std::borrow::Cow;

use block::Block;
use means::Means;

use jointly_core::functions::Functions;
use jointly_core::pick;
use jointly_core::stream::stream;
use jointly_core::{Inputs, Model, Seed, Task};

use super::instance::ShiftInstance;
use super::level::ShiftLevel;
use super::options::ShiftOptions;
use super::problem::ShiftProblem;
use super::score::{Condition, ConditionScores, DetectionScores, ShiftScores};
use crate::evaluate::{Audit, EvaluateError};
use crate::rule::Rule;

/// Number of probabilities that one call returns: 32 MiB.
const CALL_PROBS: usize = 1 << 23;
/// Bytes of inputs in one call.
const CALL_BYTES: usize = 64 << 20;

/// Scores a trained agent on a problem: at the unshifted test inputs, at every level of shift, and at the
/// out-of-distribution inputs.
///
/// The marginal prediction of an input is the mean over draws 0..M of its class probabilities. Joint scores of tau
/// inputs are computed on groups of tau test inputs. A random order of the test inputs determines the groups, which are
/// the same in every condition; inputs that do not fill a whole group are left out. The estimator is that of
/// [`evaluate`](crate::evaluate()).
///
/// The agent is asked for each of its distinct functions once. One call returns at most 2^23 probabilities and takes at
/// most 64 MiB of inputs, unless one function at the largest group has more. Each condition orders its inputs
/// differently, and the unshifted inputs come last, so that an agent cannot repeat for a shifted input its answer for
/// the unshifted one. In every condition, one call is audited at the end: the agent answers for a few of its draws and
/// inputs again, in another order and alone, because an agent that looks at all inputs of a call could detect the
/// shift. `progress` receives the fraction done, up to 1.
///
/// # Errors
/// Returns errors of the model unchanged, and [`Inconsistent`](EvaluateError::Inconsistent) when an audited answer
/// differs in a bit.
///
/// # Panics
/// When the options do not pass their [check](ShiftOptions::check), a level does not fit the problem's inputs, or the
/// model's answers have a wrong length.
pub fn evaluate_shift<M: Model>(
    model: &mut M,
    problem: &ShiftProblem,
    instance: &ShiftInstance,
    options: &ShiftOptions,
    seed: Seed,
    progress: &mut dyn FnMut(f64),
) -> Result<ShiftScores, EvaluateError<M::Error>> {
    evaluate_within(CALL_PROBS, model, problem, instance, options, seed, progress)
}

fn evaluate_within<M: Model>(
    call_probs: usize,
    model: &mut M,
    problem: &ShiftProblem,
    instance: &ShiftInstance,
    options: &ShiftOptions,
    seed: Seed,
    progress: &mut dyn FnMut(f64),
) -> Result<ShiftScores, EvaluateError<M::Error>> {
    if let Err(error) = options.check() {
        panic!("{}: {error}", problem.name);
    }
    let task = problem.task();
    let functions = Functions::of(options.draws, |draws| model.canonical_draws(draws))?;
    let count = instance.test.labels().len();
    let order = pick::prefix(count, count, &mut stream(seed, "test-order", problem.stream_name(), 0));
    let labels: Vec<u32> = order.iter().map(|&row| instance.test.labels()[row]).collect();
    let conditions: Vec<Condition> = std::iter::once(Condition::Unshifted)
        .chain(problem.taken(&options.levels).into_iter().map(Condition::Shifted))
        .chain(instance.outsiders.iter().map(|set| Condition::Outside(set.name.clone())))
        .collect();

    let name = problem.stream_name();
    let mut evaluation = Evaluation { call_probs, model, task: &task, functions: &functions, options, seed, name };
    let all = conditions.len() as f64;
    let num_classes = task.num_classes as usize;
    let mut asked: Vec<(Condition, Means)> = Vec::with_capacity(conditions.len());
    // The unshifted inputs come last: an agent could profit from remembering its answers for them.
    for (done, condition) in conditions.into_iter().rev().enumerate() {
        let mut report = |fraction: f64| progress((done as f64 + fraction) / all);
        let shifted = |level: &ShiftLevel| match instance.shifted(level) {
            Ok(inputs) => Cow::Owned(inputs),
            Err(error) => panic!("{}: {error}", problem.name),
        };
        let (inputs, labels) = match &condition {
            Condition::Unshifted => (Cow::Borrowed(instance.test.inputs()), Some(labels.as_slice())),
            Condition::Shifted(level) => (shifted(level), Some(labels.as_slice())),
            Condition::Outside(name) => {
                let outsiders = instance.outsiders.iter().find(|set| set.name == *name);
                (Cow::Borrowed(&outsiders.expect("a condition of the instance's").inputs), None)
            }
        };
        let as_they_come: Vec<usize>;
        let order = if labels.is_some() {
            &order
        } else {
            as_they_come = (0..inputs.rows()).collect();
            &as_they_come
        };
        let means = evaluation
            .means(&inputs, order, labels, &condition, &mut report)
            .map_err(|error| under(&condition, error))?;
        asked.push((condition, means));
    }
    asked.reverse();
    // Out-of-distribution inputs are detected against these predictions.
    let inside = asked[0].1.marginals.clone();
    let edges = condition::edges(&inside, num_classes);
    let scores = asked.into_iter().map(|(condition, means)| {
        let labels = (!matches!(condition, Condition::Outside(_))).then_some(labels.as_slice());
        let detection = labels.is_none().then(|| DetectionScores::of(&inside, &means.marginals, num_classes));
        let scored = condition::score(condition, means, labels, &edges, num_classes);
        ConditionScores { detection, ..scored }
    });
    let scores = scores.collect();
    progress(1.0);
    Ok(ShiftScores { conditions: scores, cost: None })
}

/// Adds the condition to an error about an inconsistent answer.
fn under<E>(condition: &Condition, error: EvaluateError<E>) -> EvaluateError<E> {
    match error {
        EvaluateError::Inconsistent(what) if *condition != Condition::Unshifted => {
            EvaluateError::Inconsistent(format!("{what} under {condition}"))
        }
        error => error,
    }
}

struct Evaluation<'a, M> {
    /// Number of probabilities that one call returns.
    call_probs: usize,
    model: &'a mut M,
    task: &'a Task,
    functions: &'a Functions,
    options: &'a ShiftOptions,
    seed: Seed,
    name: &'a str,
}

impl<M: Model> Evaluation<'_, M> {
    /// Predicts inputs in the given order, in which the labels are; joint predictions only with labels.
    fn means(
        &mut self,
        inputs: &Inputs,
        order: &[usize],
        labels: Option<&[u32]>,
        condition: &Condition,
        report: &mut dyn FnMut(f64),
    ) -> Result<Means, EvaluateError<M::Error>> {
        let mut block = Block::new(self.options, self.task, self.functions, self.seed, self.name);
        let rows = inputs.rows();
        let step = self.rows_a_call();
        let name = format!("{}/{condition}", self.name);
        let calls = rows.div_ceil(step);
        let audited = pick::prefix(calls, calls.min(1), &mut stream(self.seed, "audited-call", &name, 0));
        let mut kept = None;
        for (call, start) in (0..rows).step_by(step).enumerate() {
            let range = start..(start + step).min(rows);
            // The groups of a call stay the same; their inputs come in an order that depends on the condition.
            let asked =
                pick::prefix(range.len(), range.len(), &mut stream(self.seed, "asked-order", &name, call as u64));
            let places: Vec<usize> = asked.iter().map(|&place| order[range.start + place]).collect();
            let part = inputs.select(&places);
            let probs = self.probs(&part)?;
            block.add(&self.back_in_place(&probs, &asked), labels.map(|labels| &labels[range.clone()]), range.clone());
            if audited.contains(&call) {
                kept = Some((part, probs));
            }
            report(range.end as f64 / rows as f64);
        }
        if let Some((part, probs)) = kept {
            self.audit(&part, &probs, &name)?;
        }
        Ok(block.finish())
    }

    /// Reorders probabilities by input: `order[i]` is the index of the i-th row.
    fn back_in_place(&self, probs: &[f32], order: &[usize]) -> Vec<f32> {
        let num_classes = self.task.num_classes as usize;
        let mut placed = vec![0.0; probs.len()];
        let width = order.len() * num_classes;
        for (from, to) in probs.chunks_exact(width).zip(placed.chunks_exact_mut(width)) {
            for (row, &place) in from.chunks_exact(num_classes).zip(order) {
                to[place * num_classes..][..num_classes].copy_from_slice(row);
            }
        }
        placed
    }

    /// Returns the number of inputs in a call: as many whole groups of the largest tau as fit, at least one.
    fn rows_a_call(&self) -> usize {
        let group = self.options.taus.iter().copied().max().unwrap_or(1) as usize;
        let most = self.call_probs / (self.functions.draws.len() * self.task.num_classes as usize).max(1);
        let width = (self.task.input_dim as usize + self.task.tokens.columns()) * size_of::<f32>();
        let most = most.min(CALL_BYTES / width.max(1));
        (most / group).max(1) * group
    }

    /// Returns the probabilities of every function at every input, function by function.
    fn probs(&mut self, inputs: &Inputs) -> Result<Vec<f32>, M::Error> {
        let width = inputs.rows() * self.task.num_classes as usize;
        let draws_a_call = (self.call_probs / width.max(1)).max(1);
        let mut probs = Vec::with_capacity(width * self.functions.draws.len());
        for draws in self.functions.draws.chunks(draws_a_call) {
            let answer = self.model.sample_probs(inputs, draws)?;
            assert_eq!(answer.len(), width * draws.len(), "probabilities of every draw at every row");
            probs.extend(answer);
        }
        Ok(probs)
    }

    fn audit(&mut self, inputs: &Inputs, probs: &[f32], name: &str) -> Result<(), EvaluateError<M::Error>> {
        let rule = Rule {
            problem: name,
            seed: self.seed,
            tau: 1,
            num_classes: self.task.num_classes as usize,
            ..self.options.rule()
        };
        let mut audit = Audit::of_rule(&rule, self.functions, inputs.rows());
        audit.keep(probs, 0, self.functions.draws.len());
        audit.run(self.model.tolerance(), &mut |rows, draws| self.model.sample_probs(&inputs.select(rows), draws))
    }
}

#[cfg(test)]
mod tests;
