//! Agents that use WASI: what they observe is a function of the unit's seed, and they cannot reach the outside.

use crate::command::{finish, jointly};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory};

/// Runs the guest alone with options on problems of `quick`.
fn run(guest: &str, problems: &str, options: &[&str]) -> RunDirectory {
    let directory = RunDirectory::new();
    let finished = directory.run(&[&argument(guest)], problems, options);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    directory
}

/// Returns the guest's log of the first unit.
fn log(directory: &RunDirectory) -> Vec<String> {
    let units = directory.units();
    units[0]["log"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
pub(crate) fn witness() {
    let problems = "quick/t10/temp0.1/*";
    let (one, two) = (run("witness", problems, &["--jobs", "1"]), run("witness", problems, &["--jobs", "2"]));
    for file in ["scores.json", "leaderboard.csv"] {
        assert_eq!(one.read(file), two.read(file));
    }
    let seen = log(&one);
    assert_eq!(seen, log(&two));
    let fixed = [
        "environment [] [] None",
        "wall 1735689600.001000000",
        "monotonic 86400002000000 and 1000000, resolution 1000000",
        "a line in two",
        "an error",
    ];
    assert_eq!(seen[..5], fixed);
    assert_eq!(seen[7], "and one without its end", "a line ends with the call that began it");
    assert_eq!(seen.len(), 8);

    // Each unit and each seed has its own streams.
    let logs: Vec<String> = one.units().iter().map(|unit| unit["log"][5].to_string()).collect();
    assert!(logs.len() == 3 && logs[0] != logs[1] && logs[1] != logs[2], "{logs:?}");
    let other = log(&run("witness", problems, &["--seed", "1"]));
    assert_eq!(other[..5], fixed);
    for (line, purpose) in [(5, "random"), (6, "insecure")] {
        assert!(seen[line].starts_with(purpose));
        let (these, those): (Vec<&str>, Vec<&str>) =
            (seen[line].split(' ').collect(), other[line].split(' ').collect());
        assert_eq!(these.len(), those.len());
        assert!(these.iter().zip(&those).skip(1).all(|(this, that)| this != that), "{these:?} {those:?}");
    }
}

/// `check` trains twice with one seed and once with another, and asks again for draws and rows.
#[test]
fn an_agent_that_takes_its_random_numbers_from_wasi_passes_the_check() {
    let finished = finish(jointly().args(["check", &argument("witness")]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

#[test]
pub(crate) fn sleeps_a_year() {
    let expected = ["slept 365 days", "woken by [1, 2] after 730 days", "soon true, late false", "5 centuries in all"];
    assert_eq!(log(&run("sleeps-a-year", PROBLEM, &[])), expected);
}

#[test]
pub(crate) fn knocks_on_doors() {
    let expected = [
        "directories: 0",
        "tcp socket: Err(ErrorCode { code: 1, name: \"access-denied\", message: \"\" })",
        "look-up: Err(ErrorCode { code: 1, name: \"access-denied\", message: \"\" })",
        "header: Err(HeaderError::Forbidden)",
        "headers: 0",
        "authority: Err(())",
        "request: Err(ErrorCode::HttpRequestDenied)",
        "standard input: Err(true)",
    ];
    assert_eq!(log(&run("knocks-on-doors", PROBLEM, &[])), expected);
}

#[test]
pub(crate) fn reads_preview1() {
    let (one, two) = (run("reads-preview1", PROBLEM, &[]), run("reads-preview1", PROBLEM, &["--seed", "1"]));
    let (seen, other) = (log(&one), log(&two));
    assert_eq!(seen[0], "a line of the C library");
    let fixed = "codes [0, 0, 8, 0, 0], time 1735689600001000000, environment 0 0, 24 bytes, ";
    assert!(seen[1].starts_with(fixed) && other[1].starts_with(fixed), "{seen:?}");
    assert_ne!(seen[1], other[1], "random bytes follow the seed");
}
