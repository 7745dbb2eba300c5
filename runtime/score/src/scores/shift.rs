//! The scores of dataset shift by their names: of unshifted inputs, in the mean over levels of shift, at each level, and of
//! out-of-distribution inputs.

use jointly_classification::shift::{ConditionScores, Detection, DetectionScores, LabelledScores, ShiftScores};

use super::document::{ConditionDocument, Named};
use super::scored::{ACCURACY, ECE, FUEL, Scored};

/// The ending of the names of means over all levels of shift.
pub const SHIFTED: &str = "_shifted";

fn plain(value: f64) -> Scored {
    Scored { value, stderr: None, draws: None }
}

/// A problem's scores by name.
pub(super) fn values(scores: &ShiftScores, fuel: u64) -> Vec<(String, Scored)> {
    let mut values = Vec::new();
    if let Some(unshifted) = scores.unshifted() {
        values.extend(of_condition(unshifted));
    }
    values.extend(means(scores));
    values.extend(outside(scores));
    values.push((FUEL.into(), plain(fuel as f64)));
    values
}

/// All scores of one condition.
pub(crate) fn of_condition(condition: &ConditionScores) -> Vec<(String, Scored)> {
    let mut values: Vec<(String, Scored)> = Vec::new();
    if let Some(labelled) = &condition.labelled {
        values.push((ACCURACY.into(), labelled.accuracy.into()));
        values.extend(labelled.auc.map(|auc| ("auc".into(), plain(auc.0))));
        values.push(("nll".into(), labelled.nll.into()));
        values.push(("brier".into(), labelled.brier.into()));
        for (name, value) in [
            ("uncertainty", labelled.uncertainty),
            ("resolution", labelled.resolution),
            ("reliability", labelled.reliability),
            ("remainder", labelled.remainder),
            (ECE, labelled.ece),
            ("ece_quantile", labelled.ece_quantile),
        ] {
            values.push((name.into(), plain(value.0)));
        }
        values.extend(labelled.ece_top5.map(|ece| ("ece_top5".into(), plain(ece.0))));
        // The last is of all draws.
        let draws = labelled.brier_by_draws.last().map_or(1, |(draws, _)| *draws);
        let joint = labelled.joint.iter();
        values.extend(joint.map(|(tau, score)| (format!("nll_tau{tau}"), Scored::joint(score, draws))));
    }
    values.push(("confidence".into(), condition.confidence.into()));
    values.push(("entropy".into(), condition.entropy.into()));
    values
}

/// All scores of every condition, as scores.json has them.
pub(super) fn conditions(scores: &ShiftScores) -> Vec<ConditionDocument<'_>> {
    let condition = |scores: &ConditionScores| {
        let mut values = of_condition(scores);
        if let Some(DetectionScores { confidence, entropy }) = scores.detection {
            for (by, Detection { auroc, aupr_out, aupr_in, fpr95_out, fpr95_in }) in
                [("", confidence), ("_entropy", entropy)]
            {
                let named = [
                    ("auroc", auroc),
                    ("aupr_out", aupr_out),
                    ("aupr_in", aupr_in),
                    ("fpr95_out", fpr95_out),
                    ("fpr95_in", fpr95_in),
                ];
                values.extend(named.map(|(name, value)| (format!("{name}{by}"), plain(value.0))));
            }
        }
        Named::of(&values)
    };
    let documents = scores.conditions.iter().map(|scores| ConditionDocument {
        condition: &scores.condition,
        inputs: scores.rows,
        values: condition(scores),
    });
    documents.collect()
}

/// The mean over all levels of shift of each score: a level counts as much as another.
fn means(scores: &ShiftScores) -> Vec<(String, Scored)> {
    let levels: Vec<&ConditionScores> = scores.shifted().map(|(_, scores)| scores).collect();
    let mean = |name: &str, value: &dyn Fn(&ConditionScores) -> Option<f64>| {
        let values: Option<Vec<f64>> = levels.iter().map(|scores| value(scores)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Some((format!("{name}{SHIFTED}"), plain(mean)))
    };
    let of = |name: &str, value: fn(&LabelledScores) -> Option<f64>| {
        mean(name, &|scores| scores.labelled.as_ref().and_then(value))
    };
    let mut means = vec![
        of(ACCURACY, |scores| Some(scores.accuracy.mean)),
        of("auc", |scores| scores.auc.map(|auc| auc.0)),
        of("nll", |scores| Some(scores.nll.mean)),
        of("brier", |scores| Some(scores.brier.mean)),
        of("resolution", |scores| Some(scores.resolution.0)),
        of("reliability", |scores| Some(scores.reliability.0)),
        of(ECE, |scores| Some(scores.ece.0)),
        of("ece_quantile", |scores| Some(scores.ece_quantile.0)),
    ];
    let taus = scores.unshifted().and_then(|unshifted| unshifted.labelled.as_ref());
    for (tau, _) in taus.iter().flat_map(|labelled| &labelled.joint) {
        let at = |scores: &ConditionScores| {
            let joint = &scores.labelled.as_ref()?.joint;
            joint.iter().find(|(known, _)| known == tau).map(|(_, score)| score.mean)
        };
        means.push(mean(&format!("nll_tau{tau}"), &at));
    }
    means.push(mean("confidence", &|scores| Some(scores.confidence.mean)));
    means.push(mean("entropy", &|scores| Some(scores.entropy.mean)));
    means.into_iter().flatten().collect()
}

/// How well out-of-distribution inputs are detected, in the mean over the sets of them.
fn outside(scores: &ShiftScores) -> Vec<(String, Scored)> {
    let sets: Vec<&DetectionScores> = scores.outside().filter_map(|(_, scores)| scores.detection.as_ref()).collect();
    if sets.is_empty() {
        return Vec::new();
    }
    let mean = |name: &str, value: fn(&DetectionScores) -> f64| {
        (name.to_owned(), plain(sets.iter().map(|set| value(set)).sum::<f64>() / sets.len() as f64))
    };
    vec![
        mean("auroc", |set| set.confidence.auroc.0),
        mean("aupr_out", |set| set.confidence.aupr_out.0),
        mean("aupr_in", |set| set.confidence.aupr_in.0),
        mean("fpr95_out", |set| set.confidence.fpr95_out.0),
        mean("fpr95_in", |set| set.confidence.fpr95_in.0),
        mean("auroc_entropy", |set| set.entropy.auroc.0),
    ]
}
