//! Runs that ask for draws until joint scores are precise: `--draws auto`.

use serde_json::Value;

use crate::command::{done, fits_a_terminal, joined, refused};
use crate::regression::{same_scores, scored};
use crate::regression_requests::refused_request;

const SUITE: &str = "quick";
const PROBLEM: &str = "quick/t10/temp0.1/seed0";
/// An agent with one function, one that knows nothing and so needs many, and one between.
const AGENTS: [&str; 3] = ["logistic-regression", "prior", LAPLACE];
const LAPLACE: &str = "laplace";

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
    // Too few of its draws count at tau 100, whatever their error, and the table says so.
    let (draws, _, effective) = reached(&directory, "prior");
    assert!(draws == 1024 && effective < 7.0, "{draws} {effective}");
    assert!(said.contains("kl_tau100 has not reached a precision of 0.1 nats with 1024 draws"), "{said}");
    // Half of the draws were not enough for the third agent, and its scores are those of the number that was reached.
    let (draws, error, effective) = reached(&directory, LAPLACE);
    let precise = |error: f64, effective: f64, draws: f64| error <= 0.1 && 0.5 * (1.0 / effective - 1.0 / draws) <= 0.1;
    assert!((512..=1024).contains(&draws) && precise(error, effective, draws as f64), "{draws} {error} {effective}");
    let fixed = |draws: u64| {
        let options = ["--draws", &draws.to_string(), "--partition", "jackknife"];
        scored(&[LAPLACE], SUITE, PROBLEM, &options).0.units().remove(0)
    };
    let joint = |unit: &Value| unit["scored"]["scores"]["joint"].clone();
    let unit = directory.units().into_iter().find(|unit| unit["agent"] == LAPLACE).unwrap();
    assert_eq!(joint(&fixed(draws)), joint(&unit));
    let errors = |unit: Value| -> f64 {
        let joint = unit["scored"]["scores"]["joint"].as_array().unwrap().clone();
        joint.iter().map(|pair| pair[1]["draw_error"].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(errors(fixed(draws / 2)) > 0.1);
    assert!(done(["verify", directory.argument()]).contains("verified"));
}

#[test]
fn invalid_draws_are_refused() {
    let range = "expected 1 to 262144, or auto, auto:NATS or auto:NATS:MOST, such as auto:0.05:16384";
    for draws in ["0", "auto:0", "auto:0.1:0", "several"] {
        refused(["run", "uniform", "--suite", SUITE, "--draws", draws], &[range]);
    }
    let texts = ["partition is planes, expected jackknife where draws are asked for until a precision is reached"];
    refused_request(&["uniform"], (SUITE, PROBLEM), &["--draws", "auto", "--partition", "planes"], &texts);
    for option in [&["--planes", "5"][..], &["--no-clip"]] {
        let text = format!("{} is for a partition into cells, and --draws auto has none: leave it out", option[0]);
        refused_request(&["uniform"], (SUITE, PROBLEM), &[&["--draws", "auto"], option].concat(), &[&text]);
    }
    let texts =
        ["--draws auto doubles the draws until scores are precise, and the oracle has as many as its settings say"];
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
