//! Runs of suites of searches, which are decisions of agents of regression.

use serde_json::Value;

use crate::command::done;
use crate::decisions::reported;
use crate::regression::{killed_and_run_again, scored};
use crate::regression_requests::refused_request;

const SUITE: &str = "quick/decisions/optimize";
/// An agent to which all inputs are equal, one with moments, and one with a few functions.
const AGENTS: [&str; 3] = ["target-average", "linear", "ensemble:hidden=10,size=3,epochs=20"];
const PROBLEMS: &str = "*/{branin,network2}/*";
const SMALL: [&str; 4] = ["--steps", "20", "--draws", "10"];

#[test]
fn a_search_is_reported_and_verified_and_no_score_depends_on_jobs() {
    let (directory, said, html) = reported(&AGENTS, SUITE, PROBLEMS, &SMALL);
    assert!(said.contains("4 problems, seed 0, 10 draws, 20 actions; ranked by regret_share_step20"), "{said}");
    assert!(said.contains("means are over acquisitions too (thompson, improvement)"), "{said}");
    for text in ["branin, thompson", "network2, improvement", "cumulative regret", "simple regret"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(done(["verify", directory.argument()]).contains("verified: 12 units on 4 of 6 problems"));
}

/// The first actions are the same for all agents and both rules, regret adds up, and what was found stays found.
#[test]
fn searches_begin_alike_and_simple_regret_never_grows() {
    let (directory, _) = scored(&AGENTS, SUITE, "*/branin/*", &SMALL);
    let units = directory.units();
    assert_eq!(units.len(), 6);
    let course = |unit: &Value, field: &str| -> Vec<f64> {
        let stages = unit["decisions"]["scores"]["course"].as_array().unwrap();
        stages.iter().map(|stage| stage[field].as_f64().unwrap()).collect()
    };
    let first = (course(&units[0], "regret"), course(&units[0], "simple"));
    for unit in &units {
        let (regret, simple) = (course(unit, "regret"), course(unit, "simple"));
        assert_eq!((&regret[..3], &simple[..3]), (&first.0[..3], &first.1[..3]));
        assert!(regret.windows(2).all(|pair| pair[0] <= pair[1]), "{regret:?}");
        assert!(simple.windows(2).all(|pair| pair[0] >= pair[1]), "{simple:?}");
        assert!(unit["decisions"]["fuel"].as_u64().unwrap() > 0);
    }
}

#[test]
fn an_interrupted_search_goes_on() {
    let (whole, _) = scored(&AGENTS, SUITE, "*", &[]);
    killed_and_run_again(&AGENTS, SUITE, "*", 7, &whole);
}

#[test]
fn agents_of_another_interface_are_refused() {
    let problem = "quick/decisions/optimize/branin/seed0/thompson";
    let oracle = "the oracle takes part in classification only: quick/decisions/optimize is for agents of regression";
    refused_request(&["oracle"], (SUITE, problem), &[], &[oracle]);
    refused_request(&["mlp"], (SUITE, problem), &[], &["mlp does not support regression"]);
    let texts = ["linear does not support classification"];
    refused_request(&["linear"], ("quick/decisions/bandit", "*/seed0"), &[], &texts);
    refused_request(
        &["linear"],
        (SUITE, problem),
        &["--steps", "4"],
        &["steps is 4, expected at least 5: the first 4 actions are random"],
    );
}
