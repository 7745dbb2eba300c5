//! The scores of one agent on one problem of decisions.

use jointly_core::{JointScore, Real, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::options::DecisionOptions;
use crate::problem::{DecisionProblem, Setting};

/// How far a simple regret may exceed the mean regret by rounding, as a share of it.
const ROUNDING: f64 = 1e-9;
/// The least KL of one label: the environment gives it the least probability above 0 that an `f32` holds, and the agent 1.
const LEAST_KL: f64 = -104.0;

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
    pub marginal: JointScore,
    /// KL at tau 10, in nats per tau-sample.
    pub joint: JointScore,
}

impl DecisionScores {
    /// Describes what no course on a problem under these options has, if this one has it.
    pub(crate) fn impossible(&self, options: &DecisionOptions, problem: &DecisionProblem) -> Option<String> {
        let learns = matches!(problem.setting, Setting::Labels { .. });
        let trainings = problem.trainings(options);
        if self.trainings as usize != trainings {
            let (own, all) = (counted(self.trainings as usize, "training"), counted(trainings, "training"));
            return Some(format!("a course of {own}, and not of {all}"));
        }
        if learns { self.impossible_lessons(options, problem) } else { self.impossible_course(options, problem) }
    }

    fn impossible_course(&self, options: &DecisionOptions, problem: &DecisionProblem) -> Option<String> {
        if !self.lessons.is_empty() {
            return Some("lessons where there are none".to_owned());
        }
        if !self.course.iter().map(|stage| stage.steps).eq(stages(options.steps)) {
            return Some(format!(
                "a course with other stages than those of {}",
                counted(options.steps as usize, "action")
            ));
        }
        let search = matches!(problem.setting, Setting::Search { .. });
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
        if self.course.iter().any(|stage| stage.simple.is_some() != search) {
            return Some("simple regret of a bandit, or none of a search".to_owned());
        }
        let simple: Vec<f64> = self.course.iter().filter_map(|stage| stage.simple).map(|simple| simple.0).collect();
        // The least regret of some actions is no larger than their mean.
        let mean = |stage: &Stage| stage.regret.0 / f64::from(stage.steps) * (1.0 + ROUNDING);
        let large = |(simple, stage): (&f64, &Stage)| (!(0.0..=mean(stage)).contains(simple)).then_some(*simple);
        if let Some(regret) = simple.iter().zip(&self.course).find_map(large) {
            return Some(format!("a simple regret of {regret}"));
        }
        if simple.windows(2).any(|pair| pair[1] > pair[0]) {
            return Some("a simple regret that grows".to_owned());
        }
        let uniform = self.uniform.map_or(f64::NAN, |uniform| uniform.0);
        (!possible(uniform, 1)).then(|| format!("a regret of {uniform} for a random action"))
    }

