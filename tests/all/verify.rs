//! `jointly verify`: runs an entry again and compares bit for bit.

use std::fs;

use crate::command::{done, refused, run};
use crate::npz::{TemporaryFile, problem};
use crate::run::{PROBLEM, RunDirectory};

const AGENTS: [&str; 2] = ["uniform", "mlp:steps=20"];

#[test]
fn an_untouched_directory_holds_and_stays_as_it_is() {
    let directory = RunDirectory::of(&AGENTS, "quick/t10/temp0.1/*");
    let before = directory.contents();
    for jobs in ["1", "2"] {
        let stdout = done(["verify", directory.argument(), "--jobs", jobs]);
        assert!(stdout.contains("holds: 6 units, the same to the bit"), "{stdout}");
    }
    assert_eq!(directory.contents(), before);
}

#[test]
fn a_directory_holds_wherever_it_is_moved() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let elsewhere = directory.path.with_file_name("elsewhere");
    fs::rename(&directory.path, &elsewhere).unwrap();
    done(["verify", elsewhere.to_str().unwrap()]);
}

#[test]
fn failures_are_verified_as_well() {
    let directory = RunDirectory::new();
    assert_eq!(directory.run(&[&crate::guests::argument("own-failure")], PROBLEM, &[]).code, Some(3));
    done(["verify", directory.argument()]);
}

#[test]
fn an_imported_problem_is_verified_from_its_copy() {
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let out = file.sibling("out");
    let out = out.to_str().unwrap();
    done(["run", "uniform", "--problem", file.argument(), "--out", out]);
    fs::remove_file(&file.path).unwrap();
    done(["verify", out]);
}

#[test]
fn an_edited_number_is_named() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let mut scores = directory.scores();
    let mean = scores["agents"][1]["scores"]["kl_tau100"]["mean"].as_f64().unwrap();
    scores["agents"][1]["scores"]["kl_tau100"]["mean"] = (mean * 0.5).into();
    fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap() + "\n").unwrap();
    let finished = run(["verify", directory.argument()]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stdout.contains("does not hold"), "{}", finished.stdout);
    assert!(finished.stdout.contains("scores.json.agents[1].scores.kl_tau100.mean"), "{}", finished.stdout);
}

#[test]
fn a_swapped_agent_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let other = RunDirectory::of(&["prior"], PROBLEM);
    fs::copy(other.kept_agent(), directory.kept_agent()).unwrap();
    let kept = directory.kept_agent();
    refused(["verify", directory.argument()], &[kept.to_str().unwrap(), "not the agent that the plan names"]);
}

#[test]
fn an_unfinished_directory_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    fs::remove_file(directory.file("scores.json")).unwrap();
    refused(["verify", directory.argument()], &["scores.json", "when it is finished"]);
}
