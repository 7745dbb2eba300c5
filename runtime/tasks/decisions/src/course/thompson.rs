//! Thompson sampling: each action is the best by a function that is sampled from an agent.

use jointly_classification::EvaluateError;
use jointly_core::classifier::Model;
use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use super::sampled::{Question, each_function};
use crate::arms::REWARDED;
use crate::ties::one_of;

/// Returns the action of each of `steps` steps: step i takes a best action by draw i mod K of the K that are asked for.
///
/// `tie` makes the stream that chooses among equally good actions in a step.
pub(super) fn choose<M: Model>(
    model: &mut M,
    actions: &Matrix,
    question: Question,
    steps: usize,
    tie: impl Fn(usize) -> Stream,
) -> Result<Vec<usize>, EvaluateError<M::Error>> {
    let (draws, classes) = (question.numbers.len(), question.classes);
    let mut chosen = vec![0; steps];
    each_function(model, actions, question, |named, function| {
        let best = maxima(function, classes);
        for step in named.iter().flat_map(|&index| (index..steps).step_by(draws)) {
            chosen[step] = one_of(&best, || tie(step));
        }
    })?;
    Ok(chosen)
}

/// Returns the actions whose probability of a reward is the largest.
fn maxima(probs: &[f32], classes: usize) -> Vec<usize> {
    let rewards = || probs.chunks_exact(classes).map(|row| row[REWARDED]);
    let most = rewards().fold(0.0, f32::max);
    rewards().enumerate().filter(|(_, reward)| *reward == most).map(|(action, _)| action).collect()
}

#[cfg(test)]
mod tests {
    use super::maxima;

    #[test]
    fn equally_good_actions_are_all_best() {
        assert_eq!(maxima(&[0.9, 0.1, 0.2, 0.8, 0.2, 0.8], 2), [1, 2]);
        assert_eq!(maxima(&[1.0, 0.0, 1.0, 0.0], 2), [0, 1]);
    }
}
