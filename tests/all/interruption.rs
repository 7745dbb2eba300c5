//! Interrupted runs: repeating the command gives the results of an uninterrupted run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::command::{done, jointly};
use crate::guests::argument;
use crate::run::RunDirectory;

const AGENTS: [&str; 3] = ["uniform", "mlp:steps=20", "ensemble:steps=20,size=3"];
const PROBLEMS: &str = "quick/t10/temp0.1/*";
const UNITS: usize = 9;

#[test]
fn killed_at_any_unit_and_run_again() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    for units in [1, 3, 7] {
        let directory = RunDirectory::new();
        let mut command = jointly();
        command.args(directory.arguments(&AGENTS, PROBLEMS, &[])).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        // Every unit prints a line on standard error as it is added to the journal.
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        assert_eq!(lines.take(units).map(Result::unwrap).count(), units);
        process.kill().unwrap();
        process.wait().unwrap();

        let finished = directory.run(&AGENTS, PROBLEMS, &[]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        same_scores(&directory, &whole);
    }
}

/// An agent that never ends ensures that the signal comes in the middle.
#[cfg(unix)]
#[test]
fn an_interrupt_from_the_keyboard_leaves_a_directory_to_go_on_with() {
    let directory = RunDirectory::new();
    let endless = argument("endless-train");
    let mut command = jointly();
    command.args(directory.arguments(&["uniform", &endless], PROBLEMS, &["--jobs", "1"]));
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(process.stderr.take().unwrap());
    let mut first = String::new();
    stderr.read_line(&mut first).unwrap();
    assert!(first.starts_with("[1/6] uniform"), "{first}");
    let sent = Command::new("sh").args(["-c", "kill -INT $0", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let rest: Vec<String> = stderr.lines().map(Result::unwrap).collect();
    assert_eq!(process.wait().unwrap().code(), Some(130));
    let goes_on = |line: &String| line.contains(directory.argument()) && line.contains("the same command");
    assert!(rest.iter().any(goes_on), "{rest:?}");
    let report = done(["report", directory.argument()]);
    assert!(report.contains("endless-train has no result yet on 3 problems"), "{report}");
}

#[test]
fn a_torn_last_line_is_run_again() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let journal = directory.read("results.jsonl");
    for keep in [0, 1, journal.len() / 2, journal.len() - 1] {
        fs::remove_file(directory.file("scores.json")).unwrap();
        fs::write(directory.file("results.jsonl"), &journal[..keep]).unwrap();
        let finished = directory.run(&AGENTS, PROBLEMS, &[]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let done = journal[..keep].matches('\n').count();
        assert_eq!(finished.stderr.contains(&format!("{done} of {UNITS} units are done already")), done > 0);
        same_scores(&directory, &whole);
    }
}

#[test]
fn a_file_that_was_being_written_is_no_obstacle() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let whole = directory.read("scores.json");
    fs::File::create(directory.file(".part-1234")).unwrap().write_all(b"{\"sui").unwrap();
    fs::remove_file(directory.file("scores.json")).unwrap();
    assert_eq!(directory.run(&AGENTS, PROBLEMS, &[]).code, Some(0));
    assert_eq!(directory.read("scores.json"), whole);
}

fn same_scores(directory: &RunDirectory, whole: &RunDirectory) {
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));
    assert_eq!(directory.read("leaderboard.csv"), whole.read("leaderboard.csv"));
    assert_eq!(directory.units().len(), UNITS);
}
