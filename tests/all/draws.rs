//! Runs that ask for draws until joint scores are precise: `--draws auto`.

use crate::command::{done, fits_a_terminal, joined, refused};
use crate::regression::{same_scores, scored};
use crate::regression_requests::refused_request;

const SUITE: &str = "quick";
const PROBLEM: &str = "quick/t10/temp0.1/seed0";
/// An agent with one function, and one that knows nothing and so needs many.
const AGENTS: [&str; 2] = ["logistic-regression", "prior"];

/// Returns the draws, and the largest error and the least effective number over taus, of an agent's only unit.
fn reached(directory: &crate::run::RunDirectory, agent: &str) -> (u64, f64, f64) {
    let unit = directory.units().into_iter().find(|unit| unit["agent"] == agent).unwrap();
    let scores = &unit["scored"]["scores"];
    let joint = scores["joint"].as_array().unwrap();
    let of = |field: &str| joint.iter().map(|pair| pair[1][field].as_f64().unwrap()).collect::<Vec<f64>>();
    let error = of("draw_error").into_iter().fold(0.0, f64::max);
    let effective = of("effective_draws").into_iter().fold(f64::INFINITY, f64::min);
    (scores["draws"].as_u64().unwrap(), error, effective)
}

#[test]
fn draws_are_asked_for_until_scores_are_precise_or_a_budget_ends() {
    let (directory, finished) = scored(&AGENTS, SUITE, PROBLEM, &["--draws", "auto:0.1:1024", "--jobs", "1"]);
    let (other, _) = scored(&AGENTS, SUITE, PROBLEM, &["--draws", "auto:0.1:1024", "--jobs", "2"]);
    same_scores(&directory, &other);
    fits_a_terminal(&finished.stdout);
    let said = joined(&finished.stdout);
    assert!(said.contains("draws until 0.1 nats, at most 1024"), "{said}");
    let (draws, error, effective) = reached(&directory, "logistic-regression");
    assert_eq!((draws, error, effective), (256, 0.0, 256.0));
    let (draws, error, effective) = reached(&directory, "prior");
    let bias = 0.5 * (1.0 / effective - 1.0 / draws as f64);
    assert!(draws == 1024 || (error <= 0.1 && bias <= 0.1), "{draws} {error} {effective}");
    // Fewer draws were not enough: the same scores come of the number that was reached.
    let count = draws.to_string();
    let (fixed, _) = scored(&AGENTS[1..], SUITE, PROBLEM, &["--draws", &count, "--partition", "jackknife"]);
    let joint = |directory: &crate::run::RunDirectory| {
        let unit = directory.units().into_iter().find(|unit| unit["agent"] == "prior").unwrap();
        unit["scored"]["scores"]["joint"].clone()
    };
    assert_eq!(joint(&fixed), joint(&directory));
    assert!(done(["verify", directory.argument()]).contains("verified"));
    let again = joined(&done(["leaderboard", directory.argument()]));
    assert!(again.contains("draws"), "{again}");
}

#[test]
fn wishes_that_cannot_be_are_refused() {
    let range = "expected 1 to 262144, or auto, auto:NATS or auto:NATS:MOST, such as auto:0.05:16384";
    for wish in ["0", "auto:0", "auto:0.1:0", "several"] {
        refused(["run", "uniform", "--suite", SUITE, "--draws", wish], &[range]);
    }
    let texts = ["partition is planes, expected jackknife where draws are asked for until a precision is reached"];
    refused_request(&["uniform"], (SUITE, PROBLEM), &["--draws", "auto", "--partition", "planes"], &texts);
    let texts = ["--draws auto asks an agent for ever more draws, and the oracle has as many as its settings say"];
    refused_request(&["oracle"], (SUITE, PROBLEM), &["--draws", "auto"], &texts);
    for (agent, suite, problem) in [
        ("linear", "quick/coverage", "*/line/sim0"),
        ("uniform", "quick/shift", "quick/shift/seed0"),
        ("uniform", "quick/decisions/bandit", "*/temp0.5/seed0"),
    ] {
        let text = format!("--draws auto is for classification, and {suite} is not: give --draws a number");
        refused_request(&[agent], (suite, problem), &["--draws", "auto"], &[&text]);
    }
}
