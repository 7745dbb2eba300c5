//! Every agent sees the same problems and test points, whichever other agents take part.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::guests::argument;
use crate::run::RunDirectory;

const PROBLEMS: &str = "quick/t10/temp0.1/*";

/// Returns what an agent logged about the data it saw, by problem.
fn seen(directory: &RunDirectory, agent: &str) -> Vec<(String, Value)> {
    let units = directory.units().into_iter().filter(|unit| unit["agent"] == agent);
    units.map(|unit| (unit["problem"].to_string(), unit["log"].clone())).collect()
}

#[test]
pub(crate) fn tattle() {
    let tattle = argument("tattle");
    let copies = [format!("{tattle}:copy=1"), format!("{tattle}:copy=2")];
    let together = RunDirectory::of(&[&copies[0], "uniform", &copies[1]], PROBLEMS);
    let alone = RunDirectory::new();
    assert_eq!(alone.run(&[&copies[1]], PROBLEMS, &["--jobs", "1"]).code, Some(0));

    let one = seen(&together, "tattle:copy=1");
    assert_eq!(one, seen(&together, "tattle:copy=2"));
    assert_eq!(one, seen(&alone, "tattle:copy=2"));

    assert_eq!(one.len(), 3);
    for (_, log) in &one {
        let log = log.as_array().unwrap();
        let kinds: Vec<&str> = log.iter().map(|line| line.as_str().unwrap().split(' ').next().unwrap()).collect();
        assert_eq!(kinds[0], "train");
        assert!(kinds.len() > 2 && kinds[1..].iter().all(|kind| *kind == "sample"), "{kinds:?}");
    }
    let logs: BTreeSet<String> = one.iter().map(|(_, log)| log.to_string()).collect();
    assert_eq!(logs.len(), 3, "each problem has data of its own");
}

#[test]
fn another_seed_shows_other_data() {
    let tattle = argument("tattle");
    let (zero, one) = (RunDirectory::of(&[&tattle], PROBLEMS), RunDirectory::new());
    assert_eq!(one.run(&[&tattle], PROBLEMS, &["--seed", "1"]).code, Some(0));
    for (a, b) in seen(&zero, "tattle").iter().zip(&seen(&one, "tattle")) {
        assert_ne!(a.1, b.1);
    }
}
