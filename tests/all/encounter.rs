//! A guest and an agent that keeps its contract, run together on one problem of regression or of dataset shift.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use serde_json::{Value, json};

use crate::command::{Finished, done, finish, joined, jointly, jointly_within};
use crate::guests::argument;
use crate::regression::{self, arguments};
use crate::run::RunDirectory;
use crate::shift;

/// The fuel that an endless loop uses up in a second or two, and no honest guest does.
pub(crate) const FUEL: &str = "6000000000";
/// Memory in MiB that the command needs in addition to its agents'.
const OWN: u64 = 160;

/// A run of both agents, and how it ended.
pub(crate) struct Encounter {
    problem: &'static str,
    pub(crate) directory: RunDirectory,
    finished: Finished,
}

impl Encounter {
    pub(crate) fn on(guest: &str, problem: &'static str) -> Self {
        let directory = RunDirectory::new();
        let asked = Self::arguments(&directory, guest, problem, &["--fuel", FUEL]);
        let finished = finish(jointly().args(asked));
        Self { problem, directory, finished }
    }

    /// Runs both, where agents may use `memory` MiB and the command no more than its own needs in addition.
    pub(crate) fn within(guest: &str, problem: &'static str, memory: u64) -> Self {
        let directory = RunDirectory::new();
        let options = ["--fuel", FUEL, "--memory", &memory.to_string()];
        let asked = Self::arguments(&directory, guest, problem, &options);
        let finished = finish(jointly_within(memory + OWN).args(asked));
        Self { problem, directory, finished }
    }

    /// Returns the arguments of such a run, one unit at a time.
    pub(crate) fn arguments(directory: &RunDirectory, guest: &str, problem: &str, options: &[&str]) -> Vec<String> {
        let options = [options, &["--jobs", "1"]].concat();
        arguments(directory, &[&argument(guest), honest(problem)], &suite(problem), problem, &options)
    }

    /// Asserts that the guest failed in this way, without score and rank, and the other agent scored as it does alone.
    /// Returns the message.
    pub(crate) fn failed(&self, phase: &str, kind: &str, message: &str) -> String {
        assert_eq!(self.finished.code, Some(3), "{:?}", self.finished);
        let scores = self.directory.scores();
        let guest = &scores["agents"][0];
        assert_eq!((&guest["scores"], &guest["problems"]), (&json!({}), &json!([])));
        let failures = guest["failures"].as_array().unwrap();
        assert_eq!((failures.len(), &failures[0]["problem"]), (1, &json!(self.problem)));
        assert_eq!((failures[0]["phase"].as_str(), failures[0]["kind"].as_str()), (Some(phase), Some(kind)));
        let said = failures[0]["message"].as_str().unwrap();
        assert!(said.contains(message), "{message:?} is not in {said:?}");
        assert!(said.len() < 300 && said.lines().count() == 1, "a line for a person: {said:?}");
        let leaderboard = self.directory.read("leaderboard.csv");
        let rows: Vec<&str> = leaderboard.lines().collect();
        let name = honest(self.problem).split(':').next().unwrap();
        assert!(rows[1].starts_with(&format!("1,{name},")) && rows[2].starts_with(','), "{leaderboard}");
        assert_eq!(scores["agents"][1].to_string(), alone(self.problem));
        said.to_owned()
    }

    /// Asserts that both agents were scored, without NaN. Returns the scores of the guest's unit in the journal.
    pub(crate) fn scored(&self) -> Value {
        assert_eq!(self.finished.code, Some(0), "{:?}", self.finished);
        let text = self.directory.read("results.jsonl") + &self.directory.scores()["agents"][0]["problems"].to_string();
        assert!(!text.contains("\"nan\""), "{text}");
        let guest = &self.directory.scores()["agents"][0];
        assert_eq!((&guest["failures"], guest["problems"].as_array().unwrap().len()), (&json!([]), 1));
        done(["verify", self.directory.argument()]);
        let name = guest["agent"].as_str().unwrap();
        let units = self.directory.units();
        let mut unit = units.into_iter().find(|unit| unit["agent"] == *name).expect("the guest's unit");
        let kind = if unit.get("shift").is_some() { "shift" } else { "regression" };
        unit[kind]["scores"].take()
    }

    /// Returns the output, with the notes about the guest below the tables, in one line.
    pub(crate) fn notes(&self) -> String {
        joined(&self.finished.stdout)
    }
}

/// Returns the suite of a problem.
fn suite(problem: &str) -> String {
    problem.split('/').take(2).collect::<Vec<_>>().join("/")
}

/// Returns an agent that keeps its contract on a problem.
fn honest(problem: &str) -> &'static str {
    if suite(problem) == shift::SUITE { shift::AGENTS[0] } else { regression::AGENTS[0] }
}

/// Returns the scores of the honest agent on a problem when it runs alone.
fn alone(problem: &'static str) -> String {
    static ALONE: OnceLock<Mutex<BTreeMap<&str, String>>> = OnceLock::new();
    let mut known = ALONE.get_or_init(Mutex::default).lock().unwrap();
    let run = || {
        let directory = RunDirectory::new();
        done(arguments(&directory, &[honest(problem)], &suite(problem), problem, &["--fuel", FUEL]));
        directory.scores()["agents"][0].to_string()
    };
    known.entry(problem).or_insert_with(run).clone()
}
