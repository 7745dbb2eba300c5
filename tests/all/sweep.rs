//! Sweeps over an agent's own variants, and units that one run reuses from another.

use std::fs;

use serde_json::Value;

use crate::command::{done, finish, jointly, refused, run};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory, json};

const TWO_SEEDS: &str = "quick/t10/temp0.{1,5}/seed{0,1}";

/// Runs the variants of an agent's list on problems of `quick` into a directory, and returns the output.
pub(crate) fn sweep(directory: &RunDirectory, problems: &str, options: &[&str]) -> String {
    let list = ["sweep", "mlp:steps=20", "--only", "l2", "--suite", "quick"];
    let fixed = ["--problems", problems, "--out", directory.argument()];
    done(list.iter().chain(&fixed).chain(options))
}

#[test]
fn the_best_variant_is_that_of_the_scores() {
    let directory = RunDirectory::new();
    let text = sweep(&directory, TWO_SEEDS, &[]);
    let chosen = json(&directory.read("sweep.json"));
    let agent = &chosen["agents"][0];
    // The default, l2=auto, and the fourteen values of the list, one of which equals auto here.
    assert_eq!((agent["agent"].as_str(), agent["variants"].as_array().unwrap().len()), (Some("mlp"), 15));
    let aggregate = |agent: &Value| agent["scores"]["kl_aggregate"]["mean"].as_f64().unwrap();
    let scores = directory.scores();
    let by_score = scores["agents"].as_array().unwrap();
    let best = by_score.iter().min_by(|a, b| aggregate(a).total_cmp(&aggregate(b))).unwrap();
    assert_eq!(agent["choices"][0]["mean"], best["scores"]["kl_aggregate"]["mean"]);
    assert_eq!(agent["variants"][0]["settings"], best["settings"]);
    assert!(agent["held_out"]["mean"].as_f64().unwrap() >= agent["tuned"]["mean"].as_f64().unwrap());
    assert!(text.contains("chosen by the other repetitions alone"), "{text}");
    assert!(done(["verify", directory.argument()]).contains("verified: 60 units"));
}

#[test]
fn tuning_in_each_setting_is_never_worse_on_the_problems_that_choose() {
    let directory = RunDirectory::new();
    sweep(&directory, TWO_SEEDS, &[]);
    let tuned = |directory: &RunDirectory| json(&directory.read("sweep.json"))["agents"][0]["tuned"]["mean"].as_f64();
    let global = tuned(&directory).unwrap();
    let text = sweep(&directory, TWO_SEEDS, &["--tune", "per-setting"]);
    assert!(tuned(&directory).unwrap() <= global);
    let chosen = json(&directory.read("sweep.json"));
    let choices = chosen["agents"][0]["choices"].as_array().unwrap();
    let settings: Vec<&str> = choices.iter().map(|choice| choice["setting"].as_str().unwrap()).collect();
    assert_eq!(settings, ["quick/t10/temp0.1", "quick/t10/temp0.5"]);
    assert!(settings.iter().all(|setting| text.contains(setting)), "{text}");
}

#[test]
fn an_agent_all_of_whose_variants_fail_is_shown_with_its_first_failure() {
    let directory = RunDirectory::new();
    let guest = argument("own-failure");
    let fixed = ["sweep", &guest, "--suite", "quick", "--problems", PROBLEM, "--out", directory.argument()];
    let finished = run(fixed);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stdout.contains("own-failure: no variant has a score on every problem"), "{}", finished.stdout);
    assert!(finished.stdout.contains(&format!("first failure, own-failure on {PROBLEM}: ")), "{}", finished.stdout);
    let chosen = json(&directory.read("sweep.json"));
    assert_eq!((&chosen["score"], &chosen["agents"][0]["tuned"]), (&Value::Null, &Value::Null));
    assert_eq!(chosen["agents"][0]["first_failure"]["problem"], PROBLEM);
    done(["verify", directory.argument()]);

    // Together with another agent that has scores.
    let both = RunDirectory::new();
    let fixed = ["sweep", &guest, "uniform", "--suite", "quick", "--problems", PROBLEM, "--out", both.argument()];
    let finished = run(fixed);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stdout.contains("own-failure: no variant") && finished.stdout.contains("best: uniform"));
}

