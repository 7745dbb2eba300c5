//! The scores of classification: joint scores by tau and their aggregate, scores of single inputs, and fuel.

use crate::ProblemScores;
use jointly_core::{
    At, Better, Context, FUEL, JointScore, Layout, Meaning, Metric, Pick, ScoreDef, ScoreInfo, Scored, Unit,
};

/// The stem of the accuracy: the share of single test inputs whose most probable class is the true one.
pub const ACCURACY: &str = "accuracy";
/// The stem of the expected calibration error of predictions on single inputs.
pub const ECE: &str = "ece";

/// The stem of the number of draws that were asked for until a precision was reached.
pub const DRAWS: &str = "draws";

/// All scores, in the order in which they are always listed.
pub const SCORES: &[ScoreDef<ProblemScores>] = &[
    ScoreDef {
        about: ScoreInfo {
            stem: "kl",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: Meaning::At(|at| {
                joint_meaning(at, "the environment's log-likelihood less the agent's, 0 is perfect")
            }),
        },
        values: |scores, context| joint(scores, context, Metric::Kl),
    },
    ScoreDef {
        about: ScoreInfo {
            stem: "nll",
            better: Better::Lower,
            unit: Unit::Nats,
            meaning: Meaning::At(|at| joint_meaning(at, "the negative log-likelihood of the agent")),
        },
        values: |scores, context| joint(scores, context, Metric::Nll),
    },
    ScoreDef::new(
        ACCURACY,
        Better::Higher,
        Unit::Share,
        "Share of test inputs whose most likely class, by the mean prediction, is the label.",
        |scores, _| vec![(At::Once, scores.accuracy.into())],
    ),
    ScoreDef::new(
        ECE,
        Better::Lower,
        Unit::Share,
        "Expected calibration error of the mean prediction: how far its confidence is from its accuracy, bin by bin; 0 is \
         calibrated.",
        |scores, _| vec![(At::Once, Scored::plain(scores.ece.0))],
    ),
    ScoreDef::new(
        DRAWS,
        Better::Neither,
        Unit::One,
        "Draws that were asked for until all joint scores had the precision of --draws auto, or the most of them.",
        |scores, _| scores.draws.map(|draws| (At::Once, Scored::plain(f64::from(draws)))).into_iter().collect(),
    ),
    ScoreDef::fuel(),
];

/// Ranks by the aggregate if the suite has taus 1 and 100, else by the joint score of the largest tau, which already
/// covers the marginals of each of its inputs; no other aggregate is defined.
pub const LAYOUTS: &[Layout] = &[Layout {
    when: None,
    by: &[Pick::Widest("nll"), Pick::Widest("kl")],
    first: &[Pick::Joint("kl"), Pick::Joint("nll")],
    second: &[Pick::Once(ACCURACY), Pick::Once(ECE), Pick::Once(FUEL)],
}];

/// Returns the joint scores of a problem that measures `metric`, and their aggregate d1 + d100 / 100 as in the paper;
/// the two come from independent test samples.
fn joint(scores: &ProblemScores, context: &Context, metric: Metric) -> Vec<(At, Scored)> {
    if context.metric != metric {
        return Vec::new();
    }
    let draws = scores.draws.unwrap_or(context.draws);
    let named = |(tau, score): &(u32, JointScore)| (At::Tau(*tau), Scored::joint(score, context.few(score, draws)));
    let mut values: Vec<(At, Scored)> = scores.joint.iter().map(named).collect();
    let at = |tau: u32| scores.joint.iter().find(|(known, _)| *known == tau).map(|(_, score)| score);
    if let (Some(one), Some(hundred)) = (at(1), at(100)) {
        let stderr = Some(libm::hypot(one.stderr, hundred.stderr / 100.0));
        values.push((At::Aggregate, Scored { value: one.mean + hundred.mean / 100.0, stderr, draws: None }));
    }
    values
}

fn joint_meaning(at: At, rest: &str) -> String {
    let labels = match at {
        At::Aggregate => {
            return "The loss at tau 1 plus a hundredth of the loss at tau 100, so that both count: it ranks."
                .to_owned();
        }
        At::Tau(1) => "a single test label".to_owned(),
        At::Tau(tau) => format!("{tau} test labels taken jointly"),
        _ => "tau test labels taken jointly".to_owned(),
    };
    format!("Loss on {labels}, in nats, lower is better: {rest}.")
}
