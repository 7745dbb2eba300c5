//! Small runs, and the files in their directories.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{Finished, finish, jointly};

/// One problem of the suite `quick`.
pub(crate) const PROBLEM: &str = "quick/t10/temp0.1/seed0";

/// The directory of a run, deleted at the end.
pub(crate) struct RunDirectory {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

impl RunDirectory {
    /// Returns a path for a run that does not exist yet.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        Self { _folder: folder, path }
    }

    /// Runs agents on problems of `quick`, all of which must be scored, and returns the directory.
    pub(crate) fn of(agents: &[&str], problems: &str) -> Self {
        let directory = Self::new();
        let finished = directory.run(agents, problems, &[]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        directory
    }

    /// Runs agents on problems of `quick`.
    pub(crate) fn run(&self, agents: &[&str], problems: &str, options: &[&str]) -> Finished {
        finish(jointly().args(self.arguments(agents, problems, options)))
    }

    /// Returns the arguments of such a run.
    pub(crate) fn arguments(&self, agents: &[&str], problems: &str, options: &[&str]) -> Vec<String> {
        let fixed = ["--suite", "quick", "--problems", problems, "--out", self.argument()];
        ["run"].iter().chain(agents).chain(&fixed).chain(options).map(ToString::to_string).collect()
    }

    /// Returns the directory as an argument of the command.
    pub(crate) fn argument(&self) -> &str {
        self.path.to_str().expect("a path in UTF-8")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        read(&self.file(name))
    }

    /// Returns `scores.json`.
    pub(crate) fn scores(&self) -> Value {
        json(&self.read("scores.json"))
    }

    /// Returns the units of the journal, ordered by agent and problem.
    pub(crate) fn units(&self) -> Vec<Value> {
        let mut units: Vec<Value> = self.read("results.jsonl").lines().map(json).collect();
        units.sort_by_key(|unit| (unit["agent"].to_string(), unit["problem"].to_string()));
        units
    }

    /// Returns the path of the kept copy of the plan's first agent.
    pub(crate) fn kept_agent(&self) -> PathBuf {
        let digest = self.scores()["agents"][0]["digest"].as_str().unwrap().replace(':', "-");
        self.path.join("agents").join(digest).with_extension("wasm")
    }

    /// Returns every file below the directory, with its bytes.
    pub(crate) fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        contents(&self.path)
    }
}

/// Returns every file below a folder, with its bytes.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(contents(&path));
        } else {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// Returns a file's text, without the checksums of a plan or journal, so that a test can edit it.
pub(crate) fn read(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let summed = ["plan.json", "results.jsonl"].map(|name| path.ends_with(name)).contains(&true);
    if summed { without_checksums(&text) } else { text }
}

/// Returns a text without its members `crc32`, each of which is the last of its object.
pub(crate) fn without_checksums(text: &str) -> String {
    let mut pieces = text.split("\"crc32\":");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.truncate(kept.trim_end().trim_end_matches(',').len());
        kept += piece.split_once('"').and_then(|(_, rest)| rest.split_once('"')).unwrap().1;
    }
    kept
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
