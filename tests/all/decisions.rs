//! Runs of suites of decisions: repeated, interrupted, reported and verified like all others.

use std::fs;

use serde_json::Value;

use crate::command::{done, fits_a_terminal, joined, run};
use crate::regression::{arguments, killed_and_run_again, same_scores, scored};
use crate::regression_requests::refused_request;
use crate::run::RunDirectory;

const SUITE: &str = "quick/decisions/bandit";
const PROBLEM: &str = "quick/decisions/bandit/d2/temp0.5/seed0";
const PROBLEMS: &str = "*/temp{0.1,0.5}/seed0";
/// An agent without knowledge, one with a single function, and one with several.
const AGENTS: [&str; 3] = ["uniform", "logistic-regression", "ensemble:hidden=10,size=3,steps=50"];
const SMALL: [&str; 4] = ["--steps", "120", "--draws", "20"];

/// Returns the course of an agent's first unit, as pairs of a number of actions and the regret.
fn course(directory: &RunDirectory, agent: usize) -> Vec<(u64, f64)> {
    let label = directory.scores()["agents"][agent]["agent"].as_str().unwrap().to_owned();
    let units = directory.units();
    let unit = units.iter().find(|unit| unit["agent"].as_str().unwrap().starts_with(&label)).unwrap();
    let stages = unit["decisions"]["scores"]["course"].as_array().unwrap();
    stages.iter().map(|stage| (stage["steps"].as_u64().unwrap(), stage["regret"].as_f64().unwrap())).collect()
}

/// Runs agents with one thread and with two, and checks that the scores are the same. Returns the run, what it said, and its
/// page.
pub(crate) fn reported(
    agents: &[&str],
    suite: &str,
    problems: &str,
    options: &[&str],
) -> (RunDirectory, String, String) {
    let (directory, finished) = scored(agents, suite, problems, &[options, &["--jobs", "1"]].concat());
    let (other, _) = scored(agents, suite, problems, &[options, &["--jobs", "2"]].concat());
    same_scores(&directory, &other);
    fits_a_terminal(&finished.stdout);
    let page = directory.file("page.html");
    done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(!html.contains("NaN"), "{html}");
    (directory, joined(&finished.stdout), html)
}

#[test]
fn a_run_is_reported_and_verified_and_no_score_depends_on_jobs() {
    let (directory, said, html) = reported(&AGENTS, SUITE, PROBLEMS, &SMALL);
    assert!(said.contains("2 problems, seed 0, 20 draws, 120 actions; ranked by regret_step120"), "{said}");
    assert!(html.contains("cumulative regret") && html.contains("d2, temperature 0.5"), "{html}");
    assert!(AGENTS.iter().all(|agent| html.contains(agent)), "{html}");
    let said = done(["verify", directory.argument()]);
    assert!(said.contains(&format!("verified: 6 units on 2 of 6 problems of {SUITE}")), "{said}");
}

