//! Runs in shards: joined, they equal the run of one machine, byte for byte, and incomplete sets of shards are refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::{Finished, done, executable, finish, is_one_line, jointly, refused};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory, json, read};
use crate::sweep::sweep;

const AGENTS: [&str; 3] = ["uniform", "mlp:steps=20", "ensemble:steps=20,size=3"];
const PROBLEMS: &str = "quick/*/temp0.1/*";
const UNITS: usize = 18;
/// Variables that may be set where tests run.
const VARIABLES: [&str; 7] = [
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_STEP",
    "JOB_COMPLETION_INDEX",
    "JOINTLY_SHARDS",
];

/// Returns the command outside any array job.
pub(crate) fn outside_arrays() -> Command {
    let mut command = jointly();
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
}

/// Runs a shard of the run of these agents, in a directory of its own.
fn shard(of: &str) -> RunDirectory {
    let directory = RunDirectory::new();
    let finished = directory.run(&AGENTS, PROBLEMS, &["--shard", of]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    directory
}

fn merge(out: &RunDirectory, parts: &[&RunDirectory]) -> Finished {
    let parts = parts.iter().map(|part| part.argument());
    finish(jointly().args(["merge", out.argument()]).args(parts))
}

fn merged(parts: &[&RunDirectory]) -> RunDirectory {
    let out = RunDirectory::new();
    let finished = merge(&out, parts);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    out
}

/// Asserts that the merge is refused in one line with all of the texts, and nothing is written.
fn refused_merge(parts: &[&RunDirectory], texts: &[&str]) -> String {
    let out = RunDirectory::new();
    let finished = merge(&out, parts);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(&finished.stderr, texts);
    assert!(!out.path.exists());
    finished.stderr
}

fn same_run(one: &RunDirectory, other: &RunDirectory) {
    for file in ["plan.json", "scores.json", "leaderboard.csv"] {
        assert_eq!(one.read(file), other.read(file), "{file}");
    }
    let untimed = |directory: &RunDirectory| {
        let mut units = directory.units();
        for unit in &mut units {
            unit["seconds"] = Value::Null;
        }
        units
    };
    assert_eq!(untimed(one), untimed(other));
}

/// Runs the commands that a message shows between backticks.
fn run_what_is_said(message: &str, folder: &Path) {
    let commands: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    assert!(!commands.is_empty(), "no command in {message}");
    for command in commands {
        run_command(command, folder);
    }
}

fn run_command(command: &str, folder: &Path) {
    let own = executable().parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.current_dir(folder).args(["-c", command]).env("PATH", path);
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let finished = finish(&mut shell);
    assert_eq!(finished.code, Some(0), "{command}: {finished:?}");
}

#[test]
fn four_shards_are_the_run_of_one_machine() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    let shards = ["1/4", "2/4", "3/4", "4/4"].map(shard);
    let sizes = shards.each_ref().map(|shard| shard.units().len());
    // Each has its share of every agent's problems, and no unit is run twice.
    assert_eq!(sizes.iter().sum::<usize>(), UNITS);
    assert!(sizes.iter().all(|size| (3..=6).contains(size)), "{sizes:?}");
    for shard in &shards {
        assert_eq!(shard.read("plan.json"), whole.read("plan.json"));
    }
    let parts: Vec<&RunDirectory> = shards.iter().collect();
    let merged = merged(&parts);
    same_run(&merged, &whole);
    done(["verify", merged.argument(), "--sample", "2"]);
    // Merging again changes nothing, nor does merging results of another number of shards.
    let before = merged.contents();
    let other = shard("1/2");
    assert_eq!(merge(&merged, &[&other, parts[0], parts[0]]).code, Some(0));
    assert_eq!(merged.contents(), before);
}

#[test]
fn agents_that_fail_are_merged_as_they_failed() {
    let own_failure = argument("own-failure");
    let agents = ["uniform", &own_failure];
    let run = |options: &[&str]| {
        let directory = RunDirectory::new();
        let finished = directory.run(&agents, "quick/t10/temp0.1/*", options);
        (directory, finished)
    };
    let (whole, finished) = run(&[]);
    assert_eq!(finished.code, Some(3));
    let (one, finished) = run(&["--shard", "1/2"]);
    assert_eq!(finished.code, Some(3));
    assert!(finished.stdout.contains("failed"), "{finished:?}");
    let (two, _) = run(&["--shard", "2/2"]);
    let out = RunDirectory::new();
    assert_eq!(merge(&out, &[&one, &two]).code, Some(3));
    same_run(&out, &whole);
}

