//! The scores of one agent on one problem of decisions.

use jointly_core::{Real, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::options::DecisionOptions;

/// The scores of one agent on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct DecisionScores {
    /// The course of a bandit or a search: stages in ascending order of their numbers of actions, the last after all of
    /// them. Empty in active learning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<Stage>,
    /// The lessons of active learning, in ascending order of their numbers of labels, the last after all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Lesson>,
    /// The expected regret of an action that is chosen uniformly at random; absent in active learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<Real>,
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
    /// The simple regret of a search: the best action's value less the largest of those taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simple: Option<Real>,
}

/// How well an agent predicts after a training in active learning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Lesson {
    /// The number of labels bought.
    pub labels: u32,
    /// KL at tau 1, in nats.
    pub marginal: Real,
    /// KL at tau 10, in nats per tau-sample.
    pub joint: Real,
}

impl DecisionScores {
    /// Describes what no course under these options has, if this one has it.
    pub(crate) fn impossible(&self, options: &DecisionOptions) -> Option<String> {
        if !self.lessons.is_empty() {
            return self.impossible_lessons(options);
        }
        if !self.course.iter().map(|stage| stage.steps).eq(stages(options.steps)) {
            return Some(format!("a course with other stages than those of {} actions", options.steps));
        }
        let search = self.course.iter().any(|stage| stage.simple.is_some());
        // Rewards of a bandit are probabilities: an action's regret is from 0 to 1. A search has functions of any range.
        let most = |steps: u32| if search { f64::MAX } else { f64::from(steps) };
        let possible = |regret: f64, steps: u32| (0.0..=most(steps)).contains(&regret);
        if let Some(stage) = self.course.iter().find(|stage| !possible(stage.regret.0, stage.steps)) {
            let steps = counted(stage.steps as usize, "action");
            return Some(format!("a regret of {} after {steps}", stage.regret.0));
        }
        if self.course.windows(2).any(|pair| pair[1].regret.0 < pair[0].regret.0) {
            return Some("a cumulative regret that falls".to_owned());
        }
        if search {
            let simple: Vec<f64> =
                self.course.iter().map(|stage| stage.simple.map_or(f64::NAN, |simple| simple.0)).collect();
            if let Some(regret) = simple.iter().find(|regret| !possible(**regret, 1)) {
                return Some(format!("a simple regret of {regret}"));
            }
            if simple.windows(2).any(|pair| pair[1] > pair[0]) {
                return Some("a simple regret that grows".to_owned());
            }
        }
        let uniform = self.uniform.map_or(f64::NAN, |uniform| uniform.0);
        (!possible(uniform, 1)).then(|| format!("a regret of {uniform} for a random action"))
    }

    /// Describes what no active learning has. Estimates of a KL may be below 0, and infinite, but are numbers.
    fn impossible_lessons(&self, options: &DecisionOptions) -> Option<String> {
        if !self.course.is_empty() || self.uniform.is_some() {
            return Some("lessons and a regret".to_owned());
        }
        let labels: Vec<u32> = self.lessons.iter().map(|lesson| lesson.labels).collect();
        if labels.windows(2).any(|pair| pair[1] <= pair[0]) || labels.last() != Some(&options.steps) {
            return Some(format!("lessons that do not lead to {}", counted(options.steps as usize, "label")));
        }
        let none = self.lessons.iter().find(|lesson| lesson.marginal.0.is_nan() || lesson.joint.0.is_nan());
        none.map(|lesson| format!("a KL that is no number after {}", counted(lesson.labels as usize, "label")))
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
    use super::{DecisionScores, Lesson, Stage, stages};
    use crate::options::DecisionOptions;
    use jointly_core::Real;

    fn stage(steps: u32, regret: f64, simple: Option<f64>) -> Stage {
        Stage { steps, regret: Real(regret), simple: simple.map(Real) }
    }

    #[test]
    fn a_course_that_cannot_be_is_told() {
        let options = DecisionOptions { draws: 1, steps: 3, growth: 1.0 };
        let told = |regrets: &[(u32, f64)], uniform: f64| {
            let course = regrets.iter().map(|&(steps, regret)| stage(steps, regret, None)).collect();
            DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(uniform)), trainings: 1 }
                .impossible(&options)
                .unwrap_or_default()
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
    fn a_search_that_cannot_be_is_told() {
        let options = DecisionOptions { draws: 1, steps: 2, growth: 1.0 };
        let told = |first, second| {
            let course = vec![stage(1, 7.5, first), stage(2, 9.0, second)];
            DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(3.0)), trainings: 1 }
                .impossible(&options)
                .unwrap_or_default()
        };
        assert_eq!(told(Some(7.5), Some(1.5)), "");
        assert_eq!(told(Some(1.0), Some(1.5)), "a simple regret that grows");
        assert_eq!(told(Some(7.5), Some(-1.5)), "a simple regret of -1.5");
        assert_eq!(told(Some(7.5), None), "a simple regret of NaN");
        assert_eq!(told(None, None), "a regret of 7.5 after 1 action");
    }

    #[test]
    fn lessons_that_cannot_be_are_told() {
        let options = DecisionOptions { draws: 1, steps: 30, growth: 1.0 };
        let told = |lessons: &[(u32, f64)], uniform: Option<f64>| {
            let lesson = |&(labels, kl)| Lesson { labels, marginal: Real(0.1), joint: Real(kl) };
            let (lessons, uniform) = (lessons.iter().map(lesson).collect(), uniform.map(Real));
            let scores = DecisionScores { course: Vec::new(), lessons, uniform, trainings: 2 };
            scores.impossible(&options).unwrap_or_default()
        };
        assert_eq!(told(&[(10, 0.5), (30, f64::INFINITY)], None), "");
        assert_eq!(told(&[(10, 0.5), (30, 0.2)], Some(1.0)), "lessons and a regret");
        assert_eq!(told(&[(10, 0.5), (20, 0.2)], None), "lessons that do not lead to 30 labels");
        assert_eq!(told(&[(30, 0.5), (30, 0.2)], None), "lessons that do not lead to 30 labels");
        assert_eq!(told(&[(10, f64::NAN), (30, 0.2)], None), "a KL that is no number after 10 labels");
        assert_eq!(told(&[], None), "a course with other stages than those of 30 actions");
    }

    #[test]
    fn stages_are_even_on_a_logarithmic_axis_and_end_with_the_course() {
        assert_eq!(stages(100), [1, 2, 3, 5, 10, 20, 30, 50, 100]);
        assert_eq!(stages(120), [1, 2, 3, 5, 10, 20, 30, 50, 100, 120]);
        assert_eq!(stages(1), [1]);
        assert_eq!(stages(u32::MAX).last(), Some(&u32::MAX));
    }
}