/// Regret adds up, and what agents share is the same: the first two actions are random ones.
#[test]
fn a_course_is_a_sum_and_begins_alike_for_all() {
    let (directory, _) = scored(&AGENTS, SUITE, PROBLEM, &SMALL);
    let courses: Vec<_> = (0..AGENTS.len()).map(|agent| course(&directory, agent)).collect();
    for course in &courses {
        assert_eq!(course.iter().map(|(steps, _)| *steps).collect::<Vec<_>>(), [1, 2, 3, 5, 10, 20, 30, 50, 100, 120]);
        assert!(course.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{course:?}");
        assert_eq!(course[..2], courses[0][..2]);
    }
    let unit = &directory.units()[0]["decisions"];
    assert_eq!(unit["scores"]["trainings"], 6);
    let scores = directory.scores();
    for agent in scores["agents"].as_array().unwrap() {
        let mean = |name: &str| agent["scores"][name]["mean"].as_f64().unwrap();
        // All agents have the same problem.
        let uniform = unit["scores"]["uniform"].as_f64().unwrap();
        let share = mean("regret_step120") / (120.0 * uniform);
        assert!((mean("regret_share_step120") - share).abs() < 1e-9, "{agent}");
        assert!(mean("regret_step100") <= mean("regret_step120"));
    }
}

#[test]
fn the_oracle_takes_part_as_a_reference() {
    let oracle = "oracle:chains=2,rounds=1,samples=250,warmup=20";
    let options = ["--steps", "8", "--draws", "4"];
    let (directory, _) = scored(&["uniform", oracle], SUITE, PROBLEM, &options);
    let scores = directory.scores();
    let reference = scores["agents"].as_array().unwrap().iter().find(|agent| agent["agent"] == "oracle").unwrap();
    assert_eq!((&reference["reference"], &reference["scores"]["fuel"]), (&Value::Bool(true), &Value::Null));
    let unit =
        directory.units().into_iter().find(|unit| unit["agent"].as_str().unwrap().starts_with("oracle")).unwrap();
    assert!(unit["decisions"]["diagnosis"]["rounds"] == 1, "{unit}");
    assert!(done(["verify", directory.argument()]).contains("verified"));
}

/// All trainings share the fuel of a unit: what suffices for the first is too little for all.
#[test]
fn fuel_is_limited_over_all_trainings() {
    let agent = ["logistic-regression"];
    let (all, _) = scored(&agent, SUITE, PROBLEM, &SMALL);
    let fuel = all.units()[0]["decisions"]["fuel"].as_u64().unwrap();
    let limit = (fuel / 2).to_string();
    let directory = RunDirectory::new();
    let options = [&SMALL[..], &["--fuel", &limit]].concat();
    let finished = run(arguments(&directory, &agent, SUITE, PROBLEM, &options));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    let failure = &directory.units()[0]["failed"];
    assert_eq!(failure["kind"], "out-of-fuel");
    let message = failure["message"].as_str().unwrap();
    let after: u32 = message.strip_prefix("after ").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((4..120).contains(&after), "{message}");
}

#[test]
fn an_interrupted_run_goes_on() {
    let (whole, _) = scored(&AGENTS, SUITE, "*", &[]);
    killed_and_run_again(&AGENTS, SUITE, "*", 7, &whole);
}

#[test]
fn options_that_cannot_be_are_refused() {
    for (options, texts) in [
        (["--steps", "0"], &["invalid value '0' for '--steps <N>'"][..]),
        (["--steps", "100001"], &["failed to take on quick/decisions/bandit: steps is 100001, expected 1 to 100000"]),
        (["--steps", "2"], &["steps is 2, expected at least 3: the first 2 actions are random"]),
        (["--growth", "11"], &["growth is 11, expected 0 to 10"]),
        (["--growth", "-1"], &["growth is -1, expected 0 to 10"]),
        (["--growth", "nan"], &["growth is NaN, expected 0 to 10"]),
        (
            ["--planes", "3"],
            &["--planes is for classification, and quick/decisions/bandit is of decisions: leave it out"],
        ),
        (["--taus", "1"], &["--taus is for suites of dataset shift: leave it out"]),
        (["--rounds", "1"], &["--rounds is for suites of regression; see `jointly suites`"]),
    ] {
        refused_request(&["uniform"], (SUITE, PROBLEM), &options, texts);
    }
    for (suite, problem) in
        [("quick", "quick/t10/temp0.1/seed0"), ("quick/shift", "quick/shift/seed0"), ("quick/coverage", "*/line/sim0")]
    {
        let texts = &["--steps is for suites of decisions: leave it out"][..];
        let agent = if suite == "quick/coverage" { "linear" } else { "uniform" };
        refused_request(&[agent], (suite, problem), &["--steps", "5"], texts);
    }
    refused_request(&["uniform"], (SUITE, "*/d3/*"), &[], &["no problem of quick/decisions/bandit matches */d3/*"]);
}
