//! Finds where two JSON documents differ.

use serde_json::Value;

/// Describes the first place in which two documents differ; `place` names the whole document.
pub fn difference(held: &Value, again: &Value, place: &str) -> String {
    let below = |held: Option<&Value>, again: Option<&Value>, place: String| match (held, again) {
        (Some(held), Some(again)) if held == again => None,
        (Some(held), Some(again)) => Some(difference(held, again, &place)),
        (None, Some(_)) => Some(format!("{place} is missing")),
        (Some(_), None) => Some(format!("{place} does not belong there")),
        (None, None) => None,
    };
    let found = match (held, again) {
        (Value::Object(a), Value::Object(b)) => {
            a.keys().chain(b.keys()).find_map(|key| below(a.get(key), b.get(key), format!("{place}.{key}")))
        }
        (Value::Array(a), Value::Array(b)) => {
            (0..a.len().max(b.len())).find_map(|i| below(a.get(i), b.get(i), format!("{place}[{i}]")))
        }
        _ => (held != again).then(|| format!("{place} is {held} and comes out as {again}")),
    };
    found.unwrap_or_else(|| format!("{place} is written differently"))
}

#[cfg(test)]
mod tests {
    use super::difference;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let held = json!({ "a": [1, { "b": 2 }], "c": 3 });
        let places = [
            (json!({ "a": [1, { "b": 4 }], "c": 3 }), "x.a[1].b is 2 and comes out as 4"),
            (json!({ "a": [1], "c": 3 }), "x.a[1] does not belong there"),
            (json!({ "a": [1, { "b": 2 }], "c": 3, "d": 4 }), "x.d is missing"),
            (held.clone(), "x is written differently"),
        ];
        for (again, place) in places {
            assert_eq!(difference(&held, &again, "x"), place);
        }
    }
}
