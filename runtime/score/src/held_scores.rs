//! The scores of a finished run whose journal was not kept, and what units that are run again say of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use jointly_core::Seed;
use jointly_core::printable::{ShowPath as _, Shown};
use jointly_record::difference::difference;
use jointly_record::directory::{JOURNAL, PLAN, RunDirectory, SCORES, SWEEP};
use jointly_record::kept::Kept;
use jointly_record::plan::Plan;
use jointly_record::settings::Settings;
use jointly_record::unit::{Unit, UnitResult};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::claims;
use crate::scores::{Beliefs, Scores};

mod consistency;

/// The most bytes of scores that are held as values, which take many times their memory.
const MOST_BYTES: usize = 64 << 20;
/// The scores of agents against each other.
const CROSS: [&str; 2] = ["xllr", "xll"];

/// A run's plan and scores.
pub struct HeldScores {
    /// The directory.
    pub directory: RunDirectory,
    /// The plan.
    pub plan: Plan,
    /// The plan without agents and problems.
    base: Plan,
    agents: Vec<Agent>,
    /// The names of all scores that some agent has on some problem. Earlier versions had fewer.
    names: BTreeSet<String>,
    /// The agents that are scored against each other, by their places in the plan.
    compared: BTreeSet<usize>,
    /// The results of these that were run again, by problem, until all are there.
    waiting: RefCell<BTreeMap<usize, Vec<Again>>>,
    /// The names of scores that units have, and the whole file has not.
    lacking: RefCell<BTreeSet<String>>,
}

/// A unit's result and the agent's predictions.
type Again = (UnitResult, Vec<u8>);

/// The part of `scores.json` that is compared.
#[derive(Deserialize)]
struct Document {
    suite: String,
    seed: Seed,
    agents: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    agent: String,
    digest: String,
    settings: Settings,
    scores: BTreeMap<String, Total>,
    failures: Vec<Map<String, Value>>,
    problems: Vec<Map<String, Value>>,
    #[serde(default)]
    absences: Vec<Absence>,
}

/// The mean of a score over problems.
#[derive(Deserialize)]
struct Total {
    mean: Value,
    stderr: Value,
    problems: usize,
    #[serde(default)]
    non_finite: usize,
}

/// A score that an agent lacks.
#[derive(Deserialize)]
struct Absence {
    score: String,
}

/// An agent's scores.
struct Agent {
    totals: BTreeMap<String, Total>,
    absences: Vec<Absence>,
    /// The scores by problem.
    scores: HashMap<String, Map<String, Value>>,
    /// The failures by problem.
    failures: HashMap<String, Map<String, Value>>,
}

