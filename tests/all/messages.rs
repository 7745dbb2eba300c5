//! The command's messages: one line each, compared with a snapshot so that changes of wording are reviewed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::command::{finish, is_one_line, jointly};
use crate::npz::problem;
use crate::run::{PROBLEM, read};

/// Makes a working folder with a finished run, its pack, and files that are neither.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let done = |args: &[&str]| {
        let finished = finish(jointly().current_dir(folder.path()).args(args));
        assert_eq!(finished.code, Some(0), "{finished:?}");
    };
    done(&["run", "uniform", "prior", "--suite", "quick", "--problems", PROBLEM, "--out", "run"]);
    done(&["run", "uniform", "--suite", "quick", "--problems", PROBLEM, "--draws", "20", "--out", "fewer"]);
    done(&["pack", "run", "--output", "run.jointly"]);
    let plan = read(&file("run/plan.json"));
    let own = format!("  \"format\": 1,\n  \"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(plan.contains(&own), "{plan}");
    for (name, text) in [
        ("old", plan.replace(&own, "  \"version\": \"0.1.0\"")),
        ("new", plan.replace("\"format\": 1", "\"format\": 2")),
        ("edited", plan.replace("\"seed\": 0", "\"seed\": 0.5")),
    ] {
        fs::create_dir(file(name)).unwrap();
        fs::write(file(name).join("plan.json"), text).unwrap();
    }
    fs::create_dir(file("thesis")).unwrap();
    fs::write(file("thesis/thesis.tex"), "years of work").unwrap();
    fs::write(file("mine.npz"), problem().bytes()).unwrap();
    fs::write(file("notes.npz"), "no archive").unwrap();
    fs::write(file("notes.csv"), "a,b\n1,2\n").unwrap();
    fs::write(file("notes.wasm"), "no component").unwrap();
    fs::write(file("notes.jointly"), "no pack").unwrap();
    let pack = fs::read(file("run.jointly")).unwrap();
    let mut damaged = pack.clone();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(file("damaged.jointly"), damaged).unwrap();
    fs::create_dir(file("data")).unwrap();
    folder
}

/// The command lines, with words separated by blanks.
const REQUESTS: &[&str] = &[
    // Commands and options.
    "rnu",
    "run uniform --suite quick --siute quick",
    "run uniform --suite quick --jobs 0",
    "run uniform --suite quick --seed one",
    "completions bsh",
    "schema plna",
    // Names.
    "run mpl --suite quick",
    "run blr --suite quick",
    "run uniform --suite quikc",
    "run uniform --suite mine",
    "run uniform",
    "run mlp:stpes=20 --suite quick",
    "run mlp:depth=20 --suite quick",
    "run uniform:steps=20 --suite quick",
    "run mlp:steps=many --suite quick",
    "run mlp:steps --suite quick",
    "run oracle:chians=4 --suite quick",
    "run uniform uniform --suite quick",
    "run uniform --suite quick --problems quick/t20/*",
    "run uniform --suite quick --problems quick/t[10",
    "run bootstrap --suite quick",
    "suites quikc",
    "data --fetch irsi",
    "picture uniform --problem quick/t10/temp0.1/sed0",
    "sweep mlp --suite quick --only l3",
    "worker extra",
    // Options that cannot be combined.
    "run uniform --suite quick --anchors 5",
    "run uniform --suite quick --pool 5",
    "run uniform --suite quick --problem mine.npz",
    "run uniform --problem mine.npz --initialization glorot",
    "run uniform --suite quick --draws 0",
    "run uniform --suite quick --shard 3/2",
    "report run --pair uniform prior",
    "report run --baseline unifrom",
    "report run --baseline gp",
    "leaderboard run --baseline gp",
    "report run --format html --parameter depth",
    "score mine.npz",
    // Files.
    "run nowhere.wasm --suite quick",
    "run notes.wasm --suite quick",
    "run mine.npz --suite quick",
    "run uniform --problem notes.npz",
    "run bootstrap --suite coverage/tables --table notes.csv",
    "run uniform --suite quick/real",
    "run uniform --suite quick/real --data nowhere",
    "run uniform --suite quick --out thesis",
    "run uniform --suite quick --seed 1 --out run",
    "run uniform --suite quick --reuse fewer --out more",
    "report nowhere",
    "report thesis",
    "report run.jointly",
    "report old",
    "report new",
    "report edited",
    "verify notes.jointly",
    "verify damaged.jointly",
    "verify old",
    "leaderboard run fewer",
    "merge whole run fewer",
    "merge run.jointly run",
    "pack run --output thesis",
    "new My-agent --lang rust",
    "man notes.csv",
];

fn said(folder: &Path, request: &str) -> String {
    let mut command = jointly();
    command.current_dir(folder).env("JOINTLY_DATA", "data").args(request.split(' '));
    let finished = finish(&mut command);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{request}: {finished:?}");
    is_one_line(&finished.stderr, &[]);
    finished.stderr
}

#[test]
fn every_mistake_gets_one_line_and_these_words() {
    let folder = folder();
    let mut messages = String::new();
    for request in REQUESTS {
        write!(messages, "$ jointly {request}\n{}\n", said(folder.path(), request)).unwrap();
    }
    insta::assert_snapshot!(messages.trim_end());
}