#[test]
fn what_agents_believe_goes_along() {
    let run = |options: &[&str]| {
        let directory = RunDirectory::new();
        let fixed = ["run", "linear", "gp", "--suite", "quick/correlations", "--problems", "*/d1/set[01]", "--out"];
        done(fixed.iter().copied().chain([directory.argument()]).chain(options.iter().copied()));
        directory
    };
    let whole = run(&[]);
    let merged = merged(&[&run(&["--shard", "1/2"]), &run(&["--shard", "2/2"])]);
    same_run(&merged, &whole);
    let kept = |directory: &RunDirectory| fs::read_dir(directory.file("beliefs")).unwrap().count();
    assert_eq!(kept(&merged), kept(&whole));
}

#[test]
fn a_sweep_is_spread_and_chooses_when_all_is_there() {
    let spread = |options: &[&str]| {
        let directory = RunDirectory::new();
        sweep(&directory, PROBLEM, options);
        directory
    };
    let whole = spread(&[]);
    let merged = merged(&[&spread(&["--shard", "1/2"]), &spread(&["--shard", "2/2"])]);
    same_run(&merged, &whole);
    sweep(&merged, PROBLEM, &[]);
    assert_eq!(merged.read("sweep.json"), whole.read("sweep.json"));
}

#[test]
fn a_shard_is_taken_for_no_entry() {
    let whole = RunDirectory::new();
    let finished = whole.run(&AGENTS, PROBLEM, &["--shard", "1/1"]);
    assert!(finished.stdout.contains("a shard has no scores"), "{finished:?}");
    assert!(finished.stdout.contains(&format!("jointly merge OUT {}", whole.argument())), "{finished:?}");
    assert!(!whole.file("scores.json").exists() && !whole.file("leaderboard.csv").exists());
    for command in ["verify", "pack", "leaderboard"] {
        refused([command, whole.argument()], &["is shard 1/1 of a run", "jointly merge OUT DIR..."]);
    }
    let args = whole.arguments(&AGENTS, PROBLEM, &["--shard", "1/1", "--json"]);
    refused(args, &["--json prints scores, and a shard has none"]);
}

