//! Invalid requests: the error names the problem and the known values, and nothing is written.

use crate::command::{refused, run};
use crate::npz::{TemporaryFile, problem};
use crate::run::{PROBLEM, RunDirectory};

/// Asserts that a run is refused before anything is written.
fn refused_run(agents: &[&str], options: &[&str], texts: &[&str]) {
    let directory = RunDirectory::new();
    let fixed = ["--out", directory.argument()];
    refused(["run"].iter().chain(agents).chain(options).chain(&fixed), texts);
    assert!(!directory.path.exists());
}

const QUICK: [&str; 4] = ["--suite", "quick", "--problems", PROBLEM];

#[test]
fn an_unknown_agent() {
    refused_run(&["mpl"], &QUICK, &["there is no agent mpl: did you mean `mlp`?"]);
    refused_run(
        &["blr"],
        &QUICK,
        &["there is no agent blr: `jointly agents` lists those that are bundled", "its .wasm"],
    );
}

#[test]
fn an_agent_file_that_is_not_there() {
    refused_run(&["nowhere/agent.wasm"], &QUICK, &["nowhere/agent.wasm", "No such file"]);
}

#[test]
fn a_folder_for_an_agent() {
    refused_run(&["/"], &QUICK, &["failed to read /", "give the path of a .wasm"]);
}

#[test]
fn an_agent_asked_for_twice() {
    refused_run(&["uniform", "uniform"], &QUICK, &["uniform is given twice"]);
}

#[test]
fn an_unknown_suite() {
    refused_run(&["uniform"], &["--suite", "slow"], &["there is no suite slow: `jointly suites` lists all"]);
}

#[test]
fn misspelt_names_get_a_guess() {
    refused_run(
        &["uniform"],
        &["--suite", "quick/rael"],
        &["there is no suite quick/rael: did you mean `quick/real`?"],
    );
    refused_run(&["mlp:stpes=20"], &QUICK, &["mlp has no setting stpes: did you mean `steps`?"]);
    refused_run(&["oracle:chians=20"], &QUICK, &["oracle has no setting chians: did you mean `chains`?"]);
    for (args, near) in [(&["rnu"][..], "`run`"), (&["run", "mlp", "--siute", "quick"], "`--suite`")] {
        refused(args, &[&format!("did you mean {near}?")]);
    }
}

#[test]
fn nothing_to_run_on() {
    refused_run(&["uniform"], &[], &["--suite", "`jointly suites`", "--problem FILE.npz"]);
}

#[test]
fn an_unknown_setting() {
    refused_run(&["mlp:stpes=20"], &QUICK, &["mlp has no setting stpes"]);
}

#[test]
fn a_setting_for_an_agent_that_has_none() {
    refused_run(&["uniform:steps=20"], &QUICK, &["uniform has no setting steps: it has no settings"]);
}

#[test]
fn a_malformed_value_of_a_setting() {
    refused_run(&["mlp:steps=many"], &QUICK, &["mlp", "steps=many", "a whole number of at least 1"]);
}

#[test]
fn settings_that_cannot_be_read() {
    let directory = RunDirectory::new();
    let finished = run(["run", "mlp:steps", "--suite", "quick", "--out", directory.argument()]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("write name=value,name=value"), "{}", finished.stderr);
    assert!(!directory.path.exists());
}

#[test]
fn no_problem_matches() {
    let options = ["--suite", "quick", "--problems", "quick/t20/*/*"];
    refused_run(&["uniform"], &options, &["no problem of quick matches quick/t20/*/*", "quick/t10/temp0.01/seed0"]);
}

#[test]
fn anchors_where_inputs_repeat_none() {
    let options = [&QUICK[..], &["--anchors", "5"]].concat();
    refused_run(&["uniform"], &options, &["--anchors", "give --suite quick/dyadic or testbed/dyadic"]);
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let options = ["--problem", file.argument(), "--initialization", "glorot"];
    refused_run(&["uniform"], &options, &["--initialization", "imported has none", "give --suite quick or testbed"]);
}

#[test]
fn a_pattern_that_cannot_be_read() {
    refused_run(&["uniform"], &["--suite", "quick", "--problems", "quick/t[10"], &["pattern", "quick/t[10"]);
}

#[test]
fn a_suite_and_a_problem_file_at_once() {
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let options = ["--suite", "quick", "--problem", file.argument()];
    refused_run(&["uniform"], &options, &["leave out --suite quick"]);
}

#[test]
fn two_problem_files_of_one_name() {
    let (a, b) = (TemporaryFile::new("mine.npz", problem().bytes()), TemporaryFile::new("mine.npz", problem().bytes()));
    let options = ["--problem", a.argument(), "--problem", b.argument()];
    refused_run(&["uniform"], &options, &["imported/mine", "rename one"]);
}

#[test]
fn unknown_options_and_commands_exit_as_usage() {
    for args in [&["run", "--fast"][..], &["race"], &[], &["run", "uniform", "--jobs", "0"]] {
        assert_eq!(run(args).code, Some(2), "{args:?}");
    }
}
