//! Thompson sampling: each action is the best by a function that is sampled from an agent.

use jointly_classification::EvaluateError;
use jointly_classification::evaluate::{Audit, Functions};
use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;
use jointly_core::pick::below;
use jointly_core::stream::Stream;

use crate::arms::REWARDED;

/// The most probabilities that one call returns, unless one function has more: 32 MiB.
const MOST_PROBS: usize = 1 << 23;
/// The number of classes: rewarded or not.
const CLASSES: usize = 2;

/// Returns the action of each step of a batch: step i takes a best action by draw `numbers[i % numbers.len()]`.
///
/// `tie` makes the stream that chooses among equally good actions in a step. `audit` has the stream by which the audit
/// chooses, and the place that its messages name.
pub(super) fn choose<M: Model>(
    model: &mut M,
    actions: &Matrix,
    (numbers, steps): (Vec<u64>, usize),
    tie: impl Fn(usize) -> Stream,
    audit: (Stream, String),
) -> Result<Vec<u32>, EvaluateError<M::Error>> {
    let draws = numbers.len();
    let functions = Functions::among(numbers, |draws| model.canonical_draws(draws))?;
    let mut steps_of: Vec<Vec<usize>> = vec![Vec::new(); functions.draws.len()];
    (0..steps).for_each(|step| steps_of[functions.places[step % draws] as usize].push(step));

    let inputs = Inputs::from(actions.clone());
    let width = actions.rows() * CLASSES;
    let mut audit = Audit::of(audit.0, audit.1, CLASSES, &functions, actions.rows());
    let mut chosen = vec![0; steps];
    let mut done = 0;
    for draws in functions.draws.chunks((MOST_PROBS / width).max(1)) {
        let probs = model.sample_probs(&inputs, draws)?;
        assert_eq!(probs.len(), width * draws.len(), "probabilities of every function at every action");
        audit.keep(&probs, done, draws.len());
        for (function, steps) in probs.chunks_exact(width).zip(&steps_of[done..]) {
            let best = maxima(function);
            for &step in steps {
                let place = if best.len() == 1 { 0 } else { below(best.len(), &mut tie(step)) };
                chosen[step] = best[place];
            }
        }
        done += draws.len();
    }
    audit.run(model.tolerance(), &mut |rows, draws| model.sample_probs(&inputs.select(rows), draws))?;
    Ok(chosen)
}

/// Returns the actions whose probability of a reward is the largest.
fn maxima(probs: &[f32]) -> Vec<u32> {
    let rewards = || probs.chunks_exact(CLASSES).map(|row| row[REWARDED]);
    let most = rewards().fold(0.0, f32::max);
    rewards().zip(0..).filter(|(reward, _)| *reward == most).map(|(_, action)| action).collect()
}

#[cfg(test)]
mod tests {
    use super::maxima;

    #[test]
    fn equally_good_actions_are_all_best() {
        assert_eq!(maxima(&[0.9, 0.1, 0.2, 0.8, 0.2, 0.8]), [1, 2]);
        assert_eq!(maxima(&[1.0, 0.0, 1.0, 0.0]), [0, 1]);
    }
}
