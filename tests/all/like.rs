//! `--like DIR`: runs the plan of a directory again from the files that it keeps, wherever the originals are.

use std::fs;

use serde_json::json;

use crate::command::{done, is_one_line, joined, refused, run};
use crate::guests::argument;
use crate::npz::{TemporaryFile, problem};
use crate::regression;
use crate::run::{PROBLEM, RunDirectory, json as parsed};
use crate::sweep::sweep;

/// Runs the plan of a directory into another one, which must get the same scores.
fn again(whole: &RunDirectory) -> RunDirectory {
    let other = RunDirectory::new();
    done(["run", "--like", whole.argument(), "--out", other.argument()]);
    for file in ["plan.json", "scores.json", "leaderboard.csv"] {
        assert_eq!(other.read(file), whole.read(file), "{file}");
    }
    other
}

#[test]
fn agents_and_problems_of_ones_own_come_from_the_directory() {
    let agent = TemporaryFile::new("mine.wasm", fs::read(argument("chatty")).unwrap());
    let file = TemporaryFile::new("own.npz", problem().bytes());
    let whole = RunDirectory::new();
    let fixed = ["--problem", file.argument(), "--seed", "3", "--draws", "20", "--fuel", "1000000000"];
    done(["run", "knn:k=2", agent.argument(), "--out", whole.argument()].iter().chain(&fixed));
    fs::remove_file(&agent.path).unwrap();
    fs::remove_file(&file.path).unwrap();
    let other = again(&whole);
    done(["verify", other.argument()]);
    // The copy keeps all files that it was made from, so its plan can be run again in turn.
    again(&other);
}

#[test]
fn tables_predictors_and_beliefs_are_asked_for_again() {
    let rows: Vec<String> = (0..60).map(|i| format!("{},{}", i * 13 % 17, i * 7 % 11)).collect();
    let table = TemporaryFile::new("mine.csv", format!("a,y\n{}\n", rows.join("\n")));
    let options = ["--table", table.argument()];
    let (whole, _) = regression::scored(&["linear"], "quick/correlations", "quick/correlations/mine/*", &options);
    fs::remove_file(&table.path).unwrap();
    regression::same_scores(&again(&whole), &whole);
}

#[test]
fn a_run_that_was_cut_short_goes_on_by_its_directory_alone() {
    let (whole, part) =
        (RunDirectory::of(&["uniform", "knn"], PROBLEM), RunDirectory::of(&["uniform", "knn"], PROBLEM));
    let journal = part.read("results.jsonl");
    fs::write(part.file("results.jsonl"), journal.split_once('\n').unwrap().0.to_owned() + "\n").unwrap();
    let finished = run(["run", "--like", part.argument(), "--out", part.argument()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("1 of 2 units are done already; going on"), "{finished:?}");
    assert_eq!(part.read("scores.json"), whole.read("scores.json"));
}

#[test]
fn a_sweep_is_planned_run_elsewhere_and_chosen_from() {
    let (whole, planned) = (RunDirectory::new(), RunDirectory::new());
    sweep(&whole, PROBLEM, &[]);
    let said = sweep(&planned, PROBLEM, &["--plan-only"]);
    assert!(said.contains("units planned in"), "{said}");
    assert_eq!(planned.read("results.jsonl"), "");
    let estimate = parsed(&done(["plan", "--like", planned.argument(), "--json"]));
    assert_eq!(estimate["all"]["units"], json!(whole.units().len()));
    done(["run", "--like", planned.argument(), "--out", planned.argument()]);
    sweep(&planned, PROBLEM, &[]);
    assert_eq!(planned.read("sweep.json"), whole.read("sweep.json"));
}

#[test]
fn what_the_directory_says_is_not_said_again() {
    let whole = RunDirectory::of(&["uniform"], PROBLEM);
    let out = RunDirectory::new();
    let with = |options: &[&str], texts: &[&str]| {
        let fixed = ["run", "--like", whole.argument(), "--out", out.argument()];
        refused(fixed.iter().chain(options), texts);
        assert!(!out.path.exists());
    };
    with(&["mlp"], &["--like has the agents of", "leave mlp out"]);
    for [option, value] in [
        ["--suite", "quick"],
        ["--seed", "0"],
        ["--problems", "*"],
        ["--problem", "a.npz"],
        ["--draws", "3"],
        ["--fuel", "3"],
        ["--memory", "30"],
        ["--table", "a.csv"],
    ] {
        with(&[option, value], &["--like", option, "cannot be used with"]);
    }
    refused(["run", "--like", out.argument()], &["there is no file or directory", out.argument()]);
    let sweep = ["sweep", "mlp", "--like", whole.argument()];
    refused(sweep, &["--like cannot be used here", "give it to `jointly run`"]);
}

#[test]
fn a_directory_of_another_engine_is_not_asked() {
    let whole = RunDirectory::of(&["uniform"], PROBLEM);
    let text = whole.read("plan.json");
    let mut plan = parsed(&text);
    plan["engine"] = "wasmtime 1".into();
    fs::write(whole.file("plan.json"), plan.to_string()).unwrap();
    let finished = run(["run", "--like", whole.argument()]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    is_one_line(
        &finished.stderr,
        &["is not the one that this command makes", "not wasmtime 1", "ask for the run anew"],
    );
    assert!(!joined(&finished.stderr).contains("panicked"));
}