    /// Describes what no active learning has. Estimates of a KL may be below 0, and infinite, but are numbers.
    fn impossible_lessons(&self, options: &DecisionOptions, problem: &DecisionProblem) -> Option<String> {
        if !self.course.is_empty() || self.uniform.is_some() {
            return Some("a regret of active learning".to_owned());
        }
        if !self.lessons.iter().map(|lesson| lesson.labels).eq(problem.trained_after(options)) {
            let labels = counted(options.steps as usize, "label");
            return Some(format!("other lessons than those that lead to {labels}"));
        }
        let none = |lesson: &&Lesson| {
            let possible = |score: JointScore, tau: f64| score.mean >= tau * LEAST_KL;
            !possible(lesson.marginal, 1.0) || !possible(lesson.joint, 10.0)
        };
        let lesson = self.lessons.iter().find(none)?;
        let labels = counted(lesson.labels as usize, "label");
        Some(format!("a KL of {} at tau 1 and {} at tau 10 after {labels}", lesson.marginal.mean, lesson.joint.mean))
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
    use crate::problem::DecisionProblem;
    use crate::suites::decision_suites;
    use jointly_core::{JointScore, Real};

    fn problem(name: &str) -> DecisionProblem {
        let mut all = decision_suites().into_iter().flat_map(|suite| suite.problems);
        all.find(|problem| problem.name == name).unwrap()
    }

    fn stage(steps: u32, regret: f64, simple: Option<f64>) -> Stage {
        Stage { steps, regret: Real(regret), simple: simple.map(Real) }
    }

    fn scores(course: Vec<Stage>, uniform: f64, trainings: u32) -> DecisionScores {
        DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(uniform)), trainings }
    }

    #[test]
    fn a_course_that_cannot_be_is_told() {
        let options = DecisionOptions { draws: 1, steps: 3, growth: 1.0 };
        let bandit = problem("quick/decisions/bandit/d2/temp0.1/seed0");
        let told_of = |scores: DecisionScores| scores.impossible(&options, &bandit).unwrap_or_default();
        let told = |regrets: &[(u32, f64)], uniform: f64| {
            told_of(scores(regrets.iter().map(|&(steps, regret)| stage(steps, regret, None)).collect(), uniform, 1))
        };
        let usual = [(1, 0.5), (2, 0.5), (3, 1.2)];
        assert_eq!(told(&usual, 0.4), "");
        let stages = "a course with other stages than those of 3 actions";
        for other in [&[][..], &[(1, 0.5), (2, 0.5)], &[(1, 0.5), (2, 0.5), (3, 1.2), (u32::MAX, 2.0)]] {
            assert_eq!(told(other, 0.4), stages);
        }
        assert_eq!(told(&[(1, 0.5), (2, 0.5), (3, 3.2)], 0.4), "a regret of 3.2 after 3 actions");
        assert_eq!(told(&[(1, -0.5), (2, 0.5), (3, 1.2)], 0.4), "a regret of -0.5 after 1 action");
        assert_eq!(told(&[(1, f64::NAN), (2, 0.5), (3, 1.2)], 0.4), "a regret of NaN after 1 action");
        assert_eq!(told(&[(1, 0.5), (2, 0.4), (3, 1.2)], 0.4), "a cumulative regret that falls");
        assert_eq!(told(&usual, 1.5), "a regret of 1.5 for a random action");
        let course = usual.map(|(steps, regret)| stage(steps, regret, None)).to_vec();
        assert_eq!(told_of(scores(course.clone(), 0.4, 2)), "a course of 2 trainings, and not of 1 training");
        let simple = usual.map(|(steps, regret)| stage(steps, regret, Some(0.1))).to_vec();
        assert_eq!(told_of(scores(simple, 0.4, 1)), "simple regret of a bandit, or none of a search");
        let learnt = DecisionScores { lessons: vec![lesson(3, 0.1)], ..scores(course, 0.4, 1) };
        assert_eq!(told_of(learnt), "lessons where there are none");
    }

    #[test]
    fn a_search_that_cannot_be_is_told() {
        let options = DecisionOptions { draws: 1, steps: 5, growth: 1.0 };
        let search = problem("quick/decisions/optimize/branin/seed0/thompson");
        let told = |first, second: Option<f64>| {
            let regrets = [(1, 7.5, first), (2, 9.0, second), (3, 10.0, second), (5, 12.0, second)];
            let course = regrets.map(|(steps, regret, simple)| stage(steps, regret, simple)).to_vec();
            scores(course, 3.0, 1).impossible(&options, &search).unwrap_or_default()
        };
        assert_eq!(told(Some(7.5), Some(1.5)), "");
        assert_eq!(told(Some(1.0), Some(1.5)), "a simple regret that grows");
        assert_eq!(told(Some(7.5), Some(-1.5)), "a simple regret of -1.5");
        assert_eq!(told(Some(7.6), Some(1.5)), "a simple regret of 7.6");
        assert_eq!(told(Some(7.5), None), "simple regret of a bandit, or none of a search");
        assert_eq!(told(Some(7.5), Some(f64::NAN)), "a simple regret of NaN");
    }

    fn lesson(labels: u32, kl: f64) -> Lesson {
        let score = |mean| JointScore { mean, stderr: 0.1, draw_error: 0.0, effective_draws: 1.0 };
        Lesson { labels, marginal: score(0.1 * kl), joint: score(kl) }
    }

    #[test]
    fn lessons_that_cannot_be_are_told() {
        let options = DecisionOptions { draws: 1, steps: 6, growth: 1.0 };
        let active = problem("quick/decisions/active/d2/seed0/entropy");
        let told = |lessons: &[(u32, f64)], uniform: Option<f64>| {
            let (lessons, uniform) =
                (lessons.iter().map(|&(labels, kl)| lesson(labels, kl)).collect(), uniform.map(Real));
            let scores = DecisionScores { course: Vec::new(), lessons, uniform, trainings: 3 };
            scores.impossible(&options, &active).unwrap_or_default()
        };
        assert_eq!(told(&[(2, 0.5), (4, f64::INFINITY), (6, -0.1)], None), "");
        assert_eq!(told(&[(2, 0.5), (4, 0.2), (6, 0.2)], Some(1.0)), "a regret of active learning");
        let other = "other lessons than those that lead to 6 labels";
        for labels in [&[(2, 0.5), (6, 0.2)][..], &[(2, 0.5), (4, 0.2), (6, 0.2), (7, 0.1)], &[(6, 0.2)], &[]] {
            assert_eq!(told(labels, None), other);
        }
        for (kl, shown) in [(f64::NAN, "NaN at tau 1 and NaN"), (f64::NEG_INFINITY, "-inf at tau 1 and -inf")] {
            let expected = format!("a KL of {shown} at tau 10 after 4 labels");
            assert_eq!(told(&[(2, 0.5), (4, kl), (6, 0.2)], None), expected);
        }
    }

    #[test]
    fn stages_are_even_on_a_logarithmic_axis_and_end_with_the_course() {
        assert_eq!(stages(100), [1, 2, 3, 5, 10, 20, 30, 50, 100]);
        assert_eq!(stages(120), [1, 2, 3, 5, 10, 20, 30, 50, 100, 120]);
        assert_eq!(stages(1), [1]);
        assert_eq!(stages(u32::MAX).last(), Some(&u32::MAX));
    }
}
