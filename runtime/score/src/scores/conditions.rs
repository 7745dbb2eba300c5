//! The scores of every condition of dataset shift, as scores.json has them.

use jointly_classification::shift::scores::condition_scores;
use jointly_classification::shift::{ConditionScores, Detection, DetectionScores, ShiftScores};
use jointly_core::{Context, Metric, Scored};

use super::document::{ConditionDocument, Named};

/// All scores of every condition.
pub(super) fn conditions(scores: &ShiftScores) -> Vec<ConditionDocument<'_>> {
    // No score of a condition depends on it: their draws are their own.
    let context = Context { metric: Metric::Nll, draws: 0, fuel: None };
    let values = |scores: &ConditionScores| {
        let mut values = Named::of(&condition_scores(scores, &context));
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
                values.0.extend(named.map(|(name, value)| (format!("{name}{by}"), Scored::plain(value.0).into())));
            }
        }
        values
    };
    let mut documents = Vec::with_capacity(scores.conditions.len());
    for scores in &scores.conditions {
        documents.push(ConditionDocument { condition: &scores.condition, inputs: scores.rows, values: values(scores) });
    }
    documents
}
