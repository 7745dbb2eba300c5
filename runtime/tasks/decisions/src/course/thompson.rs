//! Thompson sampling: the actions that functions sampled from an agent hold for best.

use jointly_classification::EvaluateError;
use jointly_classification::evaluate::{Audit, Functions};
use jointly_core::classifier::Model;
use jointly_core::inputs::Inputs;
use jointly_core::matrix::Matrix;
use jointly_core::stream::Stream;

use crate::arms::REWARDED;

/// The most probabilities that one call returns, unless one function has more: 32 MiB.
const MOST_PROBS: usize = 1 << 23;
/// The number of classes: rewarded or not.
const CLASSES: usize = 2;

/// The best actions by each of an agent's sampled functions.
pub(super) struct Thompson {
    /// The best actions by each distinct function, more than one where they are equally good.
    best: Vec<Vec<u32>>,
    /// The index of each draw's function.
    places: Vec<u32>,
}

impl Thompson {
    /// Asks a model for draws 0..`draws` at all actions, and audits it. The audit chooses by a stream, and its messages
    /// name a place.
    pub(super) fn sample<M: Model>(
        model: &mut M,
        actions: &Matrix,
        draws: u32,
        (source, place): (Stream, String),
    ) -> Result<Self, EvaluateError<M::Error>> {
        let functions = Functions::of(draws, |draws| model.canonical_draws(draws))?;
        let inputs = Inputs::from(actions.clone());
        let width = actions.rows() * CLASSES;
        let mut audit = Audit::of(source, place, CLASSES, &functions, actions.rows());
        let mut best = Vec::with_capacity(functions.draws.len());
        for draws in functions.draws.chunks((MOST_PROBS / width).max(1)) {
            let probs = model.sample_probs(&inputs, draws)?;
            assert_eq!(probs.len(), width * draws.len(), "probabilities of every function at every action");
            audit.keep(&probs, best.len(), draws.len());
            best.extend(probs.chunks_exact(width).map(maxima));
        }
        audit.run(model.tolerance(), &mut |rows, draws| model.sample_probs(&inputs.select(rows), draws))?;
        Ok(Self { best, places: functions.places })
    }

    /// Returns the best actions by the function of a draw.
    pub(super) fn best(&self, draw: u32) -> &[u32] {
        &self.best[self.places[draw as usize] as usize]
    }
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
