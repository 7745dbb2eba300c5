//! The scores of a run as in `scores.json`, computed from the plan and the journal alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Result, anyhow, ensure};
use jointly_core::{ScoreName, Seed, Units};
use jointly_record::directory::RunDirectory;
use jointly_record::format::Format;
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem};
use jointly_record::unit::UnitResult;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use document::AgentDocument;

mod across;
mod agent;
mod classification;
mod cross;
mod document;
mod problem;
mod regression;
mod results;
mod totals;
mod values;

pub use across::Across;
pub use agent::{AgentScores, UnitScores};
pub use classification::BestAccuracies;
pub use cross::{Beliefs, CrossProblem};
pub use problem::ScoredProblem;
pub use results::Results;
pub use totals::Totals;
pub(crate) use totals::{Absent, Total};
pub use values::number;

/// The most numbers that are held of all agents together: those of ten million units, several times.
const MOST_NUMBERS: usize = 150_000_000;

/// The scores of a run.
pub struct Scores<'a> {
    /// The plan of the run.
    pub plan: &'a Plan,
    /// Every agent of the plan, in the plan's order.
    pub agents: Vec<AgentScores<'a>>,
    /// The scores of agents against each other, problem by problem; empty except for correlations.
    pub cross: Vec<CrossProblem<'a>>,
    /// The results that are read again to write `scores.json`, if they are not held.
    results: Option<Results<'a>>,
}

impl<'a> Scores<'a> {
    /// Gathers results in the plan's order, whatever order they finished in, and scores agents against each other by
    /// the beliefs in the directory.
    ///
    /// # Errors
    /// When a belief is missing or damaged, or beliefs cannot be compared.
    pub fn with_beliefs(plan: &'a Plan, results: &'a [UnitResult], directory: &RunDirectory) -> Result<Self> {
        let beliefs = Beliefs::of_results(results, directory);
        // Beliefs that no comparison reads may be damaged, too.
        beliefs.check()?;
        Self::among(plan, results, &beliefs)
    }

    /// Gathers results and scores agents against each other by the given beliefs.
    ///
    /// # Errors
    /// When a belief is missing or damaged, or beliefs cannot be compared.
    pub fn among(plan: &'a Plan, results: &'a [UnitResult], beliefs: &Beliefs) -> Result<Self> {
        let mut scores = Self::new(plan, results);
        scores.cross = cross::score(&mut scores.agents, plan, beliefs)?;
        Ok(scores)
    }

    /// Gathers results in the plan's order, whatever order they finished in.
    pub fn new(plan: &'a Plan, results: &'a [UnitResult]) -> Self {
        let by_unit: HashMap<(&str, &str), &UnitResult> =
            results.iter().map(|result| ((result.agent.as_str(), result.problem.as_str()), result)).collect();
        let scores = |planned: &'a PlannedAgent| {
            let found = |problem: &PlannedProblem| by_unit.get(&(&*planned.label, &*problem.problem)).copied();
            AgentScores::of(plan, planned, plan.problems.iter().map(found))
        };
        let agents = plan.agents.iter().map(scores).collect();
        Self { plan, agents, cross: Vec::new(), results: None }
    }

    /// Sums up results that stay in their journal, and holds none of them. Only tables, `leaderboard.csv` and
    /// `scores.json` can be made of such scores.
    ///
    /// # Errors
    /// When a journal cannot be read, or has more numbers than can be held.
    pub fn summed_up(plan: &'a Plan, results: Results<'a>) -> Result<Self> {
        let (mut agents, mut numbers) = (Vec::with_capacity(plan.agents.len()), 0);
        for some in results.read() {
            for (place, found) in some? {
                let planned = &plan.agents[place];
                let agent = AgentScores::of(plan, planned, found.iter().map(Option::as_ref)).summed_up(plan, planned);
                numbers += agent.totals().numbers();
                ensure!(numbers <= MOST_NUMBERS, "there are more than {MOST_NUMBERS} numbers to compare agents by");
                agents.push(agent);
            }
        }
        Ok(Self { plan, agents, cross: Vec::new(), results: Some(results) })
    }

    /// Returns the units over which standard errors of the plan's problems are taken.
    pub fn units(&self) -> Units {
        let kind = self.plan.kind();
        let clusters: Vec<&str> = self.plan.problems.iter().map(PlannedProblem::cluster).collect();
        let alone = self.plan.problems.iter().all(|planned| planned.problem == planned.cluster());
        match clusters.as_slice() {
            [_] => kind.units_of_one,
            _ if alone => Units::Problems,
            [first, rest @ ..] if rest.iter().all(|cluster| cluster == first) => Units::OneShared(kind.shared),
            _ => Units::Shared(kind.shared),
        }
    }

    /// Returns the clusters of the plan's problems, by problem name.
    pub fn clusters(&self) -> HashMap<&'a str, &'a str> {
        self.plan.problems.iter().map(|planned| (planned.problem.as_str(), planned.cluster())).collect()
    }

    /// Returns the names of all scores, in the order of their definitions.
    pub fn names(&self) -> Vec<ScoreName> {
        let names: BTreeSet<ScoreName> = self.agents.iter().flat_map(AgentScores::names).collect();
        names.into_iter().collect()
    }

    /// Returns the scores that single problems have, in the order of their definitions.
    pub fn columns(&self) -> Vec<ScoreColumn> {
        let mut columns: BTreeMap<ScoreName, ScoreColumn> = BTreeMap::new();
        for total in self.agents.iter().flat_map(|agent| &agent.totals().scores) {
            let name = total.name;
            let column = columns.entry(name).or_insert(ScoreColumn { name, has_errors: false, has_draws: false });
            column.has_errors |= total.has_errors;
            column.has_draws |= total.draws.is_some();
        }
        columns.into_values().collect()
    }

    /// Hands every agent, with its problems, to `take`, in the plan's order.
    ///
    /// # Errors
    /// With the first error of `take`, and when results stay in a journal that can no longer be read.
    pub fn each_agent(&self, mut take: impl FnMut(&AgentScores) -> Result<()>) -> Result<()> {
        let Self { plan, agents, results, .. } = self;
        let Some(results) = results else { return agents.iter().try_for_each(take) };
        for some in results.read() {
            for (place, found) in some? {
                take(&AgentScores::of(plan, &plan.agents[place], found.iter().map(Option::as_ref)))?;
            }
        }
        Ok(())
    }

    /// Returns the number of units without a result.
    pub fn missing(&self) -> usize {
        self.agents.iter().map(|agent| agent.missing).sum()
    }

    /// Returns whether any agent failed on any problem.
    pub fn failed(&self) -> bool {
        self.agents.iter().any(|agent| agent.totals().failed > 0)
    }
}

