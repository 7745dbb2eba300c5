//! Entries: verified by a sample, and ranked together by `jointly leaderboard`.

use std::fs;

use serde_json::Value;

use crate::command::{done, joined, refused, run};
use crate::npz::{TemporaryFile, problem_without_inputs};
use crate::pack::packed;
use crate::regression;
use crate::run::{PROBLEM, RunDirectory, json};

const PROBLEMS: &str = "quick/t10/temp0.1/*";

/// Returns an entry whose agent claims less fuel on one problem than it used, with files that are consistent.
fn forged(agents: &[&str], problems: &str) -> RunDirectory {
    let directory = RunDirectory::of(agents, problems);
    let mut lines: Vec<Value> = directory.read("results.jsonl").lines().map(json).collect();
    lines[0]["scored"]["fuel"] = 7.into();
    let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
    fs::write(directory.file("results.jsonl"), text).unwrap();
    // A finished run writes its scores anew.
    assert_eq!(directory.run(agents, problems, &[]).code, Some(0));
    directory
}

#[test]
fn a_sample_of_an_honest_entry_holds_and_says_which_it_was() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEMS);
    let stdout = done(["verify", directory.argument(), "--sample", "2", "--sample-seed", "5"]);
    let said = "verified: 2 of 6 units on 3 of 18 problems of quick, the same to the bit, chosen by --sample-seed 5, and \
                its scores follow from its journal\n";
    assert_eq!(stdout, format!("{} {said}", directory.argument()));
    // Without a given seed it differs each time, and the printed seed repeats the sample.
    let seed = |stdout: &str| stdout.split("--sample-seed ").nth(1).unwrap().split(',').next().unwrap().to_owned();
    let own = || seed(&done(["verify", directory.argument(), "--sample", "1"]));
    let (one, other) = (own(), own());
    assert_ne!(one, other);
    done(["verify", directory.argument(), "--sample", "1", "--sample-seed", &one]);
    let all = done(["verify", directory.argument(), "--sample", "600"]);
    assert!(all.ends_with("the same to the bit\n"), "{all}");
    let none = done(["verify", directory.argument(), "--sample", "0"]);
    assert!(none.ends_with("its scores follow from its journal; no unit was run again\n"), "{none}");
    refused(["verify", directory.argument(), "--sample-seed", "1"], &["--sample"]);
}

#[test]
fn a_sample_finds_a_false_line_where_it_looks() {
    let directory = forged(&["uniform", "prior"], PROBLEMS);
    let verified = |options: &[&str]| run(["verify", directory.argument()].iter().chain(options));
    let whole = verified(&[]);
    assert_eq!(whole.code, Some(2), "{whole:?}");
    let said = "verification failed: results.jsonl has another result for ";
    assert!(whole.stdout.contains(said), "{}", whole.stdout);
    assert!(whole.stdout.contains("line.scored.fuel is 7 and comes out as "), "{}", whole.stdout);
    let mut found = Vec::new();
    for seed in 0..8 {
        let seed = seed.to_string();
        let options = ["--sample", "3", "--sample-seed", &seed];
        let finished = verified(&options);
        assert_eq!(finished.code == Some(2), finished.stdout.contains(said), "{finished:?}");
        assert_eq!(verified(&options).stdout, finished.stdout);
        found.push(finished.code == Some(2));
    }
    assert!(found.contains(&true) && found.contains(&false), "{found:?}");
}

#[test]
fn scores_that_no_prediction_has_are_refused() {
    let honest = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    let journal = honest.read("results.jsonl");
    let taus = "joint scores at tau [1], and not at [1, 100]";
    let joint = serde_json::json!([[1, { "mean": 0.1, "stderr": 0.1, "draw_error": 0.0, "effective_draws": 1.0 }]]);
    let claims: [(&str, Value, &str); 4] = [
        ("/scored/scores/accuracy/mean", 1.5.into(), "accuracy with a value outside the range from 0 to 1"),
        ("/scored/scores/accuracy/stderr", (-0.1).into(), "accuracy with a standard error below 0"),
        ("/scored/scores/ece", (-0.5).into(), "ece with a value outside the range from 0 to 1"),
        ("/scored/scores/joint", joint, taus),
    ];
    for (place, value, said) in claims {
        let mut lines: Vec<Value> = journal.lines().map(json).collect();
        *lines[0].pointer_mut(place).unwrap() = value;
        let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
        fs::write(honest.file("results.jsonl"), text).unwrap();
        refused(["leaderboard", honest.argument()], &[said, "for uniform on quick/t10/temp0.1/seed0"]);
    }
}