#[test]
fn a_directory_stays_the_shard_that_it_is() {
    let one = shard("1/4");
    let whole = RunDirectory::of(&["uniform"], PROBLEM);
    let before = one.contents();
    refused(
        one.arguments(&AGENTS, PROBLEMS, &["--shard", "2/4"]),
        &["is of shard 1/4", "give --shard 1/4, or another --out"],
    );
    refused(one.arguments(&AGENTS, PROBLEMS, &[]), &["is of shard 1/4", "give --shard 1/4, or another --out"]);
    refused(whole.arguments(&["uniform"], PROBLEM, &["--shard", "1/2"]), &["is of the whole plan", "another --out"]);
    refused(["merge", one.argument(), one.argument()], &["holds shard 1/4", "name another one first"]);
    let again = one.run(&AGENTS, PROBLEMS, &["--shard", "1/4"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stderr.contains("units are done already"), "{again:?}");
    assert_eq!(one.contents(), before);
    fs::write(one.file("shard.json"), "{\"shard\": 9, \"of\": 4}").unwrap();
    refused(one.arguments(&AGENTS, PROBLEMS, &["--shard", "1/4"]), &["shard.json does not say which shard"]);
}

#[test]
fn shards_that_there_are_not() {
    let place = RunDirectory::new();
    let with = |options: &[&str], texts: &[&str]| {
        let finished = finish(outside_arrays().args(place.arguments(&AGENTS, PROBLEMS, options)));
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        is_one_line(&finished.stderr, texts);
        assert!(!place.path.exists());
    };
    with(&["--shard", "0/4"], &["there is no shard 0 of 4", "the first is 1/4"]);
    with(&["--shard", "5/4"], &["there is no shard 5 of 4", "the last 4/4"]);
    with(&["--shard", "1/0"], &["1 to 100000 shards"]);
    with(&["--shard", "half"], &["expected I/N, such as 1/4, or auto"]);
    with(&["--shard", "auto"], &["for the tasks of an array job", "give --shard I/N"]);
    with(&["--shard", "1/4", "--shards", "4"], &["--shards is for --shard auto"]);
    with(&["--shards", "4"], &["give --shard auto too"]);
    let mut command = outside_arrays();
    command.env("JOB_COMPLETION_INDEX", "1").args(place.arguments(&AGENTS, PROBLEMS, &["--shard", "auto"]));
    let finished = finish(&mut command);
    assert_eq!(finished.code, Some(2));
    is_one_line(&finished.stderr, &["JOB_COMPLETION_INDEX does not say how many there are", "--shards N"]);
}

#[test]
fn tasks_of_arrays_find_their_shards() {
    let with = |options: &[&str], variables: &[(&str, &str)]| {
        let directory = RunDirectory::new();
        let mut command = outside_arrays();
        command.args(directory.arguments(&AGENTS, PROBLEMS, options)).envs(variables.iter().copied());
        let finished = finish(&mut command);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        directory
    };
    let slurm = [("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_ARRAY_TASK_MIN", "0"), ("SLURM_ARRAY_TASK_COUNT", "2")];
    let one = with(&["--shard", "auto"], &slurm);
    let kubernetes = [("JOB_COMPLETION_INDEX", "1")];
    let two = with(&["--shard", "auto", "--shards", "2"], &kubernetes);
    assert_eq!(json(&one.read("shard.json")), serde_json::json!({ "shard": 1, "of": 2 }));
    assert_eq!(json(&two.read("shard.json")), serde_json::json!({ "shard": 2, "of": 2 }));
    same_run(&merged(&[&one, &two]), &RunDirectory::of(&AGENTS, PROBLEMS));
}

#[test]
fn units_that_are_missing_are_named_with_the_command_that_runs_them() {
    let (one, three) = (shard("1/3"), shard("3/3"));
    let said = refused_merge(
        &[&one, &three],
        &["6 of 18 units have no result", "of shard 2/3", "--shard 2/3", "merge again, with"],
    );
    // The place of the missing shard's results follows from that of the merged run, and is printed.
    run_what_is_said(&said, Path::new("."));
    let place = said.split("--out ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    let out = RunDirectory::new();
    assert!(said.contains(&format!("merge again, with {place} beside the others")), "{said}");
    let merged = finish(jointly().args(["merge", out.argument(), one.argument(), three.argument(), &place]));
    assert_eq!(merged.code, Some(0), "{merged:?}");
    fs::remove_dir_all(Path::new(&place).parent().unwrap()).unwrap();
    same_run(&out, &RunDirectory::of(&AGENTS, PROBLEMS));
}

#[test]
fn each_of_several_missing_shards_has_its_command() {
    let (one, folder) = (shard("1/3"), tempfile::tempdir().unwrap());
    let whole = folder.path().join("whole").to_str().unwrap().to_owned();
    let args = ["merge", &whole, one.argument()];
    let said = refused(args, &["12 of 18 units have no result", "of shards 2/3, 3/3", "--shard 2/3", "--shard 3/3"]);
    run_what_is_said(&said, Path::new("."));
    let new = [2, 3].map(|shard| format!("{whole}-shard-{shard}-of-3"));
    assert!(said.contains(&format!("merge again, with {} {} beside the others", new[0], new[1])), "{said}");
    done(args.iter().copied().chain(new.iter().map(String::as_str)));
}

#[test]
fn the_command_for_missing_units_is_whole_however_many_agents_there_are() {
    let agents: Vec<String> = (1..=120).map(|k| format!("knn:k={k},weights=distance")).collect();
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    let folder = tempfile::tempdir().unwrap();
    let shards = folder.path().join("whole.shards");
    // The paths are those of an array's tasks.
    let place = |shard: u32| shards.join(format!("{shard}-of-2")).to_str().unwrap().to_owned();
    let first = place(1);
    let fixed = ["--suite", "quick", "--problems", PROBLEM, "--shard", "1/2", "--out", &first];
    done(["run"].iter().chain(&agents).chain(&fixed));
    let whole = folder.path().join("whole").to_str().unwrap().to_owned();
    let said = refused(["merge", &whole, &first], &["60 of 120 units have no result", "and 57 more", "of shard 2/2"]);
    run_what_is_said(&said, Path::new("."));
    assert!(said.contains(&format!("with {} beside the others", place(2))), "{said}");
    done(["merge", &whole, &first, &place(2)]);
}

#[test]
fn a_truncated_journal_lacks_its_last_unit() {
    let shards = ["1/2", "2/2"].map(shard);
    let journal = shards[1].read("results.jsonl");
    fs::write(shards[1].file("results.jsonl"), &journal[..journal.len() - 20]).unwrap();
    let parts: Vec<&RunDirectory> = shards.iter().collect();
    let said = refused_merge(&parts, &["1 of 18 units has no result", "of shard 2/2", shards[1].argument()]);
    run_what_is_said(&said, Path::new("."));
    same_run(&merged(&parts), &RunDirectory::of(&AGENTS, PROBLEMS));
}

#[test]
fn runs_that_were_cut_short_are_joined_too() {
    let (whole, part) = (RunDirectory::of(&AGENTS, PROBLEM), RunDirectory::of(&AGENTS, PROBLEM));
    let journal = part.read("results.jsonl");
    let (first, rest) = journal.split_once('\n').unwrap();
    fs::write(part.file("results.jsonl"), format!("{first}\n")).unwrap();
    let other = RunDirectory::of(&AGENTS, PROBLEM);
    fs::write(other.file("results.jsonl"), rest).unwrap();
    same_run(&merged(&[&part, &other]), &whole);
    // For a unit that no directory has, the printed command reuses the others' results.
    fs::write(other.file("results.jsonl"), rest.split_once('\n').unwrap().0.to_owned() + "\n").unwrap();
    let said = refused_merge(&[&part, &other], &["1 of 3 units has no result", "--reuse", other.argument()]);
    assert!(!said.contains("--shard"), "{said}");
    run_what_is_said(&said, Path::new("."));
    same_run(&part, &whole);
}

#[test]
fn journals_that_cannot_be_joined() {
    let shards = ["1/2", "2/2"].map(shard);
    let parts: Vec<&RunDirectory> = shards.iter().collect();
    let place = shards[0].file("results.jsonl");
    let journal = read(&place);
    let (first, rest) = journal.split_once('\n').unwrap();
    fs::write(&place, format!("{first}\n\0garbage\n{rest}")).unwrap();
    refused_merge(&parts, &["results.jsonl line 2 is not a result", "delete the line"]);
    fs::write(&place, format!("{first}\n{}", rest.replacen("quick/t", "quick/T", 1))).unwrap();
    refused_merge(&parts, &[shards[0].argument(), "not a unit of the plan"]);
    // Both have one unit, with different results; their times may differ.
    let mut unit = json(first);
    unit["seconds"] = serde_json::json!(1234.5);
    fs::write(&place, &journal).unwrap();
    let both = |unit: &Value| fs::write(shards[1].file("results.jsonl"), format!("{unit}\n")).unwrap();
    both(&unit);
    refused_merge(&parts, &["9 of 18 units have no result"]);
    unit["scored"]["scores"]["ece"] = serde_json::json!(0.123);
    both(&unit);
    let said = refused_merge(&parts, &["have different results of", "0.123", "delete both lines"]);
    assert!(said.contains(shards[0].argument()) && said.contains(shards[1].argument()), "{said}");
}

#[test]
fn plans_that_cannot_be_joined() {
    let one = shard("1/2");
    let other = RunDirectory::new();
    assert_eq!(other.run(&AGENTS, PROBLEMS, &["--shard", "2/2", "--seed", "1"]).code, Some(0));
    refused_merge(&[&one, &other], &["holds another plan", "seed 1, not 0", one.argument(), other.argument()]);
    let plan = one.read("plan.json");
    let own = json(&plan);
    for what in ["engine", "interface"] {
        let made = own[what].as_str().unwrap();
        let text = plan.replacen(&format!("\"{what}\": \"{made}\""), &format!("\"{what}\": \"another\""), 1);
        assert_ne!(text, plan);
        fs::write(one.file("plan.json"), text).unwrap();
        refused_merge(&[&one], &[one.argument(), &format!("made by {what} another"), "; use "]);
    }
    let nowhere = RunDirectory::new();
    refused_merge(&[&nowhere], &[nowhere.argument(), "there is no file or directory"]);
    refused(["merge", nowhere.argument()], &["DIR"]);
    let file = RunDirectory::new();
    fs::create_dir(&file.path).unwrap();
    fs::write(file.file("thesis.tex"), "years of work").unwrap();
    let shards = ["1/2", "2/2"].map(shard);
    let finished = merge(&file, &[&shards[0], &shards[1]]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    is_one_line(&finished.stderr, &["a new or empty directory"]);
}

#[test]
fn a_copy_without_its_agents_is_named() {
    let shards = ["1/2", "2/2"].map(shard);
    for shard in &shards {
        fs::remove_dir_all(shard.file("agents")).unwrap();
    }
    let parts: Vec<&RunDirectory> = shards.iter().collect();
    refused_merge(&parts, &["no directory has agents/", "copy whole directories"]);
}
