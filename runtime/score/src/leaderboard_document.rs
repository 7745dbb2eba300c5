//! The document that `jointly leaderboard --format json` prints, as typed data from which its JSON Schema is derived.

use std::collections::{BTreeMap, HashMap};

use jointly_core::Real;
use schemars::JsonSchema;
use serde::Serialize;

use crate::comparison::{Comparison, LEVEL};
use crate::leaderboard::{Baseline, Leaderboard};
use crate::overfit::{Overfit, overfit};
use crate::rank_interval::{COVERAGE, RankInterval, RankIntervals};
use crate::scores::{AgentScores, Scores, number};

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
    /// Who entered which agent, where entries are contests.
    entrants: BTreeMap<&'a str, &'a str>,
    /// The ranks in resamples of the problems; null if problems cannot be resampled.
    ranks: Option<RanksDocument<'a>>,
    /// Results that no honest agent has except by luck: means better than the best possible one by more than three
    /// standard errors. They keep their ranks.
    marks: Vec<MarkDocument<'a>>,
    /// Agents under a public seed beside the same agents under a sealed one; null unless entries of both were given.
    overfit: Option<Vec<OverfitDocument<'a>>>,
}

/// The ranks of agents in resamples of the problems, with replacement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Ranks")]
struct RanksDocument<'a> {
    /// The number of resamples.
    resamples: usize,
    /// The unit that is resampled: `problem` or, where standard errors are clustered, `dataset` or `environment`.
    unit: &'static str,
    /// The number of units.
    units: usize,
    /// The share of resamples in which a rank is within its interval, at least.
    coverage: f64,
    /// The agents with a rank, in its order.
    agents: Vec<RankDocument<'a>>,
}

/// The ranks of an agent in resamples of the problems.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rank")]
struct RankDocument<'a> {
    /// The agent's label.
    agent: &'a str,
    /// The rank.
    rank: usize,
    /// The best rank of the interval.
    low: usize,
    /// The worst rank of the interval.
    high: usize,
    /// The share of resamples in which the agent has rank 1, alone or with others.
    first: Real,
}

/// A mean that is better than the best possible one by more than its error allows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Mark")]
struct MarkDocument<'a> {
    /// The agent's label.
    agent: &'a str,
    /// The score's name.
    score: String,
    /// The agent's mean.
    mean: Real,
    /// The expected mean of an agent that knows the environment.
    best: Real,
    /// The standard error of the difference over test data alone.
    stderr: Real,
}

/// The score of an agent under a public seed beside that under a sealed one.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Overfit")]
struct OverfitDocument<'a> {
    /// The agent's label among the entries under the sealed seed.
    agent: &'a str,
    /// The name of the score.
    score: String,
    /// The mean under the public seed.
    public: Real,
    /// The mean under the sealed seed.
    sealed: Real,
    /// The mean of the sealed score minus the public one, paired by the names of problems.
    difference: Real,
    /// The standard error of the difference.
    stderr: Real,
    /// The mean of that difference minus its mean over the other agents on the same problem, or null without others.
    above_others: Option<Real>,
    /// The standard error of that mean.
    above_others_stderr: Option<Real>,
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
    /// Returns the leaderboard as a document. `entries` are names, each with the labels of the entry's agents; `public`
    /// is the leaderboard of the entries under a public seed, if these are under a sealed one. `entrants` are those of
    /// contests, by the agents' labels.
    pub fn document<'d>(
        &'d self,
        baseline: Option<&str>,
        entries: &'d [(String, Vec<String>)],
        entrants: &'d HashMap<String, String>,
        public: Option<&'d Leaderboard<'d>>,
    ) -> LeaderboardDocument<'d> {
        let entries = entries.iter().map(|(entry, agents)| EntryDocument { entry, agents }).collect();
        LeaderboardDocument {
            scores: self.scores,
            comparison: self.comparison(baseline),
            entries,
            entrants: entrants.iter().map(|(label, by)| (label.as_str(), by.as_str())).collect(),
            ranks: self.resampled(),
            marks: self.marked(),
            overfit: public.map(|public| overfit(self, public).iter().map(overfit_document).collect()),
        }
    }

    fn resampled(&self) -> Option<RanksDocument<'_>> {
        let RankIntervals { resamples, units, agents } = self.rank_intervals()?;
        let agents = self.order.iter().zip(agents).filter_map(|(placed, interval)| {
            let RankInterval { low, high, first } = interval?;
            let agent = &placed.agent.planned.label;
            Some(RankDocument { agent, rank: placed.rank?, low, high, first: number(first) })
        });
        let unit = self.scores.units().unit();
        Some(RanksDocument { resamples, unit, units, coverage: COVERAGE, agents: agents.collect() })
    }

    fn marked(&self) -> Vec<MarkDocument<'_>> {
        let marked = self.order.iter().zip(self.marks());
        let marks = marked.flat_map(|(placed, marks)| marks.iter().map(move |mark| (placed.agent, mark)));
        let document = marks.map(|(agent, mark)| MarkDocument {
            agent: &agent.planned.label,
            score: mark.score.to_string(),
            mean: number(mark.mean),
            best: number(mark.best),
            stderr: number(mark.stderr),
        });
        document.collect()
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

