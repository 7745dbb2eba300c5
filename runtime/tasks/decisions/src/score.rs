//! The scores of one agent on one problem of decisions.

use jointly_core::{Real, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::options::DecisionOptions;

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

/// The cost of an agent's actions up to a stage of the course.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Stage {
    /// The number of actions.
    pub steps: u32,
    /// The cumulative regret: the sum over actions of the best action's expected reward less that of the action taken.
    pub regret: Real,
}

impl DecisionScores {
    /// Describes what no course under these options has, if this one has it.
    pub(crate) fn impossible(&self, options: &DecisionOptions) -> Option<String> {
        if !self.course.iter().map(|stage| stage.steps).eq(stages(options.steps)) {
            return Some(format!("a course with other stages than those of {} actions", options.steps));
        }
        // Rewards are probabilities: an action's regret is from 0 to 1.
        let possible = |stage: &Stage| (0.0..=f64::from(stage.steps)).contains(&stage.regret.0);
        let falls = |pair: &[Stage]| pair[1].regret.0 < pair[0].regret.0;
        if let Some(stage) = self.course.iter().find(|stage| !possible(stage)) {
            return Some(format!("a regret of {} after {}", stage.regret.0, counted(stage.steps as usize, "action")));
        }
        if self.course.windows(2).any(falls) {
            return Some("a cumulative regret that falls".to_owned());
        }
        (!(0.0..=1.0).contains(&self.uniform.0)).then(|| format!("a regret of {} for a random action", self.uniform.0))
    }
}

/// Returns the numbers of actions at which a course of `steps` actions is recorded: 1, 2, 3 and 5 times each power of
/// ten, and the last.
pub fn stages(steps: u32) -> Vec<u32> {
    let powers = std::iter::successors(Some(1_u32), |power| power.checked_mul(10));
    let all = powers.flat_map(|power| [1_u32, 2, 3, 5].map(|times| power.saturating_mul(times)));
    all.take_while(|stage| *stage < steps).chain([steps]).collect()
}

#[cfg(test)]
mod tests {
    use super::{DecisionScores, Stage, stages};
    use crate::options::DecisionOptions;
    use jointly_core::Real;

    #[test]
    fn a_course_that_cannot_be_is_told() {
        let options = DecisionOptions { draws: 1, steps: 3, growth: 1.0 };
        let told = |regrets: &[(u32, f64)], uniform: f64| {
            let course = regrets.iter().map(|&(steps, regret)| Stage { steps, regret: Real(regret) }).collect();
            DecisionScores { course, uniform: Real(uniform), trainings: 1 }.impossible(&options).unwrap_or_default()
        };
        assert_eq!(told(&[(1, 0.5), (2, 0.5), (3, 1.2)], 0.4), "");
        let stages = "a course with other stages than those of 3 actions";
        for other in [&[][..], &[(1, 0.5), (2, 0.5)], &[(1, 0.5), (2, 0.5), (3, 1.2), (u32::MAX, 2.0)]] {
            assert_eq!(told(other, 0.4), stages);
        }
        assert_eq!(told(&[(1, 0.5), (2, 0.5), (3, 3.2)], 0.4), "a regret of 3.2 after 3 actions");
        assert_eq!(told(&[(1, -0.5), (2, 0.5), (3, 1.2)], 0.4), "a regret of -0.5 after 1 action");
        assert_eq!(told(&[(1, f64::NAN), (2, 0.5), (3, 1.2)], 0.4), "a regret of NaN after 1 action");
        assert_eq!(told(&[(1, 0.5), (2, 0.4), (3, 1.2)], 0.4), "a cumulative regret that falls");
        assert_eq!(told(&[(1, 0.5), (2, 0.5), (3, 1.2)], 1.5), "a regret of 1.5 for a random action");
    }

    #[test]
    fn stages_are_even_on_a_logarithmic_axis_and_end_with_the_course() {
        assert_eq!(stages(100), [1, 2, 3, 5, 10, 20, 30, 50, 100]);
        assert_eq!(stages(120), [1, 2, 3, 5, 10, 20, 30, 50, 100, 120]);
        assert_eq!(stages(1), [1]);
        assert_eq!(stages(u32::MAX).last(), Some(&u32::MAX));
    }
}
