//! Interrupted runs: repeating the command gives the results of an uninterrupted run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::command::{done, jointly, run};
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

/// The endless agent is interrupted in its training, and is not recorded as failed.
#[test]
fn a_run_ends_at_its_timeout_and_goes_on_with_the_same_command() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    let directory = RunDirectory::new();
    let endless = argument("endless-train");
    let agents = ["uniform", "mlp:steps=20", &endless];
    for _ in 0..2 {
        let finished = directory.run(&agents, PROBLEMS, &["--jobs", "1", "--timeout", "5"]);
        assert_eq!(finished.code, Some(124), "{finished:?}");
        let said = [
            "stopped after 5 s, as --timeout asked",
            "2 of 9 units are recorded",
            directory.argument(),
            "the same command goes on",
        ];
        assert!(said.iter().all(|said| finished.stderr.contains(said)), "{finished:?}");
        let agents: Vec<String> = directory.units().iter().map(|unit| unit["agent"].to_string()).collect();
        assert_eq!(agents, ["\"mlp:steps=20\"", "\"uniform\""]);
    }
    assert!(!directory.file("scores.json").exists());

    // A run that is done in time has the scores of one without a limit.
    let directory = RunDirectory::new();
    let finished = directory.run(&AGENTS, PROBLEMS, &["--timeout", "3600"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    same_scores(&directory, &whole);
}

#[test]
fn a_timeout_is_of_runs_alone() {
    let agents = ["uniform"];
    for (command, remedy) in [("plan", "a plan runs nothing for good"), ("slurm", "--sbatch=--time")] {
        let mut arguments = vec![command, "uniform", "--suite", "quick", "--timeout", "5"];
        arguments.extend(if command == "slurm" { ["--nodes", "1"].as_slice() } else { &[] });
        let finished = run(arguments);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr.contains("--timeout cannot be used here") && finished.stderr.contains(remedy),
            "{finished:?}"
        );
    }
    let finished = RunDirectory::new().run(&agents, PROBLEMS, &["--plan-only", "--timeout", "5"]);
    assert!(finished.code == Some(2) && finished.stderr.contains("--timeout cannot be used here"), "{finished:?}");
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
