//! The document that `jointly leaderboard --format json` prints, as typed data from which its JSON Schema is derived.

use jointly_core::Real;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{Comparison, LEVEL};
use crate::leaderboard::{Baseline, Leaderboard};
use crate::scores::{Scores, number};

/// The scores of several entries in the form of a run's `scores.json`, the differences to a baseline, and the entries
/// that the agents come from. Numbers have 12 significant digits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Leaderboard")]
pub struct LeaderboardDocument<'a> {
    #[serde(flatten)]
    scores: &'a Scores<'a>,
    /// The differences to the baseline; null if there is no baseline or no score to compare.
    comparison: Option<ComparisonDocument<'a>>,
    /// The entries, in the order in which they were given.
    entries: Vec<EntryDocument<'a>>,
}

/// The differences of agents to a baseline, paired by problem.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Comparison")]
struct ComparisonDocument<'a> {
    /// The label of the baseline.
    baseline: &'a str,
    /// The name of the score that is compared.
    score: String,
    /// The significance level: the bound on the probability of marking any difference where there is none.
    level: f64,
    /// The agents that share a problem with the baseline, in the order of their ranks.
    agents: Vec<DifferenceDocument<'a>>,
}

/// The difference of an agent to the baseline: the agent's score minus the baseline's.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
struct DifferenceDocument<'a> {
    /// The agent's label.
    agent: &'a str,
    /// The mean difference over the problems on which both have scores.
    mean: Real,
    /// The standard error of the mean difference.
    stderr: Real,
    /// The number of problems that the mean is over.
    problems: usize,
    /// The number of clusters of problems behind the standard error.
    clusters: usize,
    /// The p value of a two-sided t-test that the difference is 0; null where the difference is not tested.
    p: Option<Real>,
    /// The p value with Holm's correction for all tests of the comparison; null where the difference is not tested.
    p_holm: Option<Real>,
    /// Whether `p_holm` is below `level`.
    significant: bool,
}

/// An entry and its agents.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Entry")]
struct EntryDocument<'a> {
    /// The name of the entry, or its path where names are not unique.
    entry: &'a str,
    /// The labels of its agents.
    agents: &'a [String],
}

impl Leaderboard<'_> {
    /// Returns the leaderboard as a document. `entries` are names, each with the labels of the entry's agents.
    pub fn document<'d>(
        &'d self,
        baseline: Option<&str>,
        entries: &'d [(String, Vec<String>)],
    ) -> LeaderboardDocument<'d> {
        let entries = entries.iter().map(|(entry, agents)| EntryDocument { entry, agents }).collect();
        LeaderboardDocument { scores: self.scores, comparison: self.comparison(baseline), entries }
    }

    fn comparison(&self, baseline: Option<&str>) -> Option<ComparisonDocument<'_>> {
        let (Baseline { agent: base, .. }, by) = self.baseline(baseline).zip(self.compared_by())?;
        let compared = self.order.iter().zip(self.comparisons(baseline));
        let agents = compared.filter_map(|(placed, comparison)| {
            let comparison = comparison?;
            let Comparison { difference, p, adjusted } = comparison;
            Some(DifferenceDocument {
                agent: &placed.agent.planned.label,
                mean: number(difference.mean),
                stderr: number(difference.stderr),
                problems: difference.problems,
                clusters: difference.clusters,
                p: p.map(number),
                p_holm: adjusted.map(number),
                significant: comparison.is_significant(),
            })
        });
        let agents = agents.collect();
        Some(ComparisonDocument { baseline: &base.planned.label, score: by.to_string(), level: LEVEL, agents })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jointly_record::invented::InventedRun;
    use jointly_record::schema::schema;
    use serde_json::Value;

    use super::LeaderboardDocument;
    use crate::invented::InventedScores as _;
    use crate::leaderboard::Leaderboard;
    use crate::scores::Scores;

    const PROBLEMS: [&str; 2] = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1"];

    /// Returns the names of an object's fields.
    fn fields(object: &Value) -> BTreeSet<&str> {
        object.as_object().unwrap().keys().map(String::as_str).collect()
    }

    /// Returns the names of fields that a schema describes, all of which it must require.
    fn described(schema: &Value) -> BTreeSet<&str> {
        let properties = fields(&schema["properties"]);
        let required: BTreeSet<&str> =
            schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(properties, required);
        assert!(schema["additionalProperties"] == false, "{schema}");
        properties
    }

    #[test]
    fn every_field_is_in_the_schema_and_the_other_way_round() {
        let run = InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0, 2.0]), ("prior", &[2.0, 4.0])]);
        let scores = run.scores();
        let entries = [("mine".to_owned(), vec!["mlp".to_owned(), "prior".to_owned()])];
        let document = serde_json::to_value(Leaderboard::new(&scores).document(None, &entries)).unwrap();
        let schema: Value = schema::<LeaderboardDocument>().into();
        assert_eq!(fields(&document), described(&schema));
        let definitions = &schema["$defs"];
        let comparison = &document["comparison"];
        assert_eq!(fields(comparison), described(&definitions["Comparison"]));
        assert_eq!(fields(&comparison["agents"][0]), described(&definitions["Difference"]));
        assert_eq!(fields(&document["entries"][0]), described(&definitions["Entry"]));
        assert_eq!((&comparison["baseline"], &comparison["agents"][0]["agent"]), (&"mlp".into(), &"prior".into()));
        // Aggregates are 2 and 4 for the baseline, 4 and 8 for the other.
        assert_eq!((&comparison["agents"][0]["mean"], &comparison["level"]), (&3.0.into(), &0.05.into()));
        assert_eq!(document["entries"][0]["entry"], "mine");
    }

    #[test]
    fn a_leaderboard_has_all_fields_of_scores_and_no_comparison_without_a_baseline() {
        let run = InventedRun::scored("quick", &PROBLEMS, &[("prior", &[2.0, 4.0])]);
        let scores = run.scores();
        let mut document = serde_json::to_value(Leaderboard::new(&scores).document(None, &[])).unwrap();
        let object = document.as_object_mut().unwrap();
        assert_eq!(object.remove("comparison"), Some(Value::Null));
        assert_eq!(object.remove("entries"), Some(Value::Array(Vec::new())));
        assert_eq!(document, serde_json::to_value(&scores).unwrap());
        let (whole, part): (Value, Value) = (schema::<LeaderboardDocument>().into(), schema::<Scores>().into());
        assert!(fields(&whole["properties"]).is_superset(&fields(&part["properties"])), "{whole}");
    }
}