/// Returns the output of `leaderboard` for entries.
fn ranked(entries: &[&str], options: &[&str]) -> String {
    done(["leaderboard"].iter().chain(entries).chain(options))
}

/// Asserts that each row of the table of several entries begins like that of one run of all their agents.
fn has_rows_of(csv: &str, whole: &RunDirectory) {
    let whole = whole.read("leaderboard.csv");
    assert_eq!(csv.lines().count(), whole.lines().count());
    for (row, own) in csv.lines().zip(whole.lines()) {
        assert!(row.starts_with(&format!("{own},")), "{row}\n{own}");
    }
}

#[test]
fn entries_rank_as_one_run_of_all_their_agents_does() {
    let agents = ["uniform", "mlp:steps=20", "prior"];
    let whole = RunDirectory::of(&agents, PROBLEMS);
    let (one, other) = (RunDirectory::of(&agents[..2], PROBLEMS), RunDirectory::of(&agents[2..], PROBLEMS));
    let pack = packed(&other);
    let entries = [one.argument(), pack.to_str().unwrap()];
    let csv = ranked(&entries, &["--format", "csv"]);
    has_rows_of(&csv, &whole);
    for baseline in [&[][..], &["--baseline", "prior"]] {
        let table = ranked(&entries, baseline);
        let report = done(["report", whole.argument()].iter().chain(baseline));
        assert!(table.starts_with(report.trim_end()), "{table}\n{report}");
        assert!(joined(&report).contains("* marks those that differ from 0 at the 5 % level"), "{report}");
    }
    let mut document = json(&ranked(&entries, &["--format", "json"]));
    let object = document.as_object_mut().unwrap();
    let ranks = object.remove("ranks").unwrap();
    assert_eq!((object.remove("marks"), object.remove("overfit")), (Some(serde_json::json!([])), Some(Value::Null)));
    let comparison = object.remove("comparison").unwrap();
    let sources = object.remove("entries").unwrap();
    assert_eq!(object.remove("entrants"), Some(serde_json::json!({})));
    assert_eq!(document, whole.scores());
    assert_eq!(comparison["baseline"], "mlp:steps=20");
    let compared = comparison["agents"].as_array().unwrap();
    assert_eq!(compared.len(), 2);
    for agent in compared {
        assert!(agent["problems"] == 3 && agent["p"].as_f64().unwrap() <= agent["p_holm"].as_f64().unwrap(), "{agent}");
    }
    // The other table has the same rows, with each agent's label and entry.
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",label,entry,entrant,vs_mean,vs_stderr,vs_p_holm,rank_low,rank_high,first_share,marks"),
        "{csv}"
    );
    let row = csv.lines().find(|row| row.split(',').nth(1) == Some("prior")).unwrap();
    let fields: Vec<&str> = row.split(',').collect();
    let [.., label, entry, entrant, mean, stderr, p, low, high, first, _] = fields[..] else { panic!("{row}") };
    let of_prior = ranks["agents"].as_array().unwrap().iter().find(|agent| agent["agent"] == "prior").unwrap();
    assert_eq!((low, high), (&*of_prior["low"].to_string(), &*of_prior["high"].to_string()));
    assert_eq!(first.parse::<f64>().ok(), of_prior["first"].as_f64());
    assert_eq!((&ranks["resamples"], &ranks["units"], &ranks["unit"]), (&2_000.into(), &3.into(), &"problem".into()));
    assert_eq!((label, entry, entrant), ("prior", entries[1], ""));
    let of_prior = compared.iter().find(|agent| agent["agent"] == "prior").unwrap();
    for (field, name) in [(mean, "mean"), (stderr, "stderr"), (p, "p_holm")] {
        assert_eq!(field.parse::<f64>().ok(), of_prior[name].as_f64(), "{name}");
    }
    // Both have the name `run`, so paths tell them apart.
    assert_eq!(sources[1], serde_json::json!({ "entry": entries[1], "agents": ["prior"] }));
}

