//! `jointly schema`: the files of a run match the schemas, which describe every field.

use serde_json::{Map, Value};

use crate::command::{done, refused, run};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory, json};
use crate::sweep::sweep;
use crate::{contest, regression, shift};

fn schema(name: &str) -> Value {
    json(&done(["schema", name]))
}

/// A document that is validated against its schema.
struct Checked<'s> {
    root: &'s Value,
}

impl Checked<'_> {
    /// Returns the defect of a value that its schema does not allow, or else the names of the fields that the schema
    /// describes.
    fn defect(&self, schema: &Value, value: &Value, place: &str) -> Result<Vec<String>, String> {
        let mut known: Vec<String> = Vec::new();
        let Value::Object(schema) = schema else {
            return if *schema == Value::Bool(true) { Ok(known) } else { Err(format!("{place}: nothing is allowed")) };
        };
        for (keyword, argument) in schema {
            match keyword.as_str() {
                "$schema"
                | "$defs"
                | "title"
                | "description"
                | "default"
                | "format"
                // Both are handled with the properties.
                | "additionalProperties"
                | "unevaluatedProperties" => {}
                "$ref" => {
                    let name = argument.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    known.extend(self.defect(&self.root["$defs"][name], value, place)?);
                }
                "type" => is_of_type(argument, value, place)?,
                "const" => same(argument == value, place, "is not the constant")?,
                "enum" => same(argument.as_array().unwrap().contains(value), place, "is none of the words")?,
                "minimum" => {
                    same(value.as_f64().is_none_or(|x| x >= argument.as_f64().unwrap()), place, "is too small")?;
                }
                "maximum" => {
                    same(value.as_f64().is_none_or(|x| x <= argument.as_f64().unwrap()), place, "is too large")?;
                }
                "required" => {
                    for name in argument.as_array().unwrap() {
                        same(value.get(name.as_str().unwrap()).is_some(), place, &format!("lacks {name}"))?;
                    }
                }
                "properties" => {
                    for (name, inner) in argument.as_object().unwrap() {
                        if let Some(field) = value.get(name) {
                            self.defect(inner, field, &format!("{place}.{name}"))?;
                            known.push(name.clone());
                        }
                    }
                }
                "items" if !schema.contains_key("prefixItems") => {
                    for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.defect(argument, item, &format!("{place}[{at}]"))?;
                    }
                }
                "prefixItems" => {
                    for (at, inner) in argument.as_array().unwrap().iter().enumerate() {
                        self.defect(inner, &value[at], &format!("{place}[{at}]"))?;
                    }
                }
                "minItems" => {
                    same(length(value).is_none_or(|n| n >= argument.as_u64().unwrap()), place, "is too short")?;
                }
                "maxItems" => {
                    same(length(value).is_none_or(|n| n <= argument.as_u64().unwrap()), place, "is too long")?;
                }
                "anyOf" | "oneOf" => {
                    let tried = argument.as_array().unwrap().iter().map(|one| self.defect(one, value, place));
                    let (fits, defects): (Vec<_>, Vec<_>) = tried.partition(Result::is_ok);
                    let reasons: Vec<String> = defects.into_iter().filter_map(Result::err).collect();
                    same(!fits.is_empty(), place, &format!("fits nothing: {}", reasons.join("; ")))?;
                    same(keyword == "anyOf" || fits.len() == 1, place, "fits several")?;
                    known.extend(fits.into_iter().flatten().flatten());
                }
                keyword => panic!("{keyword}: this test does not know the keyword"),
            }
        }
        let own = |name: &String| match schema.get("properties") {
            Some(fields) => fields.get(name).is_some(),
            None => false,
        };
        for (name, field) in value.as_object().into_iter().flatten() {
            let place = format!("{place}.{name}");
            if let Some(rest) = schema.get("additionalProperties").filter(|_| !own(name)) {
                self.defect(rest, field, &place)?;
                known.push(name.clone());
            }
            if let Some(rest) = schema.get("unevaluatedProperties").filter(|_| !known.contains(name)) {
                self.defect(rest, field, &place)?;
            }
        }
        Ok(known)
    }
}

fn same(holds: bool, place: &str, said: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("{place} {said}")) }
}

fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|items| items.len() as u64)
}

fn is_of_type(argument: &Value, value: &Value, place: &str) -> Result<(), String> {
    let is = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("{other}: this test does not know the type"),
    };
    let holds = argument.as_array().map_or_else(|| is(argument), |names| names.iter().any(is));
    same(holds, place, &format!("is no {argument}"))
}

fn defect(schema: &Value, document: &Value) -> Option<String> {
    Checked { root: schema }.defect(schema, document, "it").err()
}

/// Collects all objects of a document with fixed fields, by their paths.
fn objects(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(path.to_owned());
            for (name, field) in fields {
                objects(field, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate().take(2) {
                objects(item, &format!("{path}/{at}"), found);
            }
        }
        _ => {}
    }
}