fn overfit_document<'a>(it: &Overfit<'a>) -> OverfitDocument<'a> {
    let mean = |agent: &AgentScores| number(agent.summary(&it.score).map_or(f64::NAN, |summary| summary.mean));
    OverfitDocument {
        agent: &it.sealed.planned.label,
        score: it.score.to_string(),
        public: mean(it.public),
        sealed: mean(it.sealed),
        difference: number(it.difference.mean),
        stderr: number(it.difference.stderr),
        above_others: it.above_others.map(|above| number(above.mean)),
        above_others_stderr: it.above_others.map(|above| number(above.stderr)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use jointly_record::invented::InventedRun;
    use jointly_record::schema::schema;
    use serde_json::{Map, Value};

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
        let cheat = InventedRun::scored("quick", &PROBLEMS, &[("mlp", &[1.0, 2.0]), ("prior", &[-4.0, -4.0])]);
        let (scores, public) = (run.scores(), cheat.scores());
        let entries = [("mine".to_owned(), vec!["mlp".to_owned(), "prior".to_owned()])];
        let (board, public) = (Leaderboard::new(&scores), Leaderboard::new(&public));
        let document = serde_json::to_value(board.document(None, &entries, &HashMap::new(), Some(&public))).unwrap();
        let marked = serde_json::to_value(public.document(None, &entries, &HashMap::new(), None)).unwrap();
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
        assert_eq!(fields(&document["ranks"]), described(&definitions["Ranks"]));
        assert_eq!(fields(&document["ranks"]["agents"][0]), described(&definitions["Rank"]));
        assert_eq!(
            (&document["ranks"]["agents"][0]["high"], &document["ranks"]["unit"]),
            (&1.into(), &"problem".into())
        );
        assert_eq!(fields(&document["overfit"][0]), described(&definitions["Overfit"]));
        assert_eq!(
            (&document["overfit"][1]["difference"], &document["overfit"][1]["public"]),
            (&14.0.into(), &(-8.0).into())
        );
        assert_eq!(fields(&marked["marks"][0]), described(&definitions["Mark"]));
        assert_eq!((document["marks"].as_array().unwrap().len(), &marked["marks"][0]["agent"]), (0, &"prior".into()));
    }

    #[test]
    fn a_leaderboard_has_all_fields_of_scores_and_no_comparison_without_a_baseline() {
        let run = InventedRun::scored("quick", &PROBLEMS, &[("prior", &[2.0, 4.0])]);
        let scores = run.scores();
        let mut document =
            serde_json::to_value(Leaderboard::new(&scores).document(None, &[], &HashMap::new(), None)).unwrap();
        let object = document.as_object_mut().unwrap();
        assert_eq!(
            (object.remove("overfit"), object.remove("marks")),
            (Some(Value::Null), Some(Value::Array(Vec::new())))
        );
        assert_eq!(object.remove("ranks").unwrap()["resamples"], 2_000);
        assert_eq!(object.remove("comparison"), Some(Value::Null));
        assert_eq!(object.remove("entries"), Some(Value::Array(Vec::new())));
        assert_eq!(object.remove("entrants"), Some(Value::Object(Map::new())));
        assert_eq!(document, serde_json::to_value(&scores).unwrap());
        let (whole, part): (Value, Value) = (schema::<LeaderboardDocument>().into(), schema::<Scores>().into());
        assert!(fields(&whole["properties"]).is_superset(&fields(&part["properties"])), "{whole}");
    }
}
