//! Agents that would take the compiler hours, and compiled agents that were damaged on the disk.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use jointly_core::digest;

use crate::command::{executable, finish, jointly, jointly_within, refused};
use crate::npz::TemporaryFile;
use crate::run::{PROBLEM, RunDirectory};

/// Returns a component with one function in `copies`: loops within one another around instructions that set every
/// local, all of which live throughout.
fn nest(locals: usize, loops: usize, copies: usize) -> Vec<u8> {
    let mut body = String::new();
    for local in 0..locals {
        let next = (local + 1) % locals;
        write!(body, "(local.set {local} (i32.add (local.get {next}) (local.get {local})))").unwrap();
    }
    let (locals, open) = ("i32 ".repeat(locals), "(loop ".repeat(loops));
    let close = "(br_if 0 (local.get 0)))".repeat(loops);
    let function = format!("(func (local {locals}) {open}{body}{close})");
    wat::parse_str(format!("(component (core module {}))", function.repeat(copies))).unwrap()
}

/// Returns a component with one function: a block that sets every local, with branches to its end.
fn branches(locals: usize, branches: usize) -> Vec<u8> {
    let mut sets = String::new();
    (0..locals).for_each(|local| write!(sets, "(local.set {local} (i32.const 0))").unwrap());
    let (locals, branches) = ("i32 ".repeat(locals), "(br_if 0 (local.get 0))".repeat(branches));
    wat::parse_str(format!("(component (core module (func (local {locals}) (block {branches} {sets}))))")).unwrap()
}

/// A component within the limits of its sections that takes the compiler more than a second.
fn slow() -> Vec<u8> {
    nest(2_000, 50, 4)
}

/// Asserts that `check`, `run` and `agents` refuse the file, with an error that contains the texts.
fn refused_agent(bytes: &[u8], texts: &[&str]) {
    let file = TemporaryFile::new("agent.wasm", bytes);
    refused(["check", file.argument()], texts);
    refused(["agents", file.argument()], texts);
    let directory = RunDirectory::new();
    refused(directory.arguments(&["uniform", file.argument()], PROBLEM, &[]), texts);
    assert!(!directory.path.exists());
}

/// Returns the directory of a run of `uniform` in which other bytes take the agent's place, under their digest.
fn forged(bytes: &[u8]) -> RunDirectory {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let kept = directory.kept_agent();
    let (before, after) = (digest(&fs::read(&kept).unwrap()), digest(bytes));
    fs::remove_file(&kept).unwrap();
    fs::write(kept.with_file_name(after.replace(':', "-")).with_extension("wasm"), bytes).unwrap();
    for name in ["plan.json", "results.jsonl", "scores.json", "leaderboard.csv"] {
        fs::write(directory.file(name), directory.read(name).replace(&before, &after)).unwrap();
    }
    directory
}

#[test]
fn a_small_module_that_would_take_minutes_is_refused() {
    let bytes = nest(1_000, 200, 1);
    assert!(bytes.len() < 14_000, "{}", bytes.len());
    refused_agent(&bytes, &["too large to compile: 200 loops within one another, and the limit is 50", "divide"]);
}

#[test]
fn a_module_that_would_take_gigabytes_is_refused() {
    let bytes = nest(5_000, 400, 1);
    assert!(bytes.len() < 65_000, "{}", bytes.len());
    refused_agent(&bytes, &["too large to compile: 400 loops within one another"]);
    let bytes = branches(2_000, 2_000);
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    let merges = "too large to compile: 4002000 values that merge where branches meet in one function";
    refused_agent(&bytes, &[merges, "and the limit is 2500000"]);
}

#[test]
fn an_entry_with_such_an_agent_is_refused() {
    let directory = forged(&nest(1_000, 200, 1));
    let texts = ["too large to compile", "loops within one another"];
    refused(["verify", directory.argument()], &texts);
    let pack = crate::pack::packed(&directory);
    assert!(fs::metadata(&pack).unwrap().len() < 10_000);
    refused(["verify", pack.to_str().unwrap()], &texts);
}

#[test]
fn the_compiler_has_a_limit_of_time() {
    let file = TemporaryFile::new("agent.wasm", slow());
    let mut shell = Command::new("sh");
    // The limit of this process is smaller than that of the compiler, which inherits it.
    shell.args(["-c", "ulimit -S -t 1 && exec \"$0\" check \"$1\""]).arg(executable()).arg(file.argument());
    let finished = finish(&mut shell);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    crate::command::is_one_line(&finished.stderr, &["compiling took more than 1 s of CPU time", "divide"]);
}

#[test]
fn the_compiler_has_a_limit_of_memory() {
    let file = TemporaryFile::new("agent.wasm", slow());
    let finished = finish(jointly_within(40).args(["check", file.argument()]));
    assert_eq!(finished.code, Some(2), "{finished:?}");
    crate::command::is_one_line(&finished.stderr, &["compiling took more than", "MiB of memory", "divide"]);
}

#[test]
fn whoever_asks_for_a_compiler_by_mistake_is_told() {
    let finished = finish(jointly().arg("compile-agent"));
    assert_eq!(finished.code, Some(1), "{finished:?}");
    crate::command::is_one_line(&finished.stderr, &["compile-agent", "mode of execution"]);
}

/// A cache of its own with one compiled agent.
struct Cache {
    folder: tempfile::TempDir,
}

impl Cache {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `uniform` with this cache, and returns its scores and what it writes to standard error.
    fn run(&self) -> (String, String) {
        let directory = RunDirectory::new();
        let mut command = jointly();
        command.env("JOINTLY_CACHE", self.path()).args(directory.arguments(&["uniform"], PROBLEM, &["--jobs", "1"]));
        let finished = finish(&mut command);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        (directory.read("scores.json"), finished.stderr)
    }

    /// Returns the paths of the compiled agents.
    fn files(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path().join("code")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn a_damaged_compiled_agent_is_compiled_again() {
    let cache = Cache::new();
    let (scores, _) = cache.run();
    let [file] = &*cache.files() else { panic!("one compiled agent") };
    let whole = fs::read(file).unwrap();
    // A stride that is coprime to 8, so that all bits of bytes are flipped in turn.
    let stride = (whole.len() * 8 / 200) | 1;
    for bit in (0..whole.len() * 8).step_by(stride) {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        fs::write(file, damaged).unwrap();
        assert_eq!(cache.run().0, scores, "bit {bit}");
        assert!(fs::read(file).unwrap() == whole, "the file is replaced");
    }
}

#[test]
fn verify_takes_no_compiled_agent_from_the_cache() {
    let cache = Cache::new();
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let finished = finish(jointly().env("JOINTLY_CACHE", cache.path()).args(["verify", directory.argument()]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(cache.files().is_empty());
}

#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    let cache = Cache::new();
    let scores = cache.run();
    let not_kept = "compiled agents are not kept";
    assert!(!scores.1.contains(not_kept) && cache.files().len() == 1, "{}", scores.1);
    fs::set_permissions(cache.path(), fs::Permissions::from_mode(0o777)).unwrap();
    fs::remove_file(&cache.files()[0]).unwrap();
    let again = cache.run();
    assert_eq!(again.0, scores.0);
    let notes: Vec<&str> = again.1.lines().filter(|line| line.contains(not_kept)).collect();
    let [note] = &*notes else { panic!("{}", again.1) };
    assert!(note.contains("can be written to by others") && note.contains("chmod go-w"), "{note}");
    assert!(cache.files().is_empty());
}
