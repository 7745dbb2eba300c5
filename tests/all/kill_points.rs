//! Runs that are killed at calls that change a file, in the middle of a write too, and run again. Renames by raw system
//! calls are not seen; before each of them the file is synchronised, which is a call that is seen and leaves the same files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Finished, finish, jointly, skipped, workspace};
use crate::run::RunDirectory;

/// Runs that keep each kind of file: agents, and what agents said of their belief.
const RUNS: [(&[&str], &str, &str); 2] = [
    (&["uniform", "class-average"], "quick", "quick/t10/temp0.1/*"),
    (&["linear"], "quick/correlations", "quick/correlations/d1/*"),
];
/// The calls at which the runs that continue it are killed.
const LATER: [usize; 2] = [1, 4];
/// Tries one in so many calls, with another offset for each run, unless the variable `JOINTLY_KILL_POINTS` asks for all.
const STEP: usize = 7;

/// Builds the library that kills, or says why it cannot be built.
fn killer(folder: &Path) -> Result<PathBuf, String> {
    let library = folder.join("kill_at.so");
    let source = workspace().join("tests/native/kill_at.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).output();
    match built {
        Ok(built) if built.status.success() => Ok(library),
        Ok(built) => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
        Err(error) => Err(format!("cc: {error}")),
    }
}

/// Kills runs at every call, and those that continue them at a few. Nothing but the directory and the cache of
/// compiled agents is left of a killed run; the last run has to give the scores of one that was never killed.
#[test]
fn killed_at_calls_that_change_a_file_and_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let library = match killer(folder.path()) {
        Ok(library) => library,
        Err(why) => return skipped("killed_at_calls_that_change_a_file_and_run_again", &why),
    };
    let all = std::env::var_os("JOINTLY_KILL_POINTS").is_some();
    let mut points = 0;
    for (start, (agents, suite, problems)) in (1..).zip(RUNS) {
        let run = |directory: &RunDirectory, cache: &Path, kill: Option<usize>| -> Finished {
            let mut command = jointly();
            command.arg("run").args(agents).args(["--suite", suite, "--problems", problems, "--jobs", "1"]);
            command.args(["--out", directory.argument()]).env("JOINTLY_CACHE", cache);
            if let Some(call) = kill {
                command.env("LD_PRELOAD", &library).env("KILL_AT", call.to_string());
            }
            finish(&mut command)
        };
        let (whole, cache) = (RunDirectory::new(), folder.path().join("whole"));
        assert_eq!(run(&whole, &cache, None).code, Some(0));
        let files = |directory: &RunDirectory| ["scores.json", "leaderboard.csv"].map(|name| directory.read(name));
        for first in (start..).step_by(if all { 1 } else { STEP }) {
            let (directory, cache) = (RunDirectory::new(), folder.path().join(format!("{suite}-{first}")));
            let mut killed = run(&directory, &cache, Some(first));
            if killed.code == Some(0) {
                assert!(first > 25, "only {first} calls change a file");
                break;
            }
            points += 1;
            for later in LATER {
                assert_eq!(killed.code, None, "killed at call {first}: {killed:?}");
                killed = run(&directory, &cache, Some(later));
                if killed.code == Some(0) {
                    break;
                }
                points += 1;
            }
            let finished = run(&directory, &cache, None);
            assert_eq!(finished.code, Some(0), "after a kill at call {first}: {finished:?}");
            assert_eq!(files(&directory), files(&whole), "after a kill at call {first}");
            fs::remove_dir_all(&cache).unwrap();
        }
    }
    assert!(points >= if all { 200 } else { 25 }, "{points} points");
    println!("killed {points} times");
}
