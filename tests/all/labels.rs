//! Runs of suites of active learning, in which classifiers choose the labels that they are trained on.

use serde_json::Value;

use crate::command::done;
use crate::decisions::reported;
use crate::regression::{killed_and_run_again, scored};
use crate::regression_requests::refused_request;

const SUITE: &str = "quick/decisions/active";
/// An agent without knowledge, one with a single function, and one with several.
const AGENTS: [&str; 3] = ["uniform", "logistic-regression", "ensemble:hidden=10,size=3,steps=50"];
const PROBLEMS: &str = "*/{uniform,entropy,mutual-information}";
const SMALL: [&str; 4] = ["--steps", "20", "--draws", "20"];

#[test]
fn active_learning_is_reported_and_verified_and_no_score_depends_on_jobs() {
    let (directory, said, html) = reported(&AGENTS, SUITE, PROBLEMS, &SMALL);
    assert!(said.contains("3 problems, seed 0, 20 draws, 20 actions; ranked by course_kl"), "{said}");
    assert!(said.contains("means are over acquisitions too (uniform, entropy, mutual-information)"), "{said}");
    for text in ["Joint KL by labels", "d2, mutual-information", "KL at tau 10", "labels"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert!(!html.contains("cumulative regret"), "{html}");
    assert!(done(["verify", directory.argument()]).contains("verified: 9 units on 3 of 6 problems"));
}

fn lessons(unit: &Value) -> &Vec<Value> {
    unit["decisions"]["scores"]["lessons"].as_array().unwrap()
}

/// The first labels are the same for all priorities, and an agent that learns nothing is as bad after each lesson.
#[test]
fn lessons_begin_alike_for_all_priorities() {
    let (directory, _) = scored(&AGENTS, SUITE, PROBLEMS, &SMALL);
    let units = directory.units();
    for agent in AGENTS {
        let of = |unit: &&Value| unit["agent"].as_str().unwrap().starts_with(agent.split(':').next().unwrap());
        let own: Vec<&Value> = units.iter().filter(of).collect();
        assert_eq!(own.len(), 3);
        for unit in &own {
            let labels: Vec<u64> = lessons(unit).iter().map(|lesson| lesson["labels"].as_u64().unwrap()).collect();
            assert_eq!(labels, [2, 4, 8, 16, 20]);
            assert_eq!(unit["decisions"]["scores"]["trainings"], 5);
            assert_eq!(lessons(unit)[0], lessons(own[0])[0]);
        }
        let kl =
            |lesson: &Value| (lesson["joint"]["mean"].as_f64().unwrap(), lesson["marginal"]["mean"].as_f64().unwrap());
        let (first, last) = (kl(&lessons(own[0])[0]), kl(lessons(own[0]).last().unwrap()));
        assert!(if agent == "uniform" { first == last } else { last.1 < first.1 }, "{agent}: {first:?} {last:?}");
    }
}

#[test]
fn an_interrupted_course_goes_on() {
    let (whole, _) = scored(&AGENTS, SUITE, "*", &[]);
    killed_and_run_again(&AGENTS, SUITE, "*", 7, &whole);
}

#[test]
fn options_that_cannot_be_are_refused() {
    let problem = "quick/decisions/active/d2/seed0/entropy";
    let texts = ["steps is 2, expected at least 3: the first 2 actions are random"];
    refused_request(&["uniform"], (SUITE, problem), &["--steps", "2"], &texts);
    refused_request(&["gp"], (SUITE, problem), &[], &["gp does not support classification"]);
}
