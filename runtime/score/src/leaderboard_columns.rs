//! The columns of `leaderboard.csv`: its header, and the JSON Schema of a row.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jointly_core::kind::Kind;
use jointly_core::{At, Real, ScoreInfo, ScoreName};
use jointly_record::kinds::KINDS;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

/// A column other than those of scores.
pub(crate) struct Column {
    name: &'static str,
    field: Field,
    meaning: &'static str,
}

/// The type of a column's fields.
#[derive(Clone, Copy)]
enum Field {
    /// Text, which may be empty.
    Text,
    /// A count.
    Count,
    /// A place in an order, from 1, or empty.
    Place,
    /// A number that may be infinite or NaN, or empty.
    Number,
}

/// The columns that every row has.
pub(crate) const AGENT: [Column; 6] = [
    Column {
        name: "rank",
        field: Field::Place,
        meaning: "The place by the mean of the score that ranks, from 1; equal means share a rank. Empty for a reference, and \
                  for an agent that has no score on some problem.",
    },
    Column { name: "agent", field: Field::Text, meaning: "The agent's name." },
    Column {
        name: "settings",
        field: Field::Text,
        meaning: "The settings that differ from the agent's defaults, as NAME=VALUE,NAME=VALUE.",
    },
    Column {
        name: "digest",
        field: Field::Text,
        meaning: "The digest of the agent's component; for a reference, its implementation.",
    },
    Column { name: "problems", field: Field::Count, meaning: "The number of problems that the agent has scores on." },
    Column { name: "failures", field: Field::Count, meaning: "The number of problems that the agent failed on." },
];

/// The column of a run with native agents.
pub(crate) const TIER: [Column; 1] = [Column {
    name: "tier",
    field: Field::Text,
    meaning: "Where native agents took part: `replayed` for a component in the sandbox, whose results others can make again, or \
              `reported` for a native agent.",
}];

/// The columns of a run with a reference.
pub(crate) const FLOOR: [Column; 2] = [
    Column {
        name: "above_floor_mean",
        field: Field::Number,
        meaning: "Where a reference took part: the mean difference to the reference in the score that is compared, paired by \
                  problem.",
    },
    Column { name: "above_floor_stderr", field: Field::Number, meaning: "The standard error of above_floor_mean." },
];

/// The columns of several entries that are ranked together.
pub(crate) const ENTRIES: [Column; 3] = [
    Column {
        name: "label",
        field: Field::Text,
        meaning: "From `jointly leaderboard` only: the agent's unique name among the entries.",
    },
    Column {
        name: "entry",
        field: Field::Text,
        meaning: "From `jointly leaderboard` only: the entries that have the agent, separated by a semicolon and a space.",
    },
    Column {
        name: "entrant",
        field: Field::Text,
        meaning: "From `jointly leaderboard` only: who entered the agent in a contest, separated by a comma and a space.",
    },
];

/// The columns of several entries that are compared with a baseline.
pub(crate) const COMPARED: [Column; 3] = [
    Column {
        name: "vs_mean",
        field: Field::Number,
        meaning: "From `jointly leaderboard` with a baseline: the mean difference to the baseline in the score that is compared, \
                  paired by problem.",
    },
    Column { name: "vs_stderr", field: Field::Number, meaning: "The standard error of vs_mean." },
    Column {
        name: "vs_p_holm",
        field: Field::Number,
        meaning: "The p value of a two-sided t-test that the difference is 0, with Holm's correction for all tests of the table; \
                  empty where the difference is not tested.",
    },
];

/// The columns of ranks in resamples of the problems.
pub(crate) const RANKS: [Column; 3] = [
    Column {
        name: "rank_low",
        field: Field::Place,
        meaning: "From `jointly leaderboard` only: the best rank of the 95 % interval over resamples of the problems; empty \
                  without a rank, and where there are no problems to resample.",
    },
    Column { name: "rank_high", field: Field::Place, meaning: "The worst rank of that interval." },
    Column {
        name: "first_share",
        field: Field::Number,
        meaning: "From `jointly leaderboard` only: the share of resamples in which the agent has rank 1.",
    },
];