#[test]
fn an_agent_that_two_entries_have_counts_once() {
    let whole = RunDirectory::of(&["uniform", "prior", "mlp:steps=20"], PROBLEM);
    let (one, other) =
        (RunDirectory::of(&["uniform", "prior"], PROBLEM), RunDirectory::of(&["prior", "mlp:steps=20"], PROBLEM));
    let entries = [one.argument(), other.argument()];
    has_rows_of(&ranked(&entries, &["--format", "csv"]), &whole);
    let forged = forged(&["prior"], PROBLEM);
    refused(
        ["leaderboard", one.argument(), forged.argument()],
        &[
            one.argument(),
            forged.argument(),
            "the same agent with other results: prior on",
            "fuel is ",
            "and comes out as 7",
            "run `jointly verify` on both",
        ],
    );
}

#[test]
fn beliefs_of_all_entries_are_compared_with_one_another() {
    let scored =
        |agents: &[&str]| regression::scored(agents, "quick/correlations", "quick/correlations/d1/set[01]", &[]).0;
    let whole = scored(&regression::AGENTS);
    let (one, other) = (scored(&regression::AGENTS[..1]), scored(&regression::AGENTS[1..]));
    let pack = packed(&other);
    let csv = ranked(&[one.argument(), pack.to_str().unwrap()], &["--format", "csv"]);
    assert!(csv.contains(",xllr_mean,"), "{csv}");
    has_rows_of(&csv, &whole);
    assert!(!one.read("leaderboard.csv").contains("xllr"), "alone there is nothing to rank by");
}

#[test]
fn entries_of_another_question_are_refused_by_what_differs() {
    let own = RunDirectory::of(&["uniform"], PROBLEM);
    let of = |options: &[&str]| {
        let directory = RunDirectory::new();
        let finished = directory.run(&["prior"], PROBLEM, options);
        assert_eq!(finished.code, Some(0), "{finished:?}");
        directory
    };
    let dyadic = RunDirectory::new();
    let to_dyadic = ["--suite", "quick/dyadic", "--problems", "*/d2/*/temp0.1/seed0", "--out", dyadic.argument()];
    done(["run", "prior"].iter().chain(&to_dyadic));
    for (other, said) in [
        (dyadic, "it has suite quick/dyadic, not quick;"),
        (of(&["--seed", "1"]), "it has seed 1, not 0;"),
        (of(&["--draws", "20"]), "it has draws 20, not 250;"),
        (of(&["--fuel", "50000000000"]), "it has fuel limit 50000000000, not "),
        (RunDirectory::of(&["prior"], PROBLEMS), "it has 2 more problems ("),
    ] {
        let pack = packed(&other);
        let args = ["leaderboard", own.argument(), pack.to_str().unwrap()];
        refused(args, &[own.argument(), pack.to_str().unwrap(), "cannot be compared with", said, "one suite and seed"]);
    }
}

#[test]
fn problems_of_the_same_name_must_be_of_the_same_bytes() {
    let run = |x: f32| {
        let problem = problem_without_inputs().array("x_train", &[4, 1], vec![x, -0.5, 0.5, 1.0]);
        let file = TemporaryFile::new("mine.npz", problem.bytes());
        let out = file.sibling("out");
        done(["run", "uniform", "--problem", file.argument(), "--out", out.to_str().unwrap()]);
        (file, out)
    };
    let (one, other) = (run(-1.0), run(-2.0));
    let args = ["leaderboard", one.1.to_str().unwrap(), other.1.to_str().unwrap()];
    refused(args, &["it has other data of imported/mine"]);
}

