//! The scores of every condition of dataset shift, as scores.json has them.

use jointly_classification::shift::scores::CONDITION_SCORES;
use jointly_classification::shift::{ConditionScores, Detection, DetectionScores, ShiftScores};
use jointly_core::{Context, Metric, Real, ScoreDef};
use serde_json::{Map, Value, json};

use super::values::{number, write_values};

/// All scores of every condition.
pub(super) fn conditions(scores: &ShiftScores) -> Value {
    // No score of a condition depends on it: their draws are their own.
    let context = Context { metric: Metric::Nll, draws: 0, fuel: None };
    let condition = |scores: &ConditionScores| {
        let mut object = Map::new();
        object.insert("condition".into(), scores.condition.to_string().into());
        object.insert("inputs".into(), scores.rows.into());
        write_values(&ScoreDef::all(CONDITION_SCORES, scores, &context), &mut object);
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
                object.extend(named.map(|(name, Real(value))| (format!("{name}{by}"), json!(number(value)))));
            }
        }
        Value::Object(object)
    };
    scores.conditions.iter().map(condition).collect()
}
