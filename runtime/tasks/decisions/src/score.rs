//! The scores of one agent on one problem of decisions.

use jointly_core::Real;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The scores of one agent on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct DecisionScores {
    /// The course: stages in ascending order of their numbers of actions, the last after all of them.
    pub course: Vec<Stage>,
    /// The expected regret of an action that is chosen uniformly at random.
    pub uniform: Real,
    /// The number of trainings.
    pub trainings: u32,
}

/// What an agent's actions have cost up to a stage of the course.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Stage {
    /// The number of actions.
    pub steps: u32,
    /// The cumulative regret: the sum over actions of the best action's expected reward less that of the action taken.
    pub regret: Real,
}

/// Returns the numbers of actions at which a course of `steps` actions is recorded: 1, 2, 3 and 5 times each power of
/// ten, and the last.
pub(crate) fn stages(steps: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(10));
    let all = powers.flat_map(|power| [1_u32, 2, 3, 5].map(|times| power.saturating_mul(times)));
    all.take_while(|stage| *stage < steps).chain([steps]).collect()
}

#[cfg(test)]
mod tests {
    use super::stages;

    #[test]
    fn stages_are_even_on_a_logarithmic_axis_and_end_with_the_course() {
        assert_eq!(stages(100), [1, 2, 3, 5, 10, 20, 30, 50, 100]);
        assert_eq!(stages(120), [1, 2, 3, 5, 10, 20, 30, 50, 100, 120]);
        assert_eq!(stages(1), [1]);
        assert_eq!(stages(u32::MAX).last(), Some(&u32::MAX));
    }
}