/// Authors of agents may name them mlp and give them settings that make them easy to beat.
#[test]
fn an_agent_of_other_bytes_does_not_become_the_baseline_by_its_name() {
    let one = RunDirectory::of(&["mlp:steps=20", "uniform"], PROBLEMS);
    let stranger = RunDirectory::of(&[&format!("{}:steps=5", rebuilt(&one, "mlp").display())], PROBLEMS);
    let own = ranked(&[one.argument()], &[]);
    assert!(own.contains("vs mlp:steps=20"), "{own}");
    let finished = run(["leaderboard", one.argument(), stranger.argument()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(!finished.stdout.contains("vs mlp"), "{}", finished.stdout);
    assert!(finished.stderr.contains("nothing is compared: give --baseline AGENT, one of "), "{}", finished.stderr);
    let given = ranked(&[one.argument(), stranger.argument()], &["--baseline", "mlp:steps=20"]);
    assert!(given.contains("vs mlp:steps=20"), "{given}");
}

/// Returns an agent of a run with different bytes: an added section that nobody reads.
fn rebuilt(directory: &RunDirectory, agent: &str) -> std::path::PathBuf {
    let path = directory.path.with_file_name("rebuilt.wasm");
    let agents = json(&directory.read("plan.json"))["agents"].as_array().unwrap().clone();
    let planned = agents.iter().find(|planned| planned["agent"] == agent).unwrap();
    let kept = planned["digest"].as_str().unwrap().replace(':', "-");
    let mut bytes = fs::read(directory.file(&format!("agents/{kept}.wasm"))).unwrap();
    bytes.extend([0, 5, 4, b'n', b'o', b't', b'e']);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn equal_labels_are_told_apart_by_their_entries() {
    let one = RunDirectory::of(&["uniform"], PROBLEM);
    let other = RunDirectory::of(&[rebuilt(&one, "uniform").to_str().unwrap()], PROBLEM);
    let folder = tempfile::tempdir().unwrap();
    let named = |directory: &RunDirectory, name: &str| {
        let path = folder.path().join(name);
        done(["pack", directory.argument(), "--output", path.to_str().unwrap()]);
        path.to_str().unwrap().to_owned()
    };
    let entries = [named(&one, "ann.jointly"), named(&other, "ben.jointly")];
    let entries = [entries[0].as_str(), entries[1].as_str()];
    let csv = ranked(&entries, &["--format", "csv"]);
    assert!(csv.contains(",uniform@ann,ann,") && csv.contains(",uniform@ben,ben,"), "{csv}");
    let table = ranked(&entries, &["--baseline", "uniform@ben"]);
    for expected in ["uniform@ann", "vs uniform@ben", "\nann has uniform@ann\nben has uniform@ben\n"] {
        assert!(table.contains(expected), "{expected:?} is not in {table}");
    }
    refused(
        ["leaderboard", entries[0], "--baseline", "mlp"],
        &["no agent mlp in these entries: the leaderboard without --baseline has all"],
    );
    // A single entry is ranked, too.
    has_rows_of(&ranked(&entries[..1], &["--format", "csv"]), &one);
}

#[test]
fn garbage_in_a_journal_is_named_by_every_command_that_reads_it() {
    let directory = RunDirectory::of(&["uniform", "prior"], PROBLEM);
    let honest = RunDirectory::of(&["uniform"], PROBLEM);
    let journal = directory.read("results.jsonl");
    let (first, second) = journal.split_once('\n').unwrap();
    let own = directory.argument();
    for garbage in [&b"\0garbage"[..], b"\xff\xfe", b"{}", b"[[[[[[[[[[", second.trim_end().as_bytes()] {
        let text = [first.as_bytes(), b"\n", garbage, b"\n", second.as_bytes()].concat();
        fs::write(directory.file("results.jsonl"), text).unwrap();
        // A repeated unit is found at its second line.
        let line = if garbage == second.trim_end().as_bytes() { "line 3 repeats" } else { "line 2 is not a result" };
        let said = [&format!("{own}/results.jsonl {line}")[..], "; delete "];
        let out = directory.path.with_file_name("out");
        let reuse = [
            "run",
            "uniform",
            "--suite",
            "quick",
            "--problems",
            PROBLEM,
            "--reuse",
            own,
            "--out",
            out.to_str().unwrap(),
        ];
        refused(reuse, &said);
        refused(directory.arguments(&["uniform", "prior"], PROBLEM, &[]), &said);
        for args in [
            &["report", own][..],
            &["verify", own],
            &["verify", own, "--sample", "1"],
            &["pack", own],
            &["leaderboard", own],
            &["leaderboard", honest.argument(), own],
        ] {
            refused(args, &said);
        }
    }
}