/// The column of results that no honest agent has except by luck.
pub(crate) const MARKS: [Column; 1] = [Column {
    name: "marks",
    field: Field::Text,
    meaning: "From `jointly leaderboard` only: the scores that are better than the best possible one by more than their error \
              allows, separated by a semicolon and a space.",
}];

const MEAN: &str = "_mean";
const STDERR: &str = "_stderr";

/// Returns the names of columns.
pub(crate) fn names(columns: &[Column]) -> impl Iterator<Item = String> {
    columns.iter().map(|column| column.name.to_owned())
}

/// Returns the names of a score's two columns: its mean, and the standard error of the mean.
pub(crate) fn of_score(name: ScoreName) -> [String; 2] {
    [MEAN, STDERR].map(|ending| format!("{name}{ending}"))
}

/// A row of `leaderboard.csv` or of `jointly leaderboard --format csv`, for its JSON Schema.
pub struct LeaderboardRow;

impl JsonSchema for LeaderboardRow {
    fn schema_name() -> Cow<'static, str> {
        "LeaderboardRow".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds: Vec<Value> = KINDS.into_iter().map(|kind| of_kind(kind, generator)).collect();
        json_schema!({
            "description": "A row of leaderboard.csv, as an object with a property for each column. A number without a value is an \
                            empty field in the file, and null here. The columns of a score, SCORE_mean and SCORE_stderr, follow \
                            `failures`; `unit` and `better` are those of `jointly scores`. There is one schema for each kind of task.",
            "anyOf": kinds,
        })
    }
}

/// Returns the schema of rows for problems of a kind.
fn of_kind(kind: &Kind, generator: &mut SchemaGenerator) -> Value {
    let columns = [&AGENT[..], &TIER, &FLOOR, &ENTRIES, &COMPARED, &RANKS, &MARKS].into_iter().flatten();
    let properties: Map<String, Value> =
        columns.map(|column| (column.name.to_owned(), column.schema(generator))).collect();
    let mut patterns = Map::new();
    for stem in by_stem(&(kind.scores)()) {
        let (first, pattern) = (stem[0], stem[0].pattern());
        let number = Field::Number.schema(generator);
        patterns.insert(
            format!("^{pattern}{MEAN}$"),
            annotated(
                &number,
                &[
                    ("description", meaning(&stem)),
                    ("unit", first.unit.to_string()),
                    ("better", first.better.to_string()),
                ],
            ),
        );
        let stderr = format!("The standard error of the mean of {}.", first.stem);
        patterns.insert(
            format!("^{pattern}{STDERR}$"),
            annotated(&number, &[("description", stderr), ("unit", first.unit.to_string())]),
        );
    }
    let required: Vec<&str> = AGENT.iter().map(|column| column.name).collect();
    json_schema!({
        "title": kind.name,
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "required": required,
    })
    .into()
}

/// Groups definitions by stem, in the order of the first of each stem. Definitions with one stem agree on unit and
/// direction.
fn by_stem(scores: &[&'static ScoreInfo]) -> Vec<Vec<&'static ScoreInfo>> {
    let mut groups: Vec<Vec<&ScoreInfo>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for score in scores {
        let place = *places.entry(score.stem).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(score);
    }
    groups
}

/// Returns the meaning of scores with one stem, which may differ between the places where they are taken.
fn meaning(stem: &[&ScoreInfo]) -> String {
    let mut meanings: Vec<Cow<str>> = Vec::new();
    for score in stem {
        let aggregate = format!("{}_aggregate: {}", score.stem, score.meaning(At::Aggregate));
        let differs = score.meaning(At::Aggregate) != score.meaning(At::Once);
        meanings.push(score.meaning(At::Once));
        meanings.extend(differs.then_some(aggregate.into()));
    }
    meanings.join(" ")
}

impl Column {
    fn schema(&self, generator: &mut SchemaGenerator) -> Value {
        annotated(&self.field.schema(generator), &[("description", self.meaning.to_owned())])
    }
}

impl Field {
    fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Self::Text => json_schema!({ "type": "string" }),
            Self::Count => json_schema!({ "type": "integer", "minimum": 0 }),
            Self::Place => json_schema!({ "type": ["integer", "null"], "minimum": 1 }),
            Self::Number => generator.subschema_for::<Option<Real>>(),
        }
    }
}

