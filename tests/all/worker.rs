//! `jointly worker`: schedulers get from it the lines of `jointly run`, and it refuses plans of another version or
//! other contents.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::command::{Finished, done, executable, finish, is_one_line, jointly, run};
use crate::guests::argument;
use crate::regression;
use crate::run::{RunDirectory, json as parsed, without_checksums};

const PROBLEMS: &str = "quick/t10/temp0.1/*";
const AGENTS: [&str; 3] = ["uniform", "mlp:steps=20", "knn:k=3"];

/// Returns a worker's answers to lines, which are its only input.
fn answers(options: &[&str], lines: &[String]) -> Finished {
    let mut command = jointly();
    command.arg("worker").args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    // A worker that refuses the first line reads no further.
    let writer = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Finished { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Returns the first line for the plan of one directory and the files of another.
fn hello(directory: &RunDirectory, files: &RunDirectory) -> String {
    let plan: Value = parsed(&directory.read("plan.json"));
    json!({ "plan": plan, "files": files.path }).to_string()
}

/// Returns the lines that request the units of a journal, in its order.
fn asked(journal: &str) -> Vec<String> {
    let asked = |line: &str| {
        let unit = parsed(line);
        json!({ "agent": unit["agent"], "problem": unit["problem"] }).to_string()
    };
    journal.lines().map(asked).collect()
}

/// Returns a line of the journal unchanged but without the time, which differs each time, and its checksum.
fn without_time(line: &str) -> String {
    let line = &without_checksums(line);
    let mut unit = parsed(line);
    let seconds = unit["seconds"].take();
    let text = format!("\"seconds\":{seconds},");
    assert!(seconds.as_f64().unwrap() > 0.0 && line.matches(&text).count() == 1, "{line}");
    line.replacen(&text, "", 1)
}

#[test]
fn answers_are_the_lines_of_the_journal_to_the_byte() {
    let failing = argument("panics-in-sample");
    let agents = [&AGENTS[..], &[&failing]].concat();
    let directory = RunDirectory::new();
    assert_eq!(directory.run(&agents, PROBLEMS, &[]).code, Some(3));
    let journal = directory.read("results.jsonl");
    let lines: Vec<String> = std::iter::once(hello(&directory, &directory)).chain(asked(&journal)).collect();
    let finished = answers(&[], &lines);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    let (first, results) = finished.stdout.split_once('\n').unwrap();
    let own = parsed(&done(directory.arguments(&agents, PROBLEMS, &["--plan-only", "--json"])));
    assert_eq!((&own["units"], &own["pending"]), (&json!(12), &json!(0)));
    let said = json!({ "version": own["version"], "engine": own["engine"], "plan": own["plan"] });
    assert_eq!(parsed(first), said);
    assert!(said["plan"].as_str().unwrap().starts_with("sha256:"), "{said}");
    let bytes = |text: &str| text.lines().map(without_time).collect::<Vec<_>>();
    assert_eq!(bytes(results), bytes(&journal));
    assert_eq!(results.matches("\"failed\":").count(), 3);
}

#[test]
fn a_plan_whose_units_were_carried_out_elsewhere_has_the_scores_of_a_run() {
    let whole = RunDirectory::of(&AGENTS, PROBLEMS);
    let planned = RunDirectory::new();
    let said = done(planned.arguments(&AGENTS, PROBLEMS, &["--plan-only"]));
    assert!(said.contains("9 units planned in") && said.contains(", 9 of them to be run"), "{said}");
    assert_eq!(planned.read("plan.json"), whole.read("plan.json"));
    assert_eq!(planned.read("results.jsonl"), "");
    assert!(!planned.file("scores.json").exists());

    // The last units first.
    let mut units = asked(&whole.read("results.jsonl"));
    units.reverse();
    let lines: Vec<String> = std::iter::once(hello(&planned, &planned)).chain(units).collect();
    let finished = answers(&["--engine", "compiled"], &lines);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    fs::write(planned.file("results.jsonl"), finished.stdout.split_once('\n').unwrap().1).unwrap();
    let ranked = planned.run(&AGENTS, PROBLEMS, &[]);
    assert_eq!(ranked.code, Some(0), "{ranked:?}");
    assert!(ranked.stderr.contains("9 of 9 units are done already"), "{}", ranked.stderr);
    for file in ["scores.json", "leaderboard.csv"] {
        assert_eq!(planned.read(file), whole.read(file), "{file}");
    }
}

#[test]
fn what_an_agent_believes_comes_before_the_line_that_names_it() {
    let (suite, problems) = ("quick/correlations", "quick/correlations/d1/set[01]");
    let (whole, _) = regression::scored(&regression::AGENTS, suite, problems, &[]);
    let planned = RunDirectory::new();
    done(regression::arguments(&planned, &regression::AGENTS, suite, problems, &["--plan-only"]));
    let units = asked(&whole.read("results.jsonl"));
    let lines: Vec<String> = std::iter::once(hello(&planned, &planned)).chain(units.clone()).collect();
    let finished = answers(&[], &lines);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let said: Vec<&str> = finished.stdout.lines().skip(1).collect();
    assert_eq!(said.len(), 2 * units.len());
    fs::create_dir(planned.file("beliefs")).unwrap();
    let mut journal = String::new();
    for pair in said.chunks(2) {
        let belief = parsed(pair[0]);
        let bytes = STANDARD.decode(belief["base64"].as_str().unwrap()).unwrap();
        let digest = belief["belief"].as_str().unwrap();
        assert_eq!(jointly_core::digest(&bytes), digest);
        assert!(pair[1].contains(digest), "{}", pair[1]);
        fs::write(planned.file("beliefs").join(digest.replace(':', "-")).with_extension("bin"), bytes).unwrap();
        journal.push_str(pair[1]);
        journal.push('\n');
    }
    fs::write(planned.file("results.jsonl"), journal).unwrap();
    let ranked = run(regression::arguments(&planned, &regression::AGENTS, suite, problems, &[]));
    assert_eq!(ranked.code, Some(0), "{ranked:?}");
    regression::same_scores(&planned, &whole);
}

#[test]
fn another_version_or_plan_is_refused_before_any_unit() {
    let directory = RunDirectory::of(&["uniform"], PROBLEMS);
    let units = asked(&directory.read("results.jsonl"));
    // A plan need not have its problems' coordinates.
    let mut plain = parsed(&hello(&directory, &directory));
    for problem in plain["plan"]["problems"].as_array_mut().unwrap() {
        assert!(problem.as_object_mut().unwrap().remove("coordinates").is_some());
    }
    let lines: Vec<String> = std::iter::once(plain.to_string()).chain(units.clone()).collect();
    assert_eq!(answers(&[], &lines).code, Some(0));
    let refused = |change: &dyn Fn(&mut Value), texts: &[&str]| {
        let mut hello = parsed(&hello(&directory, &directory));
        change(&mut hello["plan"]);
        let lines: Vec<String> = std::iter::once(hello.to_string()).chain(units.clone()).collect();
        let finished = answers(&[], &lines);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        is_one_line(&finished.stderr, texts);
    };
    let own = parsed(&directory.read("plan.json"))["version"].as_str().unwrap().to_owned();
    let both = ["version 9.9.9", &format!("this is {own}"), "one version everywhere"];
    refused(&|plan| plan["version"] = "9.9.9".into(), &both);
    // A plan of another version is read no further.
    refused(&|plan| *plan = json!({ "version": "9.9.9", "units": {} }), &both);
    refused(&|plan| *plan = json!([1]), &["no version"]);
    refused(&|plan| plan["engine"] = "wasmtime 1".into(), &["not the one that this command makes", "not wasmtime 1"]);
    refused(&|plan| plan["suite"] = "slow".into(), &["there is no suite slow"]);
    refused(&|plan| plan["problems"][0]["metric"] = "nll".into(), &["not the one that this command makes"]);
    refused(&|plan| plan["agents"][0]["digest"] = "../../else".into(), &["../../else is not a digest"]);
    refused(&|plan| plan["problems"] = json!("none"), &["failed to read the plan of line 1"]);

    // What the command has itself need not be kept.
    let empty = RunDirectory::new();
    assert_eq!(answers(&[], &[hello(&directory, &empty)]).code, Some(0));
    let mut unknown = parsed(&hello(&directory, &empty));
    for name in ["agent", "label"] {
        unknown["plan"]["agents"][0][name] = "nobody".into();
    }
    let finished = answers(&[], &[unknown.to_string()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(&finished.stderr, &["failed to read", "agents"]);
    fs::write(directory.kept_agent(), fs::read(argument("panics-in-sample")).unwrap()).unwrap();
    let finished = answers(&[], &[hello(&directory, &directory)]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
    is_one_line(&finished.stderr, &["is not the agent that the plan names"]);
}

#[test]
fn a_broken_line_is_named_and_what_came_before_it_is_answered() {
    let directory = RunDirectory::of(&["uniform"], PROBLEMS);
    let first = hello(&directory, &directory);
    let units = asked(&directory.read("results.jsonl"));
    let stranger = json!({ "agent": "uniform", "problem": "quick/nowhere" }).to_string();
    let more = units[1].replace('}', ",\"draws\":3}");
    let cases = [
        ("garbage", "failed to read line 3"),
        ("", "failed to read line 3"),
        ("{\"agent\":\"uniform\"}", "failed to read line 3"),
        (&more, "unknown field `draws`"),
        (&units[1][..9], "failed to read line 3"),
        (&stranger, "line 3 asks for uniform on quick/nowhere, which is not a unit of the plan"),
    ];
    for (broken, complaint) in cases {
        let lines = [first.clone(), units[0].clone(), broken.to_owned(), units[2].clone()];
        let finished = answers(&[], &lines);
        assert_eq!(finished.code, Some(2), "{broken}: {finished:?}");
        assert_eq!(finished.stdout.lines().count(), 2, "{broken}: {finished:?}");
        is_one_line(&finished.stderr, &[complaint]);
    }
    for (lines, complaint) in
        [(vec![], "no input: the first line must have the plan"), (vec!["{}".to_owned()], "failed to read line 1")]
    {
        let finished = answers(&[], &lines);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""), "{finished:?}");
        is_one_line(&finished.stderr, &[complaint]);
    }
}

/// Nobody would read its further answers.
#[cfg(unix)]
#[test]
fn a_worker_whose_reader_has_gone_ends_without_a_word() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let units = asked(&directory.read("results.jsonl"));
    let lines: Vec<String> = std::iter::once(hello(&directory, &directory)).chain(units).collect();
    let asked = directory.file("asked");
    fs::write(&asked, lines.join("\n") + "\n").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" worker < \"$1\" | head -n 2"]).arg(executable()).arg(&asked);
    shell.env("JOINTLY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let finished = finish(&mut shell);
    assert_eq!(finished.stderr, "");
    assert_eq!(finished.stdout.lines().count(), 2);
}
