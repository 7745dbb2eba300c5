//! Directories that a run must not touch or cannot write to.

use std::fs::{self, File};

use crate::command::{done, finish, is_one_line, jointly, refused};
use crate::run::{PROBLEM, RunDirectory};

/// Asserts that the run is refused with an error that names the directory, in which nothing changes.
fn refused_there(directory: &RunDirectory, agents: &[&str], options: &[&str], texts: &[&str]) {
    let before = directory.contents();
    let finished = directory.run(agents, PROBLEM, options);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(&finished.stderr, texts);
    assert!(finished.stderr.contains(directory.argument()), "{}", finished.stderr);
    assert_eq!(directory.contents(), before);
}

#[test]
fn a_directory_that_holds_another_plan() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let remedy = "give another --out";
    refused_there(&directory, &["uniform"], &["--seed", "1"], &["another plan", "seed 1, not 0", remedy]);
    refused_there(&directory, &["prior"], &[], &["another plan", "1 other agent (prior), not uniform", remedy]);
    refused_there(&directory, &["uniform", "prior"], &[], &["another plan", "1 more agent (prior)", remedy]);
    refused_there(&directory, &["uniform"], &["--fuel", "5000000"], &["another plan", "fuel limit 5000000", remedy]);
    refused_there(&directory, &["uniform"], &["--memory", "7"], &["another plan", "memory limit", remedy]);
    let finished = directory.run(&["uniform"], "quick/t10/temp0.1/*", &[]);
    assert_eq!(finished.code, Some(2));
    is_one_line(&finished.stderr, &["another plan", "2 more problems (", remedy]);
}

#[test]
fn a_finished_directory_is_left_as_it_is_by_the_same_plan() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let before = directory.contents();
    assert_eq!(directory.run(&["uniform"], PROBLEM, &[]).code, Some(0));
    assert_eq!(directory.contents(), before);
}

#[test]
fn a_directory_that_holds_other_files() {
    let directory = RunDirectory::new();
    fs::create_dir(&directory.path).unwrap();
    fs::write(directory.file("thesis.tex"), "years of work").unwrap();
    refused_there(&directory, &["uniform"], &[], &["no plan of a run", "a new or empty directory"]);
}

#[test]
fn a_place_below_a_file() {
    let directory = RunDirectory::new();
    fs::write(&directory.path, "a file").unwrap();
    let below = directory.file("run");
    let args = ["run", "uniform", "--suite", "quick", "--problems", PROBLEM, "--out", below.to_str().unwrap()];
    refused(args, &[below.to_str().unwrap(), "Not a directory"]);
    refused(directory.arguments(&["uniform"], PROBLEM, &[]), &[directory.argument(), "File exists"]);
    assert_eq!(fs::read_to_string(&directory.path).unwrap(), "a file");
}

/// Not even root can create anything there, so the test works in a container, too.
#[cfg(target_os = "linux")]
#[test]
fn a_place_without_permission_to_write() {
    let args = ["run", "uniform", "--suite", "quick", "--problems", PROBLEM, "--out", "/proc/jointly"];
    refused(args, &["failed to make the directory /proc/jointly", "give another --out"]);
}

#[test]
fn a_plan_of_another_version() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let own = env!("CARGO_PKG_VERSION");
    let text = directory.read("plan.json");
    let plan = text.replace(&format!("\"version\": \"{own}\""), "\"version\": \"9.9.9\"");
    fs::write(directory.file("plan.json"), &plan).unwrap();
    // Otherwise units of two versions would be recorded under the name of one.
    refused_there(&directory, &["uniform"], &[], &[&format!("version {own}, not 9.9.9"), "give another --out"]);
    done(["report", directory.argument()]);
}

#[test]
fn a_plan_of_another_format() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let text = directory.read("plan.json");
    let own = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let old = text.replace("  \"format\": 1,\n", "").replace(&own, "\"version\": \"0.1.0\"");
    let new = text.replace("\"format\": 1", "\"format\": 2").replace("\"agents\"", "\"contestants\"");
    for (plan, said) in [
        (old, "was written by jointly 0.1.0, which alone reads it; install that version, or run the suite again"),
        (new, "has format 2; this jointly reads format 1: upgrade jointly"),
    ] {
        fs::write(directory.file("plan.json"), plan).unwrap();
        let said = [&format!("{}/plan.json {said}", directory.argument())[..]];
        refused_there(&directory, &["uniform"], &[], &said);
        for command in ["report", "verify", "leaderboard", "pack"] {
            refused([command, directory.argument()], &said);
        }
        refused(["run", "--like", directory.argument()], &said);
        refused(["merge", "out", directory.argument()], &said);
    }
}

#[test]
fn a_plan_that_is_none() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    fs::write(directory.file("plan.json"), "{\"format\": 1, \"version\": \"0.2.0\"}").unwrap();
    refused_there(&directory, &["uniform"], &[], &["plan.json"]);
    refused(["report", directory.argument()], &["plan.json"]);
}

#[test]
fn a_journal_with_garbage_in_the_middle() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    let journal = directory.read("results.jsonl");
    let (first, second) = journal.split_once('\n').unwrap();
    fs::write(directory.file("results.jsonl"), format!("{first}\n\0garbage\n{second}")).unwrap();
    refused_there(&directory, &["uniform", "prior"], &[], &["results.jsonl line 2", "delete the line"]);
    refused(["report", directory.argument()], &["results.jsonl line 2", "delete the line"]);
}

#[test]
fn a_directory_that_another_run_writes() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let journal = File::open(directory.file("results.jsonl")).unwrap();
    journal.lock().unwrap();
    refused_there(&directory, &["uniform"], &[], &["being written by another run", "another --out"]);
}

#[test]
fn without_a_directory_every_plan_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let run = |seed: &str| {
        let args = ["run", "uniform", "--suite", "quick", "--problems", PROBLEM, "--seed", seed];
        let finished = finish(jointly().current_dir(folder.path()).args(args));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        finished.stderr.contains("1 of 1 unit is done already")
    };
    assert_eq!([run("0"), run("1"), run("0")], [false, false, true]);
    assert_eq!(fs::read_dir(folder.path().join("jointly-runs")).unwrap().count(), 2);
}

#[test]
fn a_directory_without_a_run() {
    let directory = RunDirectory::new();
    for command in ["report", "verify"] {
        refused([command, directory.argument()], &["there is no file or directory", directory.argument()]);
    }
    fs::create_dir(&directory.path).unwrap();
    for command in ["report", "verify"] {
        refused([command, directory.argument()], &[directory.argument(), "no plan.json", "jointly run --out"]);
    }
}

/// Other users can read the files, for example to serve or mail a leaderboard.
#[cfg(unix)]
#[test]
fn files_have_the_permissions_of_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let other = directory.path.with_file_name("other");
    fs::write(&other, "").unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode();
    for (path, _) in directory.contents() {
        assert_eq!(mode(&path), mode(&other), "{}", path.display());
    }
}