/// Returns the schema with annotations added.
fn annotated(schema: &Schema, annotations: &[(&str, String)]) -> Value {
    let mut schema = schema.clone();
    for (keyword, text) in annotations {
        schema.insert((*keyword).to_owned(), text.as_str().into());
    }
    schema.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jointly_core::{At, ScoreDef};
    use jointly_record::invented::regression::{
        compared_run, correlated, covering, covering_run, learning, learning_run,
    };
    use jointly_record::invented::shift::{shift_run, shifting};
    use jointly_record::invented::{Got, InventedRun};
    use jointly_record::reference;
    use jointly_record::schema::schema;
    use regex::Regex;

    use super::*;
    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;
    use crate::scores::Scores;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];

    /// The schema of a kind's rows, with its patterns compiled.
    struct Described {
        schema: Value,
        patterns: Vec<(Regex, Value)>,
    }

    impl Described {
        fn of(kind: &Kind) -> Self {
            let whole: Value = schema::<LeaderboardRow>().into();
            let kinds = whole["anyOf"].as_array().unwrap();
            let schema = kinds.iter().find(|of_kind| of_kind["title"] == kind.name).unwrap().clone();
            let patterns = schema["patternProperties"].as_object().unwrap().iter();
            let patterns =
                patterns.map(|(pattern, of_column)| (Regex::new(pattern).unwrap(), of_column.clone())).collect();
            Self { schema, patterns }
        }

        /// Returns everything that the schema says about a column: its property, and the patterns that its name
        /// matches.
        fn about(&self, column: &str) -> Vec<&Value> {
            let matching = self.patterns.iter().filter(|(pattern, _)| pattern.is_match(column));
            self.schema["properties"].get(column).into_iter().chain(matching.map(|(_, schema)| schema)).collect()
        }

        fn only(&self, column: &str) -> &Value {
            let [only] = self.about(column)[..] else { panic!("{column} is not described once") };
            only
        }
    }

    /// Returns whether a field's text has the type of its column.
    fn is_of_type(schema: &Value, field: &str) -> bool {
        match &schema["type"] {
            Value::String(name) if name == "string" => true,
            Value::String(name) => name == "integer" && field.parse::<u64>().is_ok(),
            Value::Array(_) => field.is_empty() || field.parse::<u64>().is_ok_and(|place| place >= 1),
            _ => field.is_empty() || ["inf", "-inf", "nan"].contains(&field) || field.parse::<f64>().is_ok(),
        }
    }

    /// Returns all columns that a run can write, after checking each against the schema.
    fn written(scores: &Scores, baseline: Option<&str>) -> BTreeSet<String> {
        let described = Described::of(scores.plan.kind());
        assert!(described.schema["additionalProperties"] == false);
        let board = Leaderboard::new(scores);
        let mut columns = BTreeSet::new();
        for text in [board.to_csv(), board.to_csv_of_entries(baseline, |_| ["mine; yours", "ada"].map(str::to_owned))] {
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let header = reader.headers().unwrap().clone();
            for required in described.schema["required"].as_array().unwrap() {
                assert!(header.iter().any(|column| required == column), "{required}");
            }
            let schemas: Vec<&Value> = header.iter().map(|column| described.only(column)).collect();
            for row in reader.records() {
                for ((column, schema), field) in header.iter().zip(&schemas).zip(&row.unwrap()) {
                    assert!(is_of_type(schema, field), "{column}: {field:?} is not of {schema}");
                }
            }
            columns.extend(header.iter().map(str::to_owned));
        }
        columns
    }

    #[test]
    fn every_written_column_is_in_the_schema_and_the_other_way_round() {
        let agents: [(&str, &[Got]); 3] = [
            ("mlp", &[Got::Scored(1.0); 2]),
            ("prior", &[Got::Scored(f64::INFINITY); 2]),
            ("oracle", &[Got::Scored(0.5); 2]),
        ];
        let mut classification = InventedRun::new("quick", &PROBLEMS, &agents);
        classification.plan.agents[1].reported = Some("agent.py".into());
        classification.plan.agents[2].digest = reference::digest();
        let columns = written(&classification.scores(), None);
        let schema = Described::of(KINDS[0]).schema;
        let described: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let fixed: BTreeSet<&str> =
            columns.iter().map(String::as_str).filter(|column| described.contains(column)).collect();
        assert_eq!(fixed, described);
        assert!(columns.contains("kl_aggregate_stderr"), "{columns:?}");

        let shifts = [("mlp", shifting(0.9, 0.5)), ("prior", shifting(0.5, 0.1))];
        let columns = written(&shift_run(2, &["rotation/90", "fog/3"], &shifts).scores(), Some("prior"));
        assert!(columns.contains("accuracy_shifted_mean"), "{columns:?}");
        let columns = written(&learning_run(&[("mlp", learning(&[3.0, 2.0]))], 2).scores(), None);
        assert!(columns.contains("nll_round1_mean"), "{columns:?}");
        let columns = written(&covering_run("quick/coverage", 3, &[("mlp", covering(&[0.9, 0.8]))]).scores(), None);
        assert!(columns.contains("picf_brier_90_mean"), "{columns:?}");
        let agents = [("mlp", correlated(0.5)), ("prior", correlated(0.1))];
        let columns = written(&compared_run("quick/correlations", &["yacht"], 2, &agents).scores(), None);
        assert!(columns.contains("xllr_mean"), "{columns:?}");
    }

    #[test]
    fn every_score_has_one_pattern_for_each_of_its_columns() {
        for kind in KINDS {
            let (described, scores) = (Described::of(kind), (kind.scores)());
            let stems: BTreeSet<&str> = scores.iter().map(|score| score.stem).collect();
            assert_eq!(described.patterns.len(), 2 * stems.len());
            for score in scores {
                for column in [format!("{}_mean", score.stem), format!("{}_stderr", score.stem)] {
                    let only = described.only(&column);
                    assert_eq!(only["unit"], score.unit.to_string(), "{column}");
                    let better = column.ends_with(MEAN).then(|| Value::from(score.better.to_string()));
                    assert_eq!(only.get("better"), better.as_ref(), "{column}");
                    let said = only["description"].as_str().unwrap();
                    assert!(better.is_none() || said.contains(&*score.meaning(At::Once)), "{column}: {said}");
                }
            }
        }
    }

    #[test]
    fn a_pattern_matches_the_names_of_its_score_at_every_place_and_no_others() {
        let definitions = jointly_regression::scores::SCORES;
        let places = [At::Once, At::Tau(10), At::Aggregate, At::Level(90), At::Round(12)];
        let described = Described::of(KINDS[1]);
        for place in places {
            let name = ScoreDef::named(definitions, "interval", place);
            for column in of_score(name).into_iter().chain(of_score(name.shifted())) {
                described.only(&column);
            }
        }
        for other in
            ["interval", "interval_mean_mean", "interval_tau_mean", "my_interval_mean", "charm_mean", "rank_mean"]
        {
            assert!(described.about(other).is_empty(), "{other}");
        }
    }
}
