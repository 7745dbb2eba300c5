//! Pipes and devices in the place of files, in the directories and among the inputs of strangers: they are refused at once.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Finished, is_one_line, run};
use crate::regression;
use crate::run::{PROBLEM, RunDirectory};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Puts something that is no regular file in the place of a file.
fn replace(path: &Path, pipe: bool) {
    let _ = fs::remove_file(path);
    if pipe {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    } else {
        symlink("/dev/zero", path).unwrap();
    }
}

/// Asserts that a command ended, and refused the file, in one line that names it.
fn refuses(finished: &Finished, path: &Path) {
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{}: {finished:?}", path.display());
    let name = path.file_name().unwrap().to_str().unwrap();
    // Without a plan there is no run, and a file of another kind is no plan.
    let said = if name == "plan.json" { "there is no plan.json" } else { "put a regular file in its place" };
    is_one_line(&finished.stderr, &[name, said]);
}

#[test]
fn a_pipe_or_a_device_in_the_place_of_a_file_is_refused_at_once() {
    let agents = &regression::AGENTS[..2];
    let (whole, _) = regression::scored(agents, "quick/correlations", "quick/correlations/d1/set0", &[]);
    let (directory, out) = (RunDirectory::new(), RunDirectory::new());
    let again = regression::arguments(&directory, agents, "quick/correlations", "quick/correlations/d1/set0", &[]);
    let kept = |folder: &str| {
        let (path, _) =
            whole.contents().into_iter().find(|(path, _)| path.parent().unwrap().ends_with(folder)).unwrap();
        path.strip_prefix(&whole.path).unwrap().to_owned()
    };
    let names = ["plan.json", "results.jsonl", "scores.json", "leaderboard.csv", "shard.json"].map(PathBuf::from);
    for name in names.into_iter().chain([kept("beliefs"), kept("agents")]) {
        for pipe in [true, false] {
            let _ = fs::remove_dir_all(&directory.path);
            for (path, bytes) in whole.contents() {
                let path = directory.path.join(path.strip_prefix(&whole.path).unwrap());
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, bytes).unwrap();
            }
            let path = directory.path.join(&name);
            replace(&path, pipe);
            let agent = name.starts_with("agents");
            // A leaderboard runs nothing and needs no agent.
            if !agent {
                refuses(&run(["leaderboard", directory.argument()]), &path);
            }
            refuses(&run(["pack", directory.argument(), "--output", text(&directory.file("out.jointly"))]), &path);
            if !name.ends_with("leaderboard.csv") && !name.ends_with("scores.json") {
                refuses(&run(["merge", out.argument(), directory.argument()]), &path);
            }
            if name.ends_with("results.jsonl") {
                refuses(&run(["report", directory.argument()]), &path);
                refuses(&run(&again), &path);
            }
            if name.ends_with("plan.json") {
                assert_eq!(run(&again).code, Some(2));
            }
        }
    }
}

#[test]
fn inputs_that_are_pipes_or_devices_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for pipe in [true, false] {
        for name in ["in.npz", "in.csv", "in.wasm", "in.jointly", "in.png"] {
            replace(&at(name), pipe);
        }
        let out = text(folder.path()).to_owned() + "/out";
        let refused = |arguments: &[&str], said: &str| {
            let finished = run(arguments);
            assert_eq!(finished.code, Some(2), "{arguments:?}: {finished:?}");
            is_one_line(&finished.stderr, &[said]);
        };
        let (npz, csv, wasm) = (at("in.npz"), at("in.csv"), at("in.wasm"));
        refused(&["run", "uniform", "--problem", text(&npz), "--out", &out], "in.npz");
        refused(&["run", "gp", "--suite", "quick/coverage", "--table", text(&csv), "--out", &out], "in.csv");
        refused(&["run", "gp", "--suite", "quick/coverage", "--table", text(&npz), "--out", &out], "in.npz");
        refused(&["score", text(&npz)], "in.npz");
        refused(&["run", text(&wasm), "--suite", "quick", "--problems", PROBLEM, "--out", &out], "in.wasm");
        refused(&["check", text(&wasm)], "in.wasm");
        refused(&["verify", text(&at("in.jointly"))], "in.jointly");
        // A folder of images, one of which is no file.
        for class in ["cats", "dogs"] {
            let class = at(&format!("images-{pipe}/{class}"));
            fs::create_dir_all(&class).unwrap();
            for name in ["a.png", "b.png"] {
                replace(&class.join(name), pipe);
            }
        }
        let images = at(&format!("images-{pipe}"));
        let arguments = ["run", "uniform", "--suite", "shift/images", "--images", text(&images), "--out", &out];
        refused(&arguments, "a.png");
    }
}
