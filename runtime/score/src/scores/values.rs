//! Values of scores as scores.json has them.

use jointly_core::{DrawsOfScore, Real, ScoreName, Scored, round_significant};
use serde_json::{Map, Value, json};

/// Values under their names, each with its errors.
pub(super) fn write_values(values: &[(ScoreName, Scored)], object: &mut Map<String, Value>) {
    for (name, scored) in values {
        let mut value = match scored.stderr {
            Some(stderr) => json!({ "mean": number(scored.value), "stderr": number(stderr) }),
            None => json!(number(scored.value)),
        };
        if let Some(draws) = scored.draws {
            write_draws(draws, &mut value);
        }
        object.insert(name.to_string(), value);
    }
}

/// What the number of draws does to a joint score, beside its mean.
pub(super) fn write_draws(draws: DrawsOfScore, object: &mut Value) {
    object["draw_error"] = json!(number(draws.error));
    object["effective_draws"] = json!(number(draws.effective));
}

/// Twelve significant digits; what is not finite as text, since JSON has no number for it.
pub fn number(x: f64) -> Real {
    Real(round_significant(x))
}
