//! User-supplied problems as .npz, with scores compared with numbers worked out by hand.

use serde_json::Value;

use crate::command::{done, run};
use crate::guests::argument;
use crate::npz::{Archive, TemporaryFile, problem};
use crate::run::json;

/// Tolerance for scores that are written with twelve digits.
const TOLERANCE: f64 = 1e-9;

/// Returns `scores.json` of agents on the problem in the file.
fn scores(file: &TemporaryFile, agents: &[&str]) -> Value {
    let out = file.sibling("out");
    let fixed = ["--problem", file.argument(), "--out", out.to_str().unwrap(), "--json"];
    json(&done(["run"].iter().chain(agents).chain(&fixed)))
}

fn mean(scores: &Value, name: &str) -> f64 {
    scores["agents"][0]["scores"][name]["mean"].as_f64().unwrap_or_else(|| panic!("no {name} in {scores}"))
}

#[test]
fn without_the_environment_the_score_is_the_likelihood() {
    let scores = scores(&TemporaryFile::new("mine.npz", problem().bytes()), &["uniform"]);
    // Five labels with probability 1/2 each.
    assert!((mean(&scores, "nll_tau5") - 5.0 * 2.0_f64.ln()).abs() < TOLERANCE, "{scores}");
    assert!(scores["agents"][0]["scores"]["kl_tau5"].is_null());
    assert_eq!(scores["suite"], "imported");
    assert_eq!(scores["agents"][0]["problems"][0]["problem"], "imported/mine");
}

#[test]
fn with_the_environment_the_score_is_the_divergence() {
    // The environment gives each of the five labels 2/3, the agent 1/2.
    let archive = problem().array("log_likelihood", &[3], vec![5.0 * (2.0_f64 / 3.0).ln(); 3]);
    let scores = scores(&TemporaryFile::new("mine.npz", archive.bytes()), &["uniform"]);
    assert!((mean(&scores, "kl_tau5") - 5.0 * (4.0_f64 / 3.0).ln()).abs() < TOLERANCE, "{scores}");
    assert!(scores["agents"][0]["scores"]["nll_tau5"].is_null());
}

#[test]
fn a_problem_may_have_more_classes_and_say_what_is_known() {
    let archive = problem().array("num_classes", &[], vec![4_i64]).array("temperature", &[], vec![0.5_f32]).array(
        "hidden_layers",
        &[],
        vec![2_i64],
    );
    let scores = scores(&TemporaryFile::new("mine.npz", archive.bytes()), &["uniform", "prior", "mlp:steps=5"]);
    assert!((mean(&scores, "nll_tau5") - 5.0 * 4.0_f64.ln()).abs() < TOLERANCE, "{scores}");
    for agent in scores["agents"].as_array().unwrap() {
        assert_eq!(agent["scores"]["nll_tau5"]["problems"], 1);
    }
}

/// The warning hides no other: with 20 inputs in a tau-sample, the draws are partitioned into too many cells.
#[test]
fn inputs_that_are_all_equal_are_warned_of_beside_other_warnings() {
    let archive = |train: [f32; 4]| {
        Archive::new()
            .array("x_train", &[4, 1], train.to_vec())
            .array("y_train", &[4], vec![0_i64, 1, 0, 1])
            .array("x_test", &[3, 20, 1], vec![0.5_f32; 60])
            .array("y_test", &[3, 20], vec![1_i64; 60])
    };
    for (train, equal) in [([0.5; 4], "training and test inputs"), ([0.5, 1.0, 1.5, 2.0], "test inputs")] {
        let file = TemporaryFile::new("mine.npz", archive(train).bytes());
        let out = file.sibling("out");
        let args = ["run", "uniform", "--problem", file.argument(), "--draws", "20", "--out", out.to_str().unwrap()];
        let finished = run(args);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let said = format!("all {equal} of imported/mine are equal");
        assert!(finished.stderr.lines().any(|line| line.starts_with(&said)), "{finished:?}");
        assert!(finished.stderr.lines().any(|line| line.starts_with("20 draws are few for")), "{finished:?}");
    }
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let out = file.sibling("out");
    let finished = run(["run", "uniform", "--problem", file.argument(), "--out", out.to_str().unwrap()]);
    assert!(!finished.stderr.contains("are equal"), "{finished:?}");
}

#[test]
fn labels_that_are_counted_from_one_are_warned_of() {
    for (first, warned) in [(0_i64, false), (1, true)] {
        let archive = Archive::new()
            .array("x_train", &[2, 1], vec![-1.0_f32, 1.0])
            .array("y_train", &[2], vec![first, first + 1])
            .array("x_test", &[1, 2, 1], vec![-1.0_f32, 1.0])
            .array("y_test", &[1, 2], vec![first, first + 1]);
        let file = TemporaryFile::new("mine.npz", archive.bytes());
        let out = file.sibling("out");
        let finished = run(["run", "uniform", "--problem", file.argument(), "--out", out.to_str().unwrap()]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert_eq!(finished.stderr.contains("no label of imported/mine is 0, the first class"), warned, "{finished:?}");
    }
}

/// An agent that uses inputs without labels is given the file's, and none if the file has none.
#[test]
fn inputs_without_labels_are_handed_on() {
    let unlabelled = problem().array("unlabelled_inputs", &[2, 1], vec![7.5_f32, -8.0]);
    for (archive, told) in [(problem(), None), (unlabelled, Some("unlabelled: [7.5, -8.0] []"))] {
        let file = TemporaryFile::new("mine.npz", archive.bytes());
        scores(&file, &[&argument("tells-inputs")]);
        let unit = json(&std::fs::read_to_string(file.sibling("out").join("results.jsonl")).unwrap());
        let mut log = unit["log"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        assert_eq!(log.find(|line| line.starts_with("unlabelled")), told, "{unit}");
    }
}

#[test]
fn more_cells_than_draws_fill_are_warned_of() {
    let labels = |tau: u64| {
        Archive::new()
            .array("x_train", &[2, 1], vec![-1.0_f32, 1.0])
            .array("y_train", &[2], vec![0_i64, 1])
            .array("x_test", &[2, tau, 1], vec![0.5_f32; 2 * tau as usize])
            .array("y_test", &[2, tau], vec![1_i64; 2 * tau as usize])
    };
    let warning = |tau, options: &[&str]| {
        let file = TemporaryFile::new("mine.npz", labels(tau).bytes());
        let out = file.sibling("out");
        let fixed = ["run", "uniform", "--problem", file.argument(), "--out", out.to_str().unwrap()];
        let finished = run(fixed.iter().chain(options));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stderr.contains("1000 draws are few for 1024 cells (2^10 planes)")
    };
    assert!(warning(11, &[]));
    assert!(!warning(11, &["--planes", "7"]) && !warning(10, &[]));
}

#[test]
fn several_problems_make_one_suite() {
    let (a, b) = (TemporaryFile::new("a.npz", problem().bytes()), TemporaryFile::new("b.npz", problem().bytes()));
    let out = a.sibling("out");
    let args = ["run", "uniform", "--problem", a.argument(), "--problem", b.argument(), "--json", "--out"];
    let scores = json(&done(args.into_iter().chain([out.to_str().unwrap()])));
    assert_eq!(scores["agents"][0]["scores"]["nll_tau5"]["problems"], 2);
}