/// Asserts that the document is valid, and invalid with one more field, except where field names are free, or without a
/// required field.
fn is_exactly(name: &str, document: &Value) {
    let schema = schema(name);
    assert_eq!(defect(&schema, document), None, "{name}");
    let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for field in required {
        let mut less = document.clone();
        less.as_object_mut().unwrap().remove(field).unwrap();
        assert!(defect(&schema, &less).is_some_and(|said| said.contains("lacks")), "{name} without {field}");
    }
    let mut places = Vec::new();
    objects(document, "", &mut places);
    let mut closed = 0;
    for place in &places {
        let mut more = document.clone();
        let object: &mut Map<String, Value> = more.pointer_mut(place).unwrap().as_object_mut().unwrap();
        // The name is neither a score nor a setting, which agents and suites may name freely.
        object.insert("unheard of".to_owned(), Value::Array(Vec::new()));
        assert!(defect(&schema, &more).is_some(), "{name}: a field that nobody wrote is taken at {place:?}");
        closed += 1;
    }
    assert!(closed > 0, "{name}");
}

fn every_file_is_what_its_schema_says(directory: &RunDirectory) {
    let as_written = |name: &str| std::fs::read_to_string(directory.file(name)).unwrap();
    is_exactly("plan", &json(&as_written("plan.json")));
    is_exactly("scores", &directory.scores());
    let journal = as_written("results.jsonl");
    assert!(journal.lines().count() > 0);
    journal.lines().for_each(|line| is_exactly("unit", &json(line)));
}

#[test]
fn runs_of_classification_with_an_oracle_and_a_failure() {
    let directory = RunDirectory::new();
    let finished = directory.run(&["mlp:steps=20", "uniform", "oracle:warmup=4"], PROBLEM, &["--fuel", "50000000"]);
    assert!([Some(0), Some(3)].contains(&finished.code), "{finished:?}");
    every_file_is_what_its_schema_says(&directory);
}

#[test]
fn sweeps_with_a_choice_and_with_failures_alone() {
    let directory = RunDirectory::new();
    sweep(&directory, "quick/t10/temp0.1/seed{0,1}", &["--tune", "per-setting"]);
    is_exactly("sweep", &json(&directory.read("sweep.json")));
    let (directory, guest) = (RunDirectory::new(), argument("own-failure"));
    let fixed = ["sweep", &guest, "--suite", "quick", "--problems", PROBLEM, "--out", directory.argument()];
    assert_eq!(run(fixed).code, Some(3));
    is_exactly("sweep", &json(&directory.read("sweep.json")));
}

#[test]
fn a_run_of_each_suite_of_regression() {
    for (suite, problems, _) in regression::SUITES {
        let (directory, _) = regression::scored(&regression::AGENTS, suite, problems, &[]);
        every_file_is_what_its_schema_says(&directory);
    }
}

#[test]
fn a_run_of_dataset_shift() {
    let options = ["--shifts", "rotation/90,fog/3", "--draws", "5"];
    let (directory, _) = regression::scored(&shift::AGENTS, shift::SUITE, shift::PROBLEM, &options);
    every_file_is_what_its_schema_says(&directory);
}

#[test]
fn a_shard() {
    let directory = RunDirectory::new();
    let finished = directory.run(&["uniform", "prior"], PROBLEM, &["--shard", "1/2"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    is_exactly("shard", &json(&directory.read("shard.json")));
}

#[test]
fn the_files_of_a_contest() {
    let contest = contest::closed();
    is_exactly("contest", &contest.json("contest.json"));
    is_exactly("contest-list", &contest.json("closed.json"));
    let entries = contest.files("entries");
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        is_exactly("contest-entry", &contest::json(entry));
    }
}

#[test]
fn a_leaderboard_of_entries() {
    let agents = ["uniform", "prior", "mlp:steps=20"];
    let (one, other) = (RunDirectory::of(&agents[..2], PROBLEM), RunDirectory::of(&agents[1..], PROBLEM));
    let entries = [one.argument(), other.argument()];
    for baseline in [&[][..], &["--baseline", "prior"]] {
        let arguments = ["leaderboard", "--format", "json"].into_iter().chain(entries).chain(baseline.iter().copied());
        is_exactly("leaderboard-json", &json(&done(arguments)));
    }
}

#[test]
fn the_schemas_are_listed_and_a_misspelt_name_gets_a_guess() {
    let listed = done(["schema"]);
    for line in listed.lines() {
        let name = line.split(' ').next().unwrap();
        assert_eq!(schema(name)["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    }
    assert_eq!(listed.lines().count(), 11);
    refused(["schema", "plna"], &["no schema is called plna: did you mean `plan`?"]);
    refused(["schema", "weather"], &["`jointly schema` lists them"]);
}
