//! The scores of decisions: regret after some numbers of actions, and fuel.

use jointly_core::{At, Better, Context, FUEL, JointScore, Layout, Pick, ScoreDef, Scored, Unit};

use crate::score::{DecisionScores, Lesson, Stage};

/// The stem of the cumulative regret.
pub const REGRET: &str = "regret";
/// The stem of the cumulative regret as a part of that of uniformly random actions.
pub const REGRET_SHARE: &str = "regret_share";

/// The stem of the simple regret.
pub const SIMPLE_REGRET: &str = "simple_regret";
/// The stem of the mean over lessons of the KL at tau 10.
pub const COURSE_KL: &str = "course_kl";
/// The stem of the KL at tau 10 after a number of labels.
pub const JOINT_KL: &str = "joint_kl";
/// The stem of the KL at tau 1 after a number of labels.
pub const MARGINAL_KL: &str = "marginal_kl";

/// The numbers of actions after which scores of bandits are taken, besides the last.
const STEPS: [u32; 4] = [100, 1_000, 10_000, 100_000];
/// The numbers of actions after which scores of searches are taken, which are shorter.
const SEARCH_STEPS: [u32; 5] = [10, 30, 100, 300, 1_000];

/// All scores, in the order in which they are always listed.
pub const SCORES: &[ScoreDef<DecisionScores>] = &[
    ScoreDef::new(
        REGRET,
        Better::Lower,
        Unit::One,
        "Cumulative regret after N actions: the sum of the best action's expected reward less that of the action \
         taken; 0 is perfect.",
        |scores, _| by_steps(scores, |stage| Some(stage.regret.0)),
    ),
    ScoreDef::new(
        REGRET_SHARE,
        Better::Lower,
        Unit::One,
        "Cumulative regret as a part of what uniformly random actions are expected to have: 0 is perfect, 1 is as bad as \
         random, and there is no upper limit where nearly all actions are as good as the best.",
        |scores, _| {
            // Where all actions are equally good there is no regret to compare.
            let Some(uniform) = scores.uniform.map(|uniform| uniform.0).filter(|uniform| *uniform > 0.0) else {
                return Vec::new();
            };
            by_steps(scores, |stage| Some(stage.regret.0 / (uniform * f64::from(stage.steps))))
        },
    ),
    ScoreDef::new(
        SIMPLE_REGRET,
        Better::Lower,
        Unit::One,
        "Simple regret of a search after N actions: the largest value of the function less the largest at an action taken, \
         without noise, in standard deviations of the function over all actions; 0 is perfect.",
        |scores, _| by_steps(scores, |stage| stage.simple.map(|simple| simple.0)),
    ),
    ScoreDef::new(
        COURSE_KL,
        Better::Lower,
        Unit::Nats,
        "Active learning: the mean of joint_kl over all trainings, from the first labels to the last.",
        |scores, _| {
            let mean = scores.lessons.iter().map(|lesson| lesson.joint.mean).sum::<f64>() / scores.lessons.len() as f64;
            if scores.lessons.is_empty() { Vec::new() } else { vec![(At::Once, Scored::plain(mean))] }
        },
    ),
    ScoreDef::new(
        JOINT_KL,
        Better::Lower,
        Unit::Nats,
        "Active learning: KL at tau 10 after N labels were bought, nats per tau-sample.",
        |scores, context| by_lesson(scores, context, |lesson| &lesson.joint),
    ),
    ScoreDef::new(
        MARGINAL_KL,
        Better::Lower,
        Unit::Nats,
        "Active learning: KL at tau 1 after N labels were bought.",
        |scores, context| by_lesson(scores, context, |lesson| &lesson.marginal),
    ),
    ScoreDef::fuel(),
];

/// Ranks by the regret of all actions, searches by its share, and active learning by the mean over its course.
pub const LAYOUTS: &[Layout] = &[
    Layout {
        when: Some(Pick::Once(COURSE_KL)),
        by: &[Pick::Once(COURSE_KL)],
        first: &[Pick::Once(COURSE_KL), Pick::LastStep(JOINT_KL)],
        second: &[Pick::LastStep(MARGINAL_KL), Pick::Once(FUEL)],
    },
    // Functions differ in the regret of a random action, and so in the weight that they have in a mean of regrets.
    Layout {
        when: Some(Pick::LastStep(SIMPLE_REGRET)),
        by: &[Pick::LastStep(REGRET_SHARE)],
        first: &[Pick::Steps(REGRET_SHARE)],
        second: &[Pick::Steps(SIMPLE_REGRET), Pick::LastStep(REGRET), Pick::Once(FUEL)],
    },
    Layout {
        when: None,
        by: &[Pick::LastStep(REGRET)],
        first: &[Pick::Steps(REGRET)],
        second: &[Pick::LastStep(REGRET_SHARE), Pick::Once(FUEL)],
    },
];

