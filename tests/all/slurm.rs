//! The script for Slurm, run by a shell with an array's variables, as Slurm does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Finished, finish, is_one_line, jointly, refused};
use crate::guests::guest;
use crate::run::{PROBLEM, RunDirectory, read};
use crate::shards::outside_arrays;

const AGENTS: [&str; 2] = ["uniform", "mlp:steps=20"];
const PROBLEMS: &str = "quick/*/temp0.1/*";

/// A folder with a name that a shell would split.
struct Folder {
    root: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it's $(mine)");
        fs::create_dir(&path).unwrap();
        Self { root: folder, path }
    }

    /// Writes the script of such a run, and returns its path.
    fn script(&self, options: &[&str]) -> PathBuf {
        let mut command = outside_arrays();
        command.current_dir(&self.path).arg("slurm").args(AGENTS);
        command.args(["--suite", "quick", "--problems", PROBLEMS, "--nodes", "3", "--out", "the run"]).args(options);
        let finished = finish(&mut command);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let path = self.path.join("the script.sh");
        fs::write(&path, finished.stdout).unwrap();
        path
    }

    /// Runs it in a shell, from another folder.
    fn shell(&self, script: &Path, variables: &[(&str, &str)]) -> Finished {
        let mut shell = Command::new("sh");
        shell.current_dir(self.root.path()).arg(script).envs(variables.iter().copied());
        shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        finish(&mut shell)
    }
}

/// A substitute for sbatch that runs the tasks of an array one after another, one of them twice as if it had been
/// requeued, and finally the job that waits for them.
const SBATCH: &str = r#"#!/bin/sh
set -eu
waits=
for word; do
  case "$word" in
    --dependency=afterok:7) waits=yes ;;
    --wrap=*) test "$waits"; sh -c "${word#--wrap=}" >merge.log 2>&1; echo 8; exit ;;
    --*) ;;
    *) script=$word ;;
  esac
done
grep -qx '#SBATCH --array=1-3' "$script"
for task in 1 2 2 3; do
  SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 sh "$script" >>tasks.log 2>&1
done
echo "7;cluster"
"#;

#[test]
fn the_tasks_of_an_array_and_their_merge_are_the_run_of_one_machine() {
    let folder = Folder::new();
    let script = folder.script(&[]);
    for task in ["3", "1", "2"] {
        let finished = folder.shell(&script, &[("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_COUNT", "3")]);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        assert!(finished.stdout.contains(&format!("shard {task}/3 is done")), "{finished:?}");
    }
    let shards = folder.path.join("the run.shards");
    let place = |task: u32| shards.join(format!("{task}-of-3"));
    let out = folder.path.join("the run");
    let merged = finish(jointly().arg("merge").arg(&out).args([1, 2, 3].map(place)));
    assert_eq!(merged.code, Some(0), "{merged:?}");
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    for file in ["plan.json", "scores.json", "leaderboard.csv"] {
        assert_eq!(read(&out.join(file)), whole.read(file), "{file}");
    }
}

#[cfg(unix)]
#[test]
fn the_script_submits_itself_and_then_the_merge() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let script = folder.script(&["--sbatch=--time=04:00:00"]);
    let text = read(&script);
    for line in ["#SBATCH --array=1-3", "#SBATCH --requeue", "#SBATCH --time=04:00:00", "#SBATCH --cpus-per-task=1"] {
        assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    }
    let tools = folder.root.path().join("tools");
    fs::create_dir(&tools).unwrap();
    fs::write(tools.join("sbatch"), SBATCH).unwrap();
    fs::set_permissions(tools.join("sbatch"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path))).unwrap();
    let finished = folder.shell(&script, &[("PATH", path.to_str().unwrap()), ("SLURM_ARRAY_TASK_ID", "")]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stdout.contains("submitted the array 7, and the merge 8 that waits for it"), "{finished:?}");
    let log = read(&folder.root.path().join("tasks.log"));
    assert!(log.contains("units are done already"), "{log}");
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    for file in ["plan.json", "scores.json", "leaderboard.csv"] {
        assert_eq!(read(&folder.path.join("the run").join(file)), whole.read(file), "{file}");
    }
}

