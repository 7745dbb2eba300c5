//! The scores of a finished run whose journal was not kept, and what units that are run again say of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use jointly_core::printable::{ShowPath as _, Shown};
use jointly_core::{Seed, Summary, summarize_clusters};
use jointly_record::difference::difference;
use jointly_record::directory::{JOURNAL, PLAN, RunDirectory, SCORES};
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::settings::Settings;
use jointly_record::unit::{Unit, UnitResult};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::claims;
use crate::scores::{Beliefs, Scores};

/// The difference between numbers that are taken for the same, by the largest value that they are computed from: `scores.json` has
/// twelve digits.
const PRECISION: f64 = 1e-9;
/// The scores of agents against each other.
const CROSS: [&str; 2] = ["xllr", "xll"];

/// A run's plan and scores.
pub struct HeldScores {
    /// The directory.
    pub directory: RunDirectory,
    /// The plan.
    pub plan: Plan,
    agents: Vec<Agent>,
    /// The results of agents that are scored against each other and were run again, by problem, until those of all of them are there.
    waiting: RefCell<BTreeMap<usize, Vec<Again>>>,
}

/// A unit's result and the agent's predictions.
type Again = (UnitResult, Vec<u8>);

/// The part of `scores.json` that is compared.
#[derive(Deserialize)]
struct Document {
    suite: String,
    seed: Seed,
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(rename = "agent")]
    name: String,
    digest: String,
    settings: Settings,
    scores: BTreeMap<String, Total>,
    failures: Vec<Failure>,
    problems: Vec<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Failure {
    problem: String,
}

/// The mean of a score over problems.
#[derive(Deserialize)]
struct Total {
    mean: Value,
    stderr: Value,
    problems: usize,
}

impl HeldScores {
    /// Reads the plan and the scores in a run's directory.
    ///
    /// # Errors
    /// When there is no run, it has a journal, a file cannot be read, or the scores are not of the plan.
    pub fn open(path: &Path) -> Result<Self> {
        let directory = RunDirectory::existing(path)?;
        let plan = directory.plan()?;
        ensure!(
            !directory.has(JOURNAL),
            "{} has a journal: `jointly verify` without --scores checks all that it holds",
            path.shown()
        );
        let shown = directory.shown(SCORES);
        let Document { suite, seed, agents } = serde_json::from_str(&claims::read(&directory, SCORES)?)
            .with_context(|| format!("failed to read {shown}; get another copy"))?;
        let own = agents.iter().map(|own| (&own.name, &own.digest, &own.settings));
        ensure!(
            own.eq(plan.agents.iter().map(|own| (&own.agent, &own.digest, &own.settings)))
                && (suite.as_str(), seed) == (plan.suite.as_str(), plan.seed),
            "{shown} is of other agents, another suite or another seed than {PLAN}; get another copy of both"
        );
        Ok(Self { directory, plan, agents, waiting: RefCell::default() })
    }