/// A score that single problems have.
#[derive(Clone, Copy, Debug)]
pub struct ScoreColumn {
    /// The score's name.
    pub name: ScoreName,
    /// Whether some value has a standard error within its problem.
    pub has_errors: bool,
    /// Whether some value is of a joint score, which has the effect of the number of draws.
    pub has_draws: bool,
}

/// The reproducible part of a run's scores. Numbers have 12 significant digits.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Scores")]
struct Document<'a> {
    /// The number of the format.
    format: Format,
    /// The suite's name.
    suite: &'a str,
    /// The master seed.
    seed: Seed,
    /// The version of the command that made the plan.
    version: &'a str,
    /// Every agent of the plan, in the plan's order.
    #[schemars(with = "Vec<AgentDocument<'static>>")]
    agents: Agents<'a>,
}

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let plan = self.plan;
        let (suite, seed, version) = (plan.suite.as_str(), plan.seed, plan.version.as_str());
        Document { format: plan.format, suite, seed, version, agents: Agents(self) }.serialize(serializer)
    }
}

impl JsonSchema for Scores<'_> {
    fn schema_name() -> Cow<'static, str> {
        Document::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Document::json_schema(generator)
    }
}

/// The agents of a run. One agent's values are held at a time, because they take several times the memory of their
/// text.
struct Agents<'a>(&'a Scores<'a>);

impl Serialize for Agents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.agents.len()))?;
        let mut failed = None;
        let each = self.0.each_agent(|agent| {
            list.serialize_element(&agent.document()).map_err(|error| {
                failed = Some(error);
                anyhow!("the writer failed")
            })
        });
        match (failed, each) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(S::Error::custom(format!("{error:#}"))),
            (None, Ok(())) => list.end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::InventedScores as _;
    use jointly_core::Summary;
    use jointly_record::invented::InventedRun;
    use serde_json::Value;

    fn summary(suite: &str, problems: &[&str], means: &[f64]) -> (Units, Summary, Value) {
        let name = if suite == "quick" { "kl_tau1" } else { "nll_tau1" };
        let run = InventedRun::scored(suite, problems, &[("mlp", means)]);
        let scores = run.scores();
        let json = serde_json::to_value(&scores).unwrap()["agents"][0]["scores"][name].clone();
        (scores.units(), scores.agents[0].summary(name).unwrap(), json)
    }

    const REAL: [&str; 4] = [
        "quick/real/iris/t1/seed0",
        "quick/real/iris/tfull/seed0",
        "quick/real/mnist-t10k/t1/seed0",
        "quick/real/mnist-t10k/t1/seed1",
    ];

    #[test]
    fn problems_of_a_dataset_are_one_unit() {
        let (units, both, json) = summary("quick/real", &REAL, &[1.0, 3.0, 5.0, 7.0]);
        // Clustered: sqrt(2 / 1 * (4^2 + 4^2)) / 4 instead of sqrt(20 / 3 / 4).
        assert_eq!((units, both.mean, both.stderr), (Units::Shared("dataset"), 4.0, 2.0));
        assert_eq!((both.problems, both.clusters), (4, 2));
        assert_eq!((&json["stderr"], &json["problems"], &json["datasets"]), (&2.0.into(), &4.into(), &2.into()));
        let (units, one, _) = summary("quick/real", &REAL[..2], &[1.0, 3.0]);
        assert!(units == Units::OneShared("dataset") && one.stderr.is_nan(), "{units:?} {one:?}");
        let (units, alone, json) = summary("quick/real", &REAL[..1], &[1.0]);
        assert_eq!((units, alone.stderr, &json["datasets"]), (Units::TauSamples, 0.5, &1.into()));
    }

    #[test]
    fn sampled_problems_are_units_of_their_own() {
        let names = ["quick/t10/temp0.1/seed0", "quick/t10/temp0.1/seed1", "quick/t100/temp0.1/seed0"];
        let (units, summary, json) = summary("quick", &names, &[1.0, 2.0, 3.0]);
        assert_eq!((units, summary.stderr), (Units::Problems, (1.0_f64 / 3.0).sqrt()));
        assert!(json.get("datasets").is_none(), "{json}");
    }
}
