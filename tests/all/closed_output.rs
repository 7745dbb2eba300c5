//! Output that nobody reads to its end, as with `| head`: neither a panic nor an error.

use std::process::Stdio;

use crate::command::{finish, jointly};
use crate::run::{PROBLEM, RunDirectory};

/// Runs the command with a closed pipe as its standard output.
fn unread(args: &[&str]) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut process = jointly().args(args).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut process.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(0), "{args:?}: {stderr}");
    assert!(!stderr.contains("jointly: "), "{args:?}: {stderr}");
}

#[test]
fn every_command_ends_quietly() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    unread(&["agents"]);
    unread(&["agents", "--json"]);
    unread(&["suites"]);
    unread(&["suites", "--json"]);
    unread(&["check", "uniform"]);
    unread(&["check", "uniform", "--json"]);
    for format in ["table", "csv", "json"] {
        unread(&["report", directory.argument(), "--format", format]);
    }
    unread(&["verify", directory.argument()]);
    unread(&["--help"]);
}

#[test]
fn a_run_writes_its_files_all_the_same() {
    let whole = RunDirectory::of(&["uniform"], PROBLEM);
    let directory = RunDirectory::new();
    let arguments = directory.arguments(&["uniform"], PROBLEM, &[]);
    unread(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));
}

#[test]
fn a_failure_shows_in_the_exit_code_all_the_same() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let guest = crate::guests::argument("batch-dependent");
    let finished = finish(jointly().args(["check", &guest]).stdout(writer));
    assert_eq!(finished.code, Some(2), "{finished:?}");
}

/// Progress that cannot be shown does not stop a run.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_error_stops_nothing() {
    let directory = RunDirectory::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let finished = finish(jointly().args(directory.arguments(&["uniform"], PROBLEM, &[])).stderr(full));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    directory.scores();
}

/// Unlike a closed output, a full one has lost output that is wanted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let finished = finish(jointly().arg("agents").stdout(full));
    assert_eq!(finished.code, Some(2));
    crate::command::is_one_line(&finished.stderr, &["failed to write to standard output", "No space left"]);
}