impl HeldScores {
    /// Reads the plan and the scores in a run's directory.
    ///
    /// # Errors
    /// When there is no run, it has a journal, a file cannot be read, or the scores are not of the plan's units, each once.
    pub fn open(path: &Path) -> Result<Self> {
        ensure!(!path.is_file(), "{} is a file: a pack has its journal, so leave --scores out", path.shown());
        let directory = RunDirectory::existing(path)?;
        let plan = directory.plan()?;
        ensure!(
            !directory.has(JOURNAL),
            "{} has a journal: `jointly verify` without --scores checks all that it holds",
            path.shown()
        );
        let shown = directory.shown(SCORES);
        let text = claims::read(&directory, SCORES)?;
        ensure!(text.len() <= MOST_BYTES, "{shown} is larger than 64 MiB, the most that --scores reads");
        let Document { suite, seed, agents } =
            serde_json::from_str(&text).with_context(|| format!("failed to read {shown}; get another copy"))?;
        let own = agents.iter().map(|own| (&own.agent, &own.digest, &own.settings));
        ensure!(
            own.eq(plan.agents.iter().map(|own| (&own.agent, &own.digest, &own.settings)))
                && (suite.as_str(), seed) == (plan.suite.as_str(), plan.seed),
            "{shown} is of other agents, another suite or another seed than {PLAN}; get another copy of both"
        );
        let agents = agents.into_iter().zip(&plan.agents).map(|(entry, planned)| {
            let agent = Agent::of(entry, &plan);
            agent.with_context(|| format!("{shown} does not have every problem of {PLAN} once for {}", planned.label))
        });
        let agents: Vec<Agent> = agents.collect::<Result<_>>()?;
        let keys = agents.iter().flat_map(|agent| agent.scores.values()).flat_map(Map::keys);
        let names = keys.cloned().collect();
        let has_cross =
            |agent: &Agent| agent.scores.values().any(|own| CROSS.iter().any(|name| own.contains_key(*name)));
        let compared = (0..agents.len()).filter(|at| has_cross(&agents[*at])).collect();
        let base = Plan { agents: Vec::new(), problems: Vec::new(), ..plan.clone() };
        Ok(Self {
            directory,
            plan,
            base,
            agents,
            names,
            compared,
            waiting: RefCell::default(),
            lacking: RefCell::default(),
        })
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

    /// Returns units and, where agents are scored against each other, those of the other agents on the same problems, in order.
    pub fn with_opponents(&self, units: &[Unit]) -> Vec<Unit> {
        let mut all: BTreeSet<(usize, usize)> = units.iter().map(|unit| (unit.problem, unit.agent)).collect();
        let problems: BTreeSet<usize> = units.iter().map(|unit| unit.problem).collect();
        if self.can_compare() {
            all.extend(problems.iter().flat_map(|problem| self.compared.iter().map(|agent| (*problem, *agent))));
        }
        all.into_iter().map(|(problem, agent)| Unit { agent, problem }).collect()
    }

    /// Returns the number of problems of these units on which agents are scored against each other.
    pub fn comparisons(&self, units: &[Unit]) -> usize {
        let problems: BTreeSet<usize> = units.iter().map(|unit| unit.problem).collect();
        if self.can_compare() { problems.len() } else { 0 }
    }

    /// Returns whether agents are scored against each other, and all of them can be run again.
    fn can_compare(&self) -> bool {
        let reported = |agent: &usize| self.plan.reports(&self.plan.agents[*agent]);
        self.compared.len() > 1 && !self.compared.iter().any(reported)
    }

    /// Lists what is not checked: `a, b and c`.
    pub fn unchecked(&self) -> String {
        let mut list = vec!["the leaderboard".to_owned(), "scores over all problems together".to_owned()];
        if self.directory.has(SWEEP) {
            list.push("the choice of the sweep".to_owned());
        }
        if !self.compared.is_empty() && !self.can_compare() {
            list.push("scores of agents against each other".to_owned());
        }
        let left_out =
            (0..self.agents.len()).filter(|agent| !self.compared.is_empty() && !self.compared.contains(agent));
        list.extend(left_out.map(|agent| format!("the reason why {} is not compared", self.plan.agents[agent].label)));
        let last = list.pop().unwrap_or_default();
        format!("{} and {last}", list.join(", "))
    }

    /// Returns the names of scores that units which were run again have, and the whole file has not.
    pub fn lacking(&self) -> Vec<String> {
        self.lacking.borrow().iter().cloned().collect()
    }

    /// Returns the first score that a unit's result gives otherwise than `scores.json` has it for this agent and problem. Scores
    /// against other agents are compared when the results of all of them on the problem are there.
    ///
    /// # Errors
    /// When the scores cannot be written as JSON, or predictions cannot be compared.
    pub fn other_score(&self, unit: Unit, result: UnitResult, belief: Option<Vec<u8>>) -> Result<Option<String>> {
        let plan = self.part(&[unit.agent], unit.problem);
        let alone = serde_json::to_value(Scores::new(&plan, std::slice::from_ref(&result)))?;
        if let Some(place) = self.other(unit, &alone["agents"][0], |name| !CROSS.contains(&name)) {
            return Ok(Some(place));
        }
        if !self.compared.contains(&unit.agent) || !self.can_compare() {
            return Ok(None);
        }
        let mut waiting = self.waiting.borrow_mut();
        let own = waiting.entry(unit.problem).or_default();
        own.push((result, belief.unwrap_or_default()));
        if own.len() < self.compared.len() {
            return Ok(None);
        }
        let own = waiting.remove(&unit.problem).unwrap_or_default();
        drop(waiting);
        self.other_comparison(unit.problem, own)
    }

    /// Returns the first score against other agents that comes out otherwise on a problem, on which all of them were run.
    fn other_comparison(&self, problem: usize, own: Vec<Again>) -> Result<Option<String>> {
        let (results, beliefs): (Vec<UnitResult>, Vec<Vec<u8>>) = own.into_iter().unzip();
        let named = results.iter().zip(beliefs);
        let members = named.filter_map(|(result, bytes)| Some((Kept::Belief.path(result.outcome.belief()?), bytes)));
        let directory = RunDirectory::of_members(self.directory.path(), members.collect());
        let compared: Vec<usize> = self.compared.iter().copied().collect();
        let plan = self.part(&compared, problem);
        let scores = Scores::among(&plan, &results, &Beliefs::of_results(&results, &directory))?;
        let again = serde_json::to_value(scores)?;
        let other = |(nth, agent): (usize, usize)| {
            self.other(Unit { agent, problem }, &again["agents"][nth], |name| CROSS.contains(&name))
        };
        Ok(compared.into_iter().enumerate().find_map(other))
    }

    /// Refuses to end while a comparison of agents waits for some of them.
    ///
    /// # Errors
    /// When one does.
    pub fn end(&self) -> Result<()> {
        let waiting = self.waiting.borrow();
        let Some(problem) = waiting.keys().next() else { return Ok(()) };
        anyhow::bail!("agents were not compared on {}, since not all were run", self.plan.problems[*problem].problem)
    }

    /// Returns the plan of some agents on one problem.
    fn part(&self, agents: &[usize], problem: usize) -> Plan {
        let agents = agents.iter().map(|agent| self.plan.agents[*agent].clone()).collect();
        Plan { agents, problems: vec![self.plan.problems[problem].clone()], ..self.base.clone() }
    }

    /// Returns the first score or failure of an agent on a problem that is another in `again`, an agent of `scores.json`, among the
    /// scores that are asked for.
    fn other(&self, unit: Unit, again: &Value, asked: impl Fn(&str) -> bool) -> Option<String> {
        let (label, name) = (&self.plan.agents[unit.agent].label, &self.plan.problems[unit.problem].problem);
        let agent = &self.agents[unit.agent];
        let object = |list: &str| again[list].as_array().and_then(|list| list.first()).and_then(Value::as_object);
        let pairs = [(agent.failures.get(name), object("failures")), (agent.scores.get(name), object("problems"))];
        let other = pairs.into_iter().find_map(|(held, again)| match (held, again) {
            (None, None) => None,
            (Some(held), Some(again)) => self.other_value(held, again, &asked),
            (Some(_), None) if agent.failures.contains_key(name) => {
                Some(format!("{SCORES} has a failure, and it has scores"))
            }
            _ => Some(format!("{SCORES} has scores, and it fails")),
        });
        other.map(|place| format!("{label} on {name}: {place}"))
    }

    /// Returns the first value that differs, among those that are asked for. Scores that the whole file lacks are not compared, since
    /// earlier versions had fewer.
    fn other_value(
        &self,
        held: &Map<String, Value>,
        again: &Map<String, Value>,
        asked: &impl Fn(&str) -> bool,
    ) -> Option<String> {
        let known = |key: &&String| asked(key) && (held.contains_key(*key) || self.names.contains(*key));
        self.lacking.borrow_mut().extend(again.keys().filter(|key| asked(key) && !self.names.contains(*key)).cloned());
        let key = held.keys().chain(again.keys()).filter(known).find(|key| held.get(*key) != again.get(*key))?;
        let place = format!("{SCORES}.{key}");
        Some(match (held.get(key), again.get(key)) {
            (Some(held), Some(again)) => difference(held, again, &place),
            (Some(_), None) => format!("{place} does not belong there"),
            (None, _) => format!("{place} is missing"),
        })
    }
}

impl Agent {
    /// Gathers an agent's scores and failures by problem, or returns `None` unless each problem of the plan has one of them, once.
    fn of(entry: Entry, plan: &Plan) -> Option<Self> {
        let by_problem = |list: Vec<Map<String, Value>>| {
            let count = list.len();
            let named: Option<HashMap<String, Map<String, Value>>> =
                list.into_iter().map(|own| Some((own.get("problem")?.as_str()?.to_owned(), own))).collect();
            named.filter(|named| named.len() == count)
        };
        let (scores, failures) = (by_problem(entry.problems)?, by_problem(entry.failures)?);
        let once = |name: &String| scores.contains_key(name) != failures.contains_key(name);
        let whole = plan.problems.iter().all(|planned| once(&planned.problem))
            && scores.len() + failures.len() == plan.problems.len();
        whole.then_some(Self { totals: entry.scores, absences: entry.absences, scores, failures })
    }
}
