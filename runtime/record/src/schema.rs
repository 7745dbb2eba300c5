//! JSON Schemas of the files that this command writes, derived from the types that write them.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// Returns the schema of a type's JSON as it is written, in draft 2020-12. A field that is always written is required,
/// and fields that the schema does not name are refused.
pub fn schema<T: JsonSchema>() -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    if let Some(object) = schema.as_object_mut() {
        close(object, true);
    }
    schema
}

/// Refuses fields that an object's schema does not name. `whole` is false for one of several schemas of one object,
/// which is closed by the schema around them.
fn close(schema: &mut Map<String, Value>, whole: bool) {
    let fields = schema.contains_key("properties");
    let mut several = false;
    for key in ["allOf", "anyOf", "oneOf"] {
        for inner in schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            several = true;
            if let Value::Object(inner) = inner {
                close(inner, whole && !fields);
            }
        }
    }
    for key in ["$defs", "properties"] {
        let named = schema.get_mut(key).and_then(Value::as_object_mut);
        named
            .into_iter()
            .flat_map(Map::values_mut)
            .filter_map(Value::as_object_mut)
            .for_each(|inner| close(inner, true));
    }
    for key in ["items", "additionalProperties"] {
        schema.get_mut(key).and_then(Value::as_object_mut).into_iter().for_each(|inner| close(inner, true));
    }
    let places = schema.get_mut("prefixItems").and_then(Value::as_array_mut);
    places.into_iter().flatten().filter_map(Value::as_object_mut).for_each(|inner| close(inner, true));
    if whole && fields && !schema.contains_key("additionalProperties") {
        let key = if several { "unevaluatedProperties" } else { "additionalProperties" };
        schema.insert(key.to_owned(), false.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::schema;
    use crate::plan::Plan;
    use crate::unit::UnitResult;

    #[test]
    fn a_plan_names_its_fields_and_no_others() {
        let plan: Value = schema::<Plan>().into();
        assert_eq!(plan["properties"]["format"]["const"], 1);
        // The evaluation is one of several schemas of the object, so only all of them together close it.
        assert_eq!(plan["unevaluatedProperties"], false, "{plan}");
        assert!(
            plan["oneOf"].as_array().unwrap().iter().all(|one| one.get("additionalProperties").is_none()),
            "{plan}"
        );
        assert_eq!(plan["$defs"]["Limits"]["additionalProperties"], false);
        let required: Vec<&str> = plan["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(required.starts_with(&["format", "version"]) && !required.contains(&"tables"), "{required:?}");
    }

    #[test]
    fn a_unit_has_its_seconds_where_somebody_measured_them() {
        let unit: Value = schema::<UnitResult>().into();
        let required = unit["required"].as_array().unwrap();
        assert!(required.contains(&"agent".into()) && !required.contains(&"seconds".into()), "{unit}");
        assert!(unit["oneOf"].as_array().unwrap().len() == 5 && unit["unevaluatedProperties"] == false, "{unit}");
    }
}
