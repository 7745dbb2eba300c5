//! The scores of a finished run whose journal was not kept, and what a unit that is run again says of them.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use jointly_core::printable::{ShowPath as _, Shown};
use jointly_record::difference::difference;
use jointly_record::directory::{PLAN, RunDirectory, SCORES};
use jointly_record::plan::Plan;
use jointly_record::unit::{Unit, UnitResult};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::claims;
use crate::scores::Scores;

/// A run's plan and scores.
pub struct HeldScores {
    /// The directory.
    pub directory: RunDirectory,
    /// The plan.
    pub plan: Plan,
    agents: Vec<Agent>,
}

/// The part of `scores.json` that is compared.
#[derive(Deserialize)]
struct Document {
    agents: Vec<Agent>,
}

#[derive(Deserialize)]
struct Agent {
    #[serde(rename = "agent")]
    name: String,
    digest: String,
    problems: Vec<Map<String, Value>>,
}

impl HeldScores {
    /// Reads the plan and the scores in a run's directory.
    ///
    /// # Errors
    /// When there is no run, a file cannot be read, or the scores are of other agents than the plan.
    pub fn open(path: &Path) -> Result<Self> {
        let directory = RunDirectory::existing(path)?;
        let plan = directory.plan()?;
        let shown = directory.shown(SCORES);
        let document: Document = serde_json::from_str(&claims::read(&directory, SCORES)?)
            .with_context(|| format!("failed to read {shown}"))?;
        let own = document.agents.iter().map(|own| (&own.name, &own.digest));
        ensure!(
            own.eq(plan.agents.iter().map(|own| (&own.agent, &own.digest))),
            "{shown} is of other agents than {PLAN}"
        );
        Ok(Self { directory, plan, agents: document.agents })
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

    /// Returns the first score that a unit's result gives otherwise than `scores.json` has it for this agent and problem. Scores that
    /// need other units too are not compared.
    ///
    /// # Errors
    /// When the scores cannot be written as JSON.
    pub fn other_score(&self, unit: Unit, result: &UnitResult) -> Result<Option<String>> {
        let (agent, problem) = (self.plan.agents[unit.agent].clone(), self.plan.problems[unit.problem].clone());
        let name = problem.problem.clone();
        let plan = Plan { agents: vec![agent], problems: vec![problem], ..self.plan.clone() };
        let again = serde_json::to_value(Scores::new(&plan, std::slice::from_ref(result)))?;
        let again = &again["agents"][0]["problems"];
        let held = self.agents[unit.agent]
            .problems
            .iter()
            .find(|held| held.get("problem").and_then(Value::as_str) == Some(&name));
        let place = match (again.as_array().and_then(|own| own.first()).and_then(Value::as_object), held) {
            (None, None) => None,
            (Some(_), None) => Some(format!("{SCORES} has no scores of it")),
            (None, Some(_)) => Some(format!("{SCORES} has scores, and run again it has none")),
            (Some(again), Some(held)) => {
                let shared: Map<String, Value> =
                    again.keys().filter_map(|key| Some((key.clone(), held.get(key)?.clone()))).collect();
                let (held, again) = (Value::Object(shared), Value::Object(again.clone()));
                (held != again).then(|| difference(&held, &again, SCORES))
            }
        };
        Ok(place.map(|place| format!("{} on {name}: {place}", result.agent)))
    }
}
