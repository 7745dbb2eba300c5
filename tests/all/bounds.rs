//! Packs that would take a reader gigabytes or minutes are refused within bounds: long texts, and counts whose comparison
//! takes quadratic time.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::{Finished, finish, is_one_line, jointly_within};
use crate::pack::{edited, forge, members, packed};
use crate::run::{PROBLEM, RunDirectory};

/// MiB within which a stranger's pack of some kilobytes must be refused.
const MEMORY: u64 = 256;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs a command in a process with little memory.
fn within(arguments: &[&str]) -> Finished {
    let finished = finish(jointly_within(MEMORY).args(arguments));
    assert_eq!(finished.code, Some(2), "{finished:?}");
    is_one_line(&finished.stderr, &[]);
    finished
}

/// Asserts that every command that reads packs refuses one, in little memory, with a text.
fn refuses_pack(pack: &Path, said: &str) {
    for command in ["verify", "leaderboard"] {
        let finished = within(&[command, text(pack)]);
        assert!(finished.stderr.contains(said), "{finished:?}");
    }
    fs::remove_file(pack).unwrap();
}

#[test]
fn a_pack_of_kilobytes_takes_no_gigabytes() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    // A plan of 105 MB of empty lists was read as 5.5 GB of values.
    let lists = |count: usize| format!("\"seed\": 0,\n  \"x\": [{}[]],", "[],".repeat(count));
    let large = edited(&directory, &["plan.json"], "\"seed\": 0,", &lists(35_000_000));
    assert!(fs::metadata(&large).unwrap().len() < 300_000);
    refuses_pack(&large, "its plan.json has 1050");
    let most = edited(&directory, &["plan.json"], "\"seed\": 0,", &lists(5_000_000));
    refuses_pack(&most, "is not the pack that `jointly pack` makes of its contents");
    let deep = format!("\"seed\": 0,\n  \"x\": {}{},", "[".repeat(4_000_000), "]".repeat(4_000_000));
    refuses_pack(&edited(&directory, &["plan.json"], "\"seed\": 0,", &deep), "is not the pack that");
    let format = format!("\"format\": {}1{},", "[".repeat(4_000_000), "]".repeat(4_000_000));
    refuses_pack(&edited(&directory, &["plan.json"], "\"format\": 1,", &format), "as a plan");
    // The same in a line of the journal, and in the scores.
    let log = format!(",\"log\":[{}\"\"],\"agent\"", "\"\",".repeat(1_000_000));
    refuses_pack(&edited(&directory, &["results.jsonl"], ",\"agent\"", &log), "line 1 is not a result");
    let long = format!(",\"x\":[{}0],\"agent\"", "0,".repeat(5_000_000));
    refuses_pack(&edited(&directory, &["results.jsonl"], ",\"agent\"", &long), "line 1 has more than 8388608 bytes");
    let lists = format!("\"seed\": 0, \"x\": [{}[]],", "[],".repeat(10_000_000));
    let pack = edited(&directory, &["scores.json"], "\"seed\": 0,", &lists);
    let finished = finish(jointly_within(MEMORY).args(["verify", text(&pack)]));
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(2), ""), "{finished:?}");
    assert!(finished.stdout.contains("of scores.json does not follow from results.jsonl"), "{finished:?}");
}

/// Returns a pack whose plan has `agents` agents and `problems` problems.
fn of_size(directory: &RunDirectory, agents: usize, problems: usize) -> PathBuf {
    let pack = packed(directory);
    let mut files = members(&pack);
    let mut plan: Value = serde_json::from_slice(&files[0].1).unwrap();
    let agent = plan["agents"][0].clone();
    let all = (0..agents).map(|i| {
        let mut agent = agent.clone();
        (agent["label"], agent["settings"]) = (json!(format!("uniform:a={i}")), json!({ "a": i.to_string() }));
        agent
    });
    plan["agents"] = all.collect();
    plan["problems"] = (0..problems).map(|i| json!({ "problem": format!("p/{i}"), "metric": "kl" })).collect();
    files[0].1 = (serde_json::to_string_pretty(&plan).unwrap() + "\n").into_bytes();
    forge(&pack, &files);
    pack
}

#[test]
fn numbers_are_compared_before_anything_walks_them() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    refuses_pack(&of_size(&directory, 10_001, 1), "a list has more than 10000 values");
    refuses_pack(&of_size(&directory, 1, 100_001), "a list has more than 100000 values");
    refuses_pack(&of_size(&directory, 1_001, 10_000), "it has 10010000 units, expected at most 10000000");
    refuses_pack(&of_size(&directory, 1_000, 1_000), "a result for uniform on quick/t10/temp0.1/seed0");
    let taus: Vec<String> = (1..=101).map(|tau| tau.to_string()).collect();
    let many = format!("\"taus\": [\n{}\n    ],", taus.join(","));
    let plan = directory.read("plan.json");
    let own = plan[plan.find("\"taus\"").unwrap()..].split_once("],").unwrap().0.to_owned() + "],";
    refuses_pack(&edited(&directory, &["plan.json"], &own, &many), "the number of taus is 101, expected 100 at most");
    // Scores at many taus are told apart by a walk for each.
    let joint: Vec<String> = (0..3_000)
        .map(|tau| format!("[{tau},{{\"mean\":0,\"stderr\":0,\"draw_error\":0,\"effective_draws\":1}}]"))
        .collect();
    let joint = format!("\"joint\":[{},", joint.join(","));
    let said = "line 1 has scores at more than 320 taus, levels or rounds";
    refuses_pack(&edited(&directory, &["results.jsonl"], "\"joint\":[", &joint), said);
}