fn by_steps(scores: &DecisionScores, value: impl Fn(&Stage) -> Option<f64>) -> Vec<(At, Scored)> {
    let last = scores.course.last();
    let search = last.is_some_and(|stage| stage.simple.is_some());
    let steps: &[u32] = if search { &SEARCH_STEPS } else { &STEPS };
    let taken = |stage: &&Stage| steps.contains(&stage.steps) || last.is_some_and(|last| last.steps == stage.steps);
    let scored = |stage: &Stage| Some((At::Step(stage.steps), Scored::plain(value(stage)?)));
    scores.course.iter().filter(taken).filter_map(scored).collect()
}

/// Returns a score of every lesson. Of the last one it has errors and the effect of draws, so that a run has no more than one
/// warning of too few.
fn by_lesson(scores: &DecisionScores, context: &Context, value: impl Fn(&Lesson) -> &JointScore) -> Vec<(At, Scored)> {
    let last = scores.lessons.last().map(|lesson| lesson.labels);
    let scored = |lesson: &Lesson| {
        let score = value(lesson);
        let scored = if Some(lesson.labels) == last {
            Scored::joint(score, context.few(score, context.draws))
        } else {
            Scored::plain(score.mean)
        };
        (At::Step(lesson.labels), scored)
    };
    scores.lessons.iter().map(scored).collect()
}

#[cfg(test)]
mod tests {
    use super::SCORES;
    use crate::score::{DecisionScores, Lesson, Stage};
    use jointly_core::{Context, JointScore, Metric, Partitioning, Real, ScoreDef};

    fn names(scores: &DecisionScores) -> Vec<(String, f64)> {
        let context =
            Context { metric: Metric::Nll, draws: 1, estimator: Partitioning::Planes, precision: None, fuel: Some(7) };
        let all = ScoreDef::all(SCORES, scores, &context);
        all.into_iter().map(|(name, scored)| (name.to_string(), scored.value)).collect()
    }

    #[test]
    fn regret_is_taken_at_powers_of_ten_and_at_the_end() {
        let stage = |steps, regret| Stage { steps, regret: Real(regret), simple: None };
        let course = vec![stage(10, 4.0), stage(100, 20.0), stage(300, 30.0)];
        let scores = DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(0.4)), trainings: 5 };
        let expected = [
            ("regret_step100", 20.0),
            ("regret_step300", 30.0),
            ("regret_share_step100", 0.5),
            ("regret_share_step300", 0.25),
            ("fuel", 7.0),
        ];
        assert_eq!(names(&scores), expected.map(|(name, value)| (name.to_owned(), value)));
        let equal = DecisionScores { uniform: Some(Real(0.0)), ..scores };
        assert_eq!(names(&equal).len(), 3, "equally good actions have no share");
    }

    #[test]
    fn lessons_have_a_mean() {
        let score = |mean| JointScore { mean, stderr: 0.1, draw_error: 0.0, effective_draws: 1.0 };
        let lesson = |labels, joint| Lesson { labels, marginal: score(0.5 * joint), joint: score(joint) };
        let lessons = vec![lesson(10, 3.0), lesson(20, 1.0)];
        let expected = [
            ("course_kl", 2.0),
            ("joint_kl_step10", 3.0),
            ("joint_kl_step20", 1.0),
            ("marginal_kl_step10", 1.5),
            ("marginal_kl_step20", 0.5),
            ("fuel", 7.0),
        ];
        let scores = DecisionScores { course: Vec::new(), lessons, uniform: None, trainings: 2 };
        assert_eq!(names(&scores), expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn a_search_has_its_simple_regret_too() {
        let stage = |steps, regret, simple| Stage { steps, regret: Real(regret), simple: Some(Real(simple)) };
        let course = vec![stage(5, 8.0, 0.5), stage(10, 12.0, 0.25), stage(20, 16.0, 0.0)];
        let expected = [
            ("regret_step10", 12.0),
            ("regret_step20", 16.0),
            ("regret_share_step10", 0.6),
            ("regret_share_step20", 0.4),
            ("simple_regret_step10", 0.25),
            ("simple_regret_step20", 0.0),
            ("fuel", 7.0),
        ];
        let scores = DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(2.0)), trainings: 2 };
        assert_eq!(names(&scores), expected.map(|(name, value)| (name.to_owned(), value)));
    }
}
