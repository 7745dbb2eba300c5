//! The scores of dataset shift: those of unshifted inputs, their means over all levels of shift, and the detection of
//! out-of-distribution inputs.

use jointly_core::{
    At, Better, Context, FUEL, JointScore, Layout, Meaning, Pick, ScoreDef, ScoreInfo, ScoreName, Scored, Unit,
};

use super::{ConditionScores, DetectionScores, LabelledScores, ShiftScores};
use crate::scores::{ACCURACY, ECE};

/// The scores of one condition, in the order in which they are always listed.
pub const CONDITION_SCORES: &[ScoreDef<ConditionScores>] = &[
    ScoreDef::new(
        ACCURACY,
        Better::Higher,
        Unit::Share,
        "Share of test inputs whose most likely class, by the mean prediction over draws, is the label; as all scores \
         without a suffix, of the unshifted inputs.",
        |scores, _| labelled(scores, |scores| Some(scores.accuracy.into())),
    ),
    ScoreDef::new(
        "auc",
        Better::Higher,
        Unit::Share,
        "Area under the receiver operating characteristic of class 1 against class 0; a half is chance.",
        |scores, _| labelled(scores, |scores| scores.auc.map(|auc| Scored::plain(auc.0))),
    ),
    ScoreDef::new(
        "nll",
        Better::Lower,
        Unit::Nats,
        "Negative log-likelihood of a label under the mean prediction, nats; lower is better.",
        |scores, _| labelled(scores, |scores| Some(scores.nll.into())),
    ),
    ScoreDef::new(
        "brier",
        Better::Lower,
        Unit::One,
        "Brier score: squared distance of the mean prediction from the label's one-hot vector, from 0 to 2; lower is \
         better. It is uncertainty - resolution + reliability + remainder.",
        |scores, _| labelled(scores, |scores| Some(scores.brier.into())),
    ),
    ScoreDef::new(
        "uncertainty",
        Better::Neither,
        Unit::One,
        "Part of the Brier score: that of the labels themselves, the same whatever the agent.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.uncertainty.0))),
    ),
    ScoreDef::new(
        "resolution",
        Better::Higher,
        Unit::One,
        "Part of the Brier score: how far the labels of inputs of one predicted class are from those of all; higher is \
         better.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.resolution.0))),
    ),
    ScoreDef::new(
        "reliability",
        Better::Lower,
        Unit::One,
        "Part of the Brier score: how far predictions are from the labels' shares among inputs of one predicted class; \
         lower is better.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.reliability.0))),
    ),
    ScoreDef::new(
        "remainder",
        Better::Neither,
        Unit::One,
        "Part of the Brier score: what telling apart inputs of one predicted class is worth, below 0 where it helps.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.remainder.0))),
    ),
    ScoreDef::new(
        ECE,
        Better::Lower,
        Unit::Share,
        "Expected calibration error of the mean prediction: how far its confidence is from its accuracy, in bins of equal \
         width; 0 is calibrated.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.ece.0))),
    ),
    ScoreDef::new(
        "ece_quantile",
        Better::Lower,
        Unit::Share,
        "The same in bins between quantiles of the unshifted inputs' confidence.",
        |scores, _| labelled(scores, |scores| Some(Scored::plain(scores.ece_quantile.0))),
    ),
    ScoreDef::new(
        "ece_top5",
        Better::Lower,
        Unit::Share,
        "The same of the five largest probabilities of each input.",
        |scores, _| labelled(scores, |scores| scores.ece_top5.map(|ece| Scored::plain(ece.0))),
    ),
    ScoreDef {
        about: ScoreInfo { stem: "nll", better: Better::Lower, unit: Unit::Nats, meaning: Meaning::At(joint_meaning) },
        values: |scores, context| joint(scores, context),
    },
    ScoreDef::new(
        "confidence",
        Better::Neither,
        Unit::One,
        "The largest class probability of an input, in the mean.",
        |scores, _| vec![(At::Once, scores.confidence.into())],
    ),
    ScoreDef::new(
        "entropy",
        Better::Neither,
        Unit::Nats,
        "Entropy of the mean prediction of an input, nats, in the mean.",
        |scores, _| vec![(At::Once, scores.entropy.into())],
    ),
];

/// The scores of a problem that belong to no single condition with labels: those of out-of-distribution inputs,
/// averaged over their sets, and fuel.
pub const PROBLEM_SCORES: &[ScoreDef<ShiftScores>] = &[
    ScoreDef::new(
        "auroc",
        Better::Higher,
        Unit::Share,
        "Area under the receiver operating characteristic of low confidence, out-of-distribution inputs against unshifted ones, in \
         the mean over sets of them: a half is chance, 1 tells all apart.",
        |scores, _| detected(scores, |set| set.confidence.auroc.0),
    ),
    ScoreDef::new(
        "aupr_out",
        Better::Higher,
        Unit::Share,
        "Average precision of low confidence with the out-of-distribution inputs as positives.",
        |scores, _| detected(scores, |set| set.confidence.aupr_out.0),
    ),
    ScoreDef::new(
        "aupr_in",
        Better::Higher,
        Unit::Share,
        "Average precision of high confidence with the unshifted inputs as positives.",
        |scores, _| detected(scores, |set| set.confidence.aupr_in.0),
    ),
    ScoreDef::new(
        "fpr95_out",
        Better::Lower,
        Unit::Share,
        "Share of unshifted inputs that are taken for out-of-distribution ones where 95 % of the latter are found; lower is \
         better.",
        |scores, _| detected(scores, |set| set.confidence.fpr95_out.0),
    ),
    ScoreDef::new(
        "fpr95_in",
        Better::Lower,
        Unit::Share,
        "Share of out-of-distribution inputs that are taken for unshifted ones where 95 % of those are kept; lower is better.",
        |scores, _| detected(scores, |set| set.confidence.fpr95_in.0),
    ),
    ScoreDef::new(
        "auroc_entropy",
        Better::Higher,
        Unit::Share,
        "The same as auroc by high entropy in the place of low confidence.",
        |scores, _| detected(scores, |set| set.entropy.auroc.0),
    ),
    ScoreDef::fuel(),
];