/// mlp has three learning rates, one of them its default, and four batch sizes besides its default.
#[test]
fn a_joint_sweep_has_every_combination() {
    let directory = RunDirectory::new();
    let only = ["--only", "learning-rate", "--only", "batch-size", "--joint", "--plan-only"];
    let fixed = ["sweep", "mlp", "--suite", "quick", "--problems", PROBLEM, "--out", directory.argument()];
    let text = done(fixed.iter().chain(&only));
    let variants = json(&directory.read("plan.json"))["agents"].as_array().unwrap().len();
    assert_eq!(variants, 3 * 5, "{text}");
}

#[test]
fn an_unknown_sweep_or_agent_is_refused() {
    let arguments = ["sweep", "mlp", "--only", "depth", "--suite", "quick"];
    refused(arguments, &["there is no sweep depth: `jointly agents AGENT` describes its sweeps"]);
    refused(["sweep", "--suite", "quick"], &["AGENT"]);
}

#[test]
fn units_of_another_run_are_taken_over() {
    let agents = ["mlp:steps=20", "uniform"];
    let whole = RunDirectory::of(&agents, "quick/t10/temp0.1/*");
    let part = RunDirectory::of(&["mlp:steps=20"], PROBLEM);
    let directory = RunDirectory::new();
    let options = ["--reuse", part.argument()];
    let finished = directory.run(&agents, "quick/t10/temp0.1/*", &options);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("1 of 6 units are taken from other runs"), "{}", finished.stderr);
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));

    // All results are already there: nothing is run, and nothing is reused twice.
    let again = RunDirectory::new();
    let finished =
        again.run(&agents, "quick/t10/temp0.1/*", &["--reuse", whole.argument(), "--reuse", part.argument()]);
    assert!(finished.stderr.contains("6 of 6 units are taken"), "{}", finished.stderr);
    assert!(finished.stderr.contains("6 of 6 units are done already"), "{}", finished.stderr);
    assert_eq!(again.read("leaderboard.csv"), whole.read("leaderboard.csv"));
}

#[test]
fn a_run_with_less_fuel_gives_what_did_not_use_it_up() {
    let less = RunDirectory::new();
    let finished = less.run(&["uniform", "mlp"], PROBLEM, &["--fuel", "1e7"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(less.read("results.jsonl").contains("out-of-fuel"), "{finished:?}");
    let directory = RunDirectory::new();
    let finished = directory.run(&["uniform", "mlp"], PROBLEM, &["--reuse", less.argument()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("1 of 2 units are taken from other runs"), "{}", finished.stderr);
}

#[test]
fn a_run_under_other_conditions_has_nothing_to_give() {
    let other = RunDirectory::new();
    assert_eq!(other.run(&["uniform"], PROBLEM, &["--seed", "1"]).code, Some(0));
    let directory = RunDirectory::new();
    let reuse = ["--reuse", other.argument()];
    refused(directory.arguments(&["uniform"], PROBLEM, &reuse), &["cannot reuse ", "this run has seed 0, not 1"]);
    assert!(!directory.path.exists());
    let less = ["--seed", "1", "--fuel", "1e9", "--reuse", other.argument()];
    refused(
        directory.arguments(&["uniform"], PROBLEM, &less),
        &["this run has fuel limit 1000000000, not 2000000000000"],
    );
    let empty = tempfile::tempdir().unwrap();
    let reuse = ["--reuse", empty.path().to_str().unwrap()];
    refused(directory.arguments(&["uniform"], PROBLEM, &reuse), &["holds no run"]);
}

#[test]
fn only_the_same_bytes_with_the_same_settings_are_taken_over() {
    let other = RunDirectory::of(&["mlp:steps=20"], PROBLEM);
    let directory = RunDirectory::new();
    let finished = directory.run(&["mlp:steps=21"], PROBLEM, &["--reuse", other.argument()]);
    assert!(finished.stderr.contains("nothing is taken from other runs"), "{}", finished.stderr);
    let plan = other.read("plan.json");
    let digest = json(&plan)["agents"][0]["digest"].as_str().unwrap().to_owned();
    let altered = format!("sha256:{}", "0".repeat(64));
    fs::write(other.file("plan.json"), plan.replace(&digest, &altered)).unwrap();
    let again = RunDirectory::new();
    let finished = finish(jointly().args(again.arguments(&["mlp:steps=20"], PROBLEM, &["--reuse", other.argument()])));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("nothing is taken from other runs"), "{}", finished.stderr);
}