#[test]
fn all_tasks_ask_what_was_planned_whatever_changes_meanwhile() {
    let folder = Folder::new();
    let agent = folder.path.join("mine.wasm");
    fs::copy(guest("chatty"), &agent).unwrap();
    let args = ["slurm", "mine.wasm", "--suite", "quick", "--problems", PROBLEM, "--nodes", "1", "--out", "many/"];
    let finished = finish(outside_arrays().current_dir(&folder.path).args(args));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    fs::copy(guest("own-failure"), &agent).unwrap();
    let script = folder.path.join("script.sh");
    fs::write(&script, &finished.stdout).unwrap();
    let task = folder.shell(&script, &[("SLURM_ARRAY_TASK_ID", "1")]);
    assert!(task.stdout.contains("shard 1/1 is done, 1 of the plan's 1 unit,"), "{task:?}");
    // Beside the directory of the whole run, although that was given with a final slash.
    let merged = finish(jointly().current_dir(&folder.path).args(["merge", "many", "many.shards/1-of-1"]));
    assert_eq!(merged.code, Some(0), "{merged:?}");
    assert_eq!(merged.stdout.matches("failed").count(), 0, "{merged:?}");
    let again = finish(outside_arrays().current_dir(&folder.path).args(args));
    assert_eq!(again.code, Some(2), "{again:?}");
    is_one_line(&again.stderr, &["many/ holds another plan", "another --out"]);

    // Directories left by an earlier array are refused: they neither disturb this one nor are ignored.
    let others = ["slurm", "uniform", "knn", "--suite", "quick", "--problems", PROBLEM, "--out", "many/", "--nodes"];
    fs::remove_dir_all(folder.path.join("many")).unwrap();
    let with = |nodes: &str, texts: &[&str]| {
        let finished = finish(outside_arrays().current_dir(&folder.path).args(others).arg(nodes));
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        is_one_line(&finished.stderr.replace("2 units planned in many/, 2 of them to be run\n", ""), texts);
    };
    with("1", &["many.shards/1-of-1 is of another plan", "delete many.shards"]);
    let shard = ["run", "--like", "many", "--shard", "1/1", "--out", "many.shards/1-of-1"];
    fs::remove_dir_all(folder.path.join("many.shards")).unwrap();
    assert_eq!(finish(jointly().current_dir(&folder.path).args(shard)).code, Some(0));
    with("2", &["many.shards/1-of-1 is of 1 tasks", "give --nodes 1"]);
}

#[test]
fn what_the_tasks_would_refuse_is_refused_at_once() {
    let with = |options: &[&'static str], texts: &[&str]| {
        let fixed = ["slurm", "uniform", "--suite", "quick"];
        refused(fixed.iter().chain(options), texts);
    };
    with(&[], &["--nodes"]);
    with(&["--nodes", "0"], &["0", "--nodes"]);
    with(&["--nodes", "2", "--shard", "1/2"], &["--shard cannot be used here", "leave it out"]);
    with(&["--nodes", "2", "--sbatch=--array=1-9"], &["sets --array itself"]);
    with(&["--nodes", "2", "--sbatch=-a1-9"], &["sets --array itself", "give --nodes"]);
    with(&["--nodes", "2", "--sbatch=--depend=afterok:1"], &["sets --dependency itself"]);
    with(&["--nodes", "2", "--sbatch=--no-requeue"], &["sets --no-requeue itself"]);
    with(&["--nodes", "2", "--sbatch=--time 4"], &["put = between"]);
    with(&["--nodes", "2", "--sbatch=-c8"], &["sets --cpus-per-task itself", "give --jobs"]);
    with(&["--nodes", "2", "--sbatch", "fast"], &["is not an option of sbatch"]);
    with(&["--nodes", "2", "--sbatch=--comment=a\nrm"], &["is not an option of sbatch"]);
    refused(["slurm", "nonesuch", "--suite", "quick", "--nodes", "2"], &["nonesuch"]);
    refused(["slurm", "uniform", "--suite", "nonesuch", "--nodes", "2"], &["there is no suite nonesuch"]);
}
