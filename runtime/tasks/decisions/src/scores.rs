//! The scores of decisions: regret after some numbers of actions, and fuel.

use jointly_core::{At, Better, FUEL, Layout, Pick, ScoreDef, Scored, Unit};

use crate::score::{DecisionScores, Stage};

/// The stem of the cumulative regret.
pub const REGRET: &str = "regret";
/// The stem of the cumulative regret as a part of that of uniformly random actions.
pub const REGRET_SHARE: &str = "regret_share";

/// The numbers of actions after which scores are taken, besides the last.
const STEPS: [u32; 4] = [100, 1_000, 10_000, 100_000];

/// All scores, in the order in which they are always listed.
pub const SCORES: &[ScoreDef<DecisionScores>] = &[
    ScoreDef::new(
        REGRET,
        Better::Lower,
        Unit::One,
        "Cumulative regret after N actions: the sum of the best action's expected reward less that of the action \
         taken; 0 is perfect.",
        |scores, _| by_steps(scores, |stage| stage.regret.0),
    ),
    ScoreDef::new(
        REGRET_SHARE,
        Better::Lower,
        Unit::One,
        "Cumulative regret as a part of what uniformly random actions are expected to have: 0 is perfect, 1 is as bad as \
         random, and there is no upper limit where nearly all actions are as good as the best.",
        |scores, _| {
            // Where all actions are equally good there is no regret to compare.
            let share = |stage: &Stage| stage.regret.0 / (scores.uniform.0 * f64::from(stage.steps));
            if scores.uniform.0 > 0.0 { by_steps(scores, share) } else { Vec::new() }
        },
    ),
    ScoreDef::fuel(),
];

/// Ranks by the regret of all actions.
pub const LAYOUTS: &[Layout] = &[Layout {
    when: None,
    by: &[Pick::LastStep(REGRET)],
    first: &[Pick::Steps(REGRET)],
    second: &[Pick::LastStep(REGRET_SHARE), Pick::Once(FUEL)],
}];

fn by_steps(scores: &DecisionScores, value: impl Fn(&Stage) -> f64) -> Vec<(At, Scored)> {
    let last = scores.course.last().map(|stage| stage.steps);
    let taken = |stage: &&Stage| STEPS.contains(&stage.steps) || Some(stage.steps) == last;
    scores.course.iter().filter(taken).map(|stage| (At::Step(stage.steps), Scored::plain(value(stage)))).collect()
}

#[cfg(test)]
mod tests {
    use super::SCORES;
    use crate::score::{DecisionScores, Stage};
    use jointly_core::{Context, Metric, Real, ScoreDef};

    fn names(scores: &DecisionScores) -> Vec<(String, f64)> {
        let context =
            Context { metric: Metric::Nll, draws: 1, estimator: jointly_core::Partitioning::Planes, fuel: Some(7) };
        let all = ScoreDef::all(SCORES, scores, &context);
        all.into_iter().map(|(name, scored)| (name.to_string(), scored.value)).collect()
    }

    #[test]
    fn regret_is_taken_at_powers_of_ten_and_at_the_end() {
        let stage = |steps, regret| Stage { steps, regret: Real(regret) };
        let course = vec![stage(10, 4.0), stage(100, 20.0), stage(300, 30.0)];
        let scores = DecisionScores { course, uniform: Real(0.4), trainings: 5 };
        let expected = [
            ("regret_step100", 20.0),
            ("regret_step300", 30.0),
            ("regret_share_step100", 0.5),
            ("regret_share_step300", 0.25),
            ("fuel", 7.0),
        ];
        assert_eq!(names(&scores), expected.map(|(name, value)| (name.to_owned(), value)));
        let equal = DecisionScores { uniform: Real(0.0), ..scores };
        assert_eq!(names(&equal).len(), 3, "equally good actions have no share");
    }
}