    /// Returns the path as the user gave it, for messages.
    pub fn shown(&self) -> Shown<'_> {
        self.directory.path().shown()
    }

    /// Reads the text that, with the seed, determines the choice of a sample.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn claim(&self) -> Result<String> {
        claims::read(&self.directory, SCORES)
    }

    /// Returns the first place in which the scores do not follow from one another: an agent has a score or a failure on each problem of
    /// the plan, once, and means and standard errors follow from the problems. Scores that no problem has, as those of all simulations
    /// together, are not compared.
    pub fn defect(&self) -> Option<String> {
        let mut planned: Vec<&str> = self.plan.problems.iter().map(|planned| planned.problem.as_str()).collect();
        planned.sort_unstable();
        let clusters: HashMap<&str, &str> =
            self.plan.problems.iter().map(|planned| (planned.problem.as_str(), planned.cluster())).collect();
        self.agents.iter().zip(&self.plan.agents).find_map(|(agent, entry)| {
            let label = &entry.label;
            let mut own: Vec<&str> = agent.problems.iter().filter_map(problem).collect();
            own.extend(agent.failures.iter().map(|failure| failure.problem.as_str()));
            own.sort_unstable();
            if own != planned {
                return Some(format!("{SCORES} has not each problem of {PLAN} once for {label}"));
            }
            let defect = |(name, total): (&String, &Total)| {
                let defect = agent.defect(name, total, &clusters)?;
                Some(format!("{SCORES}: {defect} of {name} of {label} does not follow from its problems"))
            };
            agent.scores.iter().find_map(defect)
        })
    }

    /// Returns units and, where agents are scored against each other, those of the other agents on the same problems, in order.
    pub fn with_opponents(&self, units: &[Unit]) -> Vec<Unit> {
        let mut all: BTreeSet<(usize, usize)> = units.iter().map(|unit| (unit.problem, unit.agent)).collect();
        let problems: BTreeSet<usize> = units.iter().map(|unit| unit.problem).collect();
        all.extend(problems.iter().flat_map(|at| self.opponents(*at).into_iter().map(|agent| (*at, agent))));
        all.into_iter().map(|(problem, agent)| Unit { agent, problem }).collect()
    }

    /// Returns whether agents are scored against each other.
    pub fn has_opponents(&self) -> bool {
        (0..self.plan.problems.len()).any(|problem| !self.opponents(problem).is_empty())
    }

    /// Returns the agents that are scored against each other on a problem.
    fn opponents(&self, problem: usize) -> Vec<usize> {
        let is = |agent: &usize| self.held(*agent, problem).is_some_and(|held| held.contains_key(CROSS[0]));
        (0..self.agents.len()).filter(is).collect()
    }

    /// Returns what `scores.json` has of an agent on a problem.
    fn held(&self, agent: usize, at: usize) -> Option<&Map<String, Value>> {
        let name = &self.plan.problems[at].problem;
        self.agents[agent].problems.iter().find(|held| problem(held) == Some(name))
    }

    /// Returns the first score that a unit's result gives otherwise than `scores.json` has it for this agent and problem. Scores
    /// against other agents are compared when the results of all of them on the problem are there.
    ///
    /// # Errors
    /// When the scores cannot be written as JSON, or predictions cannot be compared.
    pub fn other_score(&self, unit: Unit, result: UnitResult, belief: Option<Vec<u8>>) -> Result<Option<String>> {
        let opponents = self.opponents(unit.problem);
        if !opponents.contains(&unit.agent) {
            let plan = self.part(&[unit.agent], unit.problem);
            return self.other(&[unit.agent], unit.problem, &Scores::new(&plan, &[result]));
        }
        let mut waiting = self.waiting.borrow_mut();
        let own = waiting.entry(unit.problem).or_default();
        own.push((result, belief.unwrap_or_default()));
        if own.len() < opponents.len() {
            return Ok(None);
        }
        let own = waiting.remove(&unit.problem).unwrap_or_default();
        let (results, beliefs): (Vec<UnitResult>, Vec<Vec<u8>>) = own.into_iter().unzip();
        let named = results.iter().zip(beliefs);
        let members = named.filter_map(|(result, bytes)| Some((Kept::Belief.path(result.outcome.belief()?), bytes)));
        let directory = RunDirectory::of_members(self.directory.path(), members.collect());
        let plan = self.part(&opponents, unit.problem);
        let scores = Scores::among(&plan, &results, &Beliefs::of_results(&results, &directory))?;
        self.other(&opponents, unit.problem, &scores)
    }

    /// Returns the plan of some agents on one problem.
    fn part(&self, agents: &[usize], problem: usize) -> Plan {
        let agents = agents.iter().map(|agent| self.plan.agents[*agent].clone()).collect();
        Plan { agents, problems: vec![self.plan.problems[problem].clone()], ..self.plan.clone() }
    }

    /// Returns the first score of some agents on a problem that is another in `again`.
    fn other(&self, agents: &[usize], at: usize, again: &Scores) -> Result<Option<String>> {
        let again = serde_json::to_value(again)?;
        for (nth, &agent) in agents.iter().enumerate() {
            let again = again["agents"][nth]["problems"][0].as_object();
            let place = match (again, self.held(agent, at)) {
                (None, None) => None,
                (Some(_), None) => Some(format!("{SCORES} has no scores of it")),
                (None, Some(_)) => Some(format!("{SCORES} has scores, and run again it has none")),
                (Some(again), Some(held)) => other_value(held, again, agents.len() > 1),
            };
            if let Some(place) = place {
                let (label, name) = (&self.plan.agents[agent].label, &self.plan.problems[at].problem);
                return Ok(Some(format!("{label} on {name}: {place}")));
            }
        }
        Ok(None)
    }
}

/// Returns the first score that is held and comes out otherwise, or not at all. Earlier versions had fewer scores. Those against other
/// agents are left out if there are none.
fn other_value(held: &Map<String, Value>, again: &Map<String, Value>, against_others: bool) -> Option<String> {
    let mut held = held.clone();
    if !against_others {
        held.retain(|name, _| !CROSS.contains(&name.as_str()));
    }
    let shared: Map<String, Value> =
        again.iter().filter(|(key, _)| held.contains_key(*key)).map(|(key, own)| (key.clone(), own.clone())).collect();
    (held != shared).then(|| difference(&Value::Object(held), &Value::Object(shared), SCORES))
}

/// Returns the problem whose scores these are.
fn problem(scores: &Map<String, Value>) -> Option<&str> {
    scores.get("problem")?.as_str()
}

impl Agent {
    /// Returns which part of a score's mean does not follow from the problems, or `None` if all do.
    fn defect(&self, name: &str, total: &Total, clusters: &HashMap<&str, &str>) -> Option<&'static str> {
        let of = |scores: &Map<String, Value>| {
            let value = scores.get(name)?;
            let cluster = clusters.get(problem(scores)?)?;
            Some((number(value.get("mean").unwrap_or(value)), *cluster))
        };
        let (values, clusters): (Vec<f64>, Vec<&str>) = self.problems.iter().filter_map(of).unzip();
        if values.is_empty() {
            return None;
        }
        let Summary { mean, stderr, .. } = summarize_clusters(&values, &clusters);
        let most = PRECISION * values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let same = |held: &Value, own: f64| {
            let held = number(held);
            (held - own).abs() <= most || !held.is_finite() && !own.is_finite()
        };
        if total.problems != values.len() {
            return Some("the number of problems");
        }
        if !same(&total.mean, mean) {
            return Some("the mean");
        }
        // The error of a single problem is over its samples.
        (values.len() > 1 && !same(&total.stderr, stderr)).then_some("the standard error")
    }
}

/// Reads a number of `scores.json`, in which numbers that are not finite are strings; what is none is not a number.
fn number(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(f64::NAN)
}