/// Ranks by the Brier score, which is proper and always finite, averaged over all levels of shift; without levels, by
/// that of the unshifted inputs. With two classes, one of which may be rare, the area under the curve is more
/// informative than accuracy.
pub const LAYOUTS: &[Layout] = &[Layout {
    when: None,
    by: &[Pick::Shifted("brier"), Pick::Once("brier")],
    first: &[Pick::Shifted("brier"), Pick::Once("brier"), Pick::ShiftedTen("nll"), Pick::Ten("nll")],
    second: &[
        Pick::Once(ACCURACY),
        Pick::Shifted(ACCURACY),
        Pick::Once("auc"),
        Pick::Shifted("auc"),
        Pick::Once(ECE),
        Pick::Shifted(ECE),
        Pick::Once("auroc"),
        Pick::Once(FUEL),
    ],
}];

/// Scores without a mean over levels: one is the same for every agent, two are parts whose sum is shown.
const UNSHIFTED_ALONE: [&str; 3] = ["uncertainty", "remainder", "ece_top5"];

/// Returns all scores of a problem: those of the unshifted inputs, their means over all levels of shift with equal
/// weights, those of out-of-distribution inputs, and fuel.
pub fn problem_scores(scores: &ShiftScores, context: &Context) -> Vec<(ScoreName, Scored)> {
    let of = |condition: &ConditionScores| condition_scores(condition, context);
    let unshifted = scores.unshifted().map(of).unwrap_or_default();
    let levels: Vec<Vec<(ScoreName, Scored)>> = scores.shifted().map(|(_, scores)| of(scores)).collect();
    let mean = |name: ScoreName| {
        let value =
            |level: &Vec<(ScoreName, Scored)>| level.iter().find(|(own, _)| *own == name).map(|(_, own)| own.value);
        let values: Option<Vec<f64>> = levels.iter().map(value).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some((name.shifted(), Scored::plain(values.iter().sum::<f64>() / values.len() as f64)))
    };
    // A level may have a score that the unshifted inputs lack only if there are no unshifted inputs.
    let all = if unshifted.is_empty() { levels.first() } else { Some(&unshifted) };
    let means: Vec<(ScoreName, Scored)> = all
        .into_iter()
        .flatten()
        .map(|(name, _)| *name)
        .filter(|name| !UNSHIFTED_ALONE.contains(&name.stem()))
        .filter_map(mean)
        .collect();
    let rest = ScoreDef::all(PROBLEM_SCORES, scores, context).into_iter();
    unshifted.into_iter().chain(means).chain(rest.map(|(name, scored)| (name.behind().behind(), scored))).collect()
}

/// Returns all scores of one condition.
pub fn condition_scores(scores: &ConditionScores, context: &Context) -> Vec<(ScoreName, Scored)> {
    let mut all = ScoreDef::all(CONDITION_SCORES, scores, context);
    all.extend(scores.labelled.iter().flat_map(|labelled| labelled.marginal.scores()));
    all
}

fn labelled(scores: &ConditionScores, of: fn(&LabelledScores) -> Option<Scored>) -> Vec<(At, Scored)> {
    scores.labelled.as_ref().and_then(of).map(|scored| (At::Once, scored)).into_iter().collect()
}

fn joint(scores: &ConditionScores, context: &Context) -> Vec<(At, Scored)> {
    let Some(labelled) = &scores.labelled else { return Vec::new() };
    // The last entry has all draws.
    let draws = labelled.brier_by_draws.last().map_or(1, |(draws, _)| *draws);
    let named = |(tau, score): &(u32, JointScore)| (At::Tau(*tau), Scored::joint(score, context.few(score, draws)));
    labelled.joint.iter().map(named).collect()
}

fn detected(scores: &ShiftScores, value: fn(&DetectionScores) -> f64) -> Vec<(At, Scored)> {
    let sets: Vec<f64> = scores.outside().filter_map(|(_, scores)| scores.detection.as_ref()).map(value).collect();
    if sets.is_empty() {
        return Vec::new();
    }
    vec![(At::Once, Scored::plain(sets.iter().sum::<f64>() / sets.len() as f64))]
}

fn joint_meaning(at: At) -> String {
    let labels = match at {
        At::Tau(1) => return "The same as nll, estimated as joint predictions are.".to_owned(),
        At::Tau(tau) => tau.to_string(),
        _ => "tau".to_owned(),
    };
    format!(
        "Negative log-likelihood of the labels of {labels} test inputs taken jointly: of the mean over draws of the product of \
         their probabilities, nats a group, lower is better."
    )
}
