//! `jointly verify`: runs an entry again and compares bit for bit.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::command::{done, joined, refused, run};
use crate::npz::{TemporaryFile, problem};
use crate::run::{PROBLEM, RunDirectory};

const AGENTS: [&str; 2] = ["uniform", "mlp:steps=20"];

#[test]
fn an_untouched_directory_holds_and_stays_as_it_is() {
    let directory = RunDirectory::of(&AGENTS, "quick/t10/temp0.1/*");
    let before = directory.contents();
    for jobs in ["1", "2"] {
        let stdout = done(["verify", directory.argument(), "--jobs", jobs]);
        assert!(stdout.contains("verified: 6 units on 3 of 18 problems of quick, the same to the bit"), "{stdout}");
    }
    assert_eq!(directory.contents(), before);
}

#[test]
fn a_directory_holds_wherever_it_is_moved() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let elsewhere = directory.path.with_file_name("elsewhere");
    fs::rename(&directory.path, &elsewhere).unwrap();
    done(["verify", elsewhere.to_str().unwrap()]);
}

#[test]
fn what_was_chosen_otherwise_than_the_suite_is_verified_too() {
    let directory = RunDirectory::new();
    let options =
        ["--anchors", "5", "--initialization", "glorot", "--planes", "2", "--no-clip", "--draws", "20", "--seed", "1"];
    let problems = ["--suite", "quick/dyadic", "--problems", "*/d2/*/temp0.1/seed0", "--out", directory.argument()];
    let table = done(["run", "uniform", "mlp:steps=20"].iter().chain(&problems).chain(&options));
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(table.contains("20 draws, 2 planes, probits not clipped, 5 anchors, glorot weights;"), "{table}");
    let stdout = done(["verify", directory.argument()]);
    assert!(stdout.contains("verified: 2 units on 1 of"), "{stdout}");
    // Another command makes another plan.
    let fewer = ["run", "uniform", "mlp:steps=20", "--seed", "1"];
    refused(
        fewer.iter().chain(&problems).chain(&options[2..9]),
        &["holds another plan", "anchors of the suite, not 5"],
    );
}

#[test]
fn a_sealed_seed_has_problems_of_its_own_and_is_verified_as_others_are() {
    let sealed = format!("sealed:{}", "0123456789abcdef".repeat(4));
    let runs = ["0", &sealed].map(|seed| {
        let directory = RunDirectory::new();
        assert_eq!(directory.run(&AGENTS, PROBLEM, &["--seed", seed]).code, Some(0));
        directory
    });
    let scores = runs.each_ref().map(RunDirectory::scores);
    assert_eq!((&scores[0]["seed"], &scores[1]["seed"]), (&0.into(), &sealed.as_str().into()));
    let kl = |at: usize| scores[at]["agents"][1]["scores"]["kl_tau1"].clone();
    assert_ne!(kl(0), kl(1));
    let said = done(["verify", runs[1].argument()]);
    assert!(said.contains("the same to the bit"), "{said}");
    let again = ["run", "mlp", "--suite", "quick", "--seed"];
    refused(again.iter().chain(&["sealed:0123"]), &["--seed", "64 hexadecimal digits"]);
}

#[test]
fn failures_are_verified_as_well() {
    let directory = RunDirectory::new();
    assert_eq!(directory.run(&[&crate::guests::argument("own-failure")], PROBLEM, &[]).code, Some(3));
    done(["verify", directory.argument()]);
}

#[test]
fn an_imported_problem_is_verified_from_its_copy() {
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    let out = file.sibling("out");
    let out = out.to_str().unwrap();
    done(["run", "uniform", "--problem", file.argument(), "--out", out]);
    fs::remove_file(&file.path).unwrap();
    done(["verify", out]);
}

#[test]
fn an_edited_number_is_named() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let mut scores = directory.scores();
    let mean = scores["agents"][1]["scores"]["kl_tau100"]["mean"].as_f64().unwrap();
    scores["agents"][1]["scores"]["kl_tau100"]["mean"] = (mean * 0.5).into();
    fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap() + "\n").unwrap();
    let finished = run(["verify", directory.argument()]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stdout.contains("verification failed: "), "{}", finished.stdout);
    assert!(finished.stdout.contains("scores.json.agents[1].scores.kl_tau100.mean"), "{}", finished.stdout);
}

#[test]
fn a_swapped_agent_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let other = RunDirectory::of(&["prior"], PROBLEM);
    fs::copy(other.kept_agent(), directory.kept_agent()).unwrap();
    let kept = directory.kept_agent();
    refused(["verify", directory.argument()], &[kept.to_str().unwrap(), "not the agent that the plan names"]);
}

#[test]
fn an_unfinished_directory_is_refused() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    fs::remove_file(directory.file("scores.json")).unwrap();
    refused(["verify", directory.argument()], &["scores.json", "when it is finished"]);
}

/// Edits a file of a finished directory, and returns the output of `verify`.
fn edited(file: &str, from: &str, to: &str) -> String {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let text = directory.read(file);
    assert!(text.contains(from), "{from} is not in {text}");
    fs::write(directory.file(file), text.replace(from, to)).unwrap();
    // One unit at a time, so the first false unit of the plan is named.
    let finished = run(["verify", directory.argument(), "--jobs", "1"]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    finished.stdout + &finished.stderr
}

#[test]
fn a_plan_is_not_believed() {
    for (from, to) in [
        ("\"partition_above\": 10", "\"partition_above\": 50"),
        ("\"samples\": 100", "\"samples\": 101"),
        ("wasmtime 48", "wasmtime 47"),
    ] {
        let said = edited("plan.json", from, to);
        assert!(said.contains("verification failed: its plan is not the one that this command makes"), "{said}");
    }
    // Cheap checks come first.
    let said = edited("plan.json", "\"metric\": \"kl\"", "\"metric\": \"nll\"");
    assert!(said.contains("verification failed: scores.json.agents[0]"), "{said}");
    let said = edited("plan.json", "\"agent\": \"uniform\"", "\"agent\": \"superagent\"");
    assert!(said.contains("labels do not follow from their names and settings"), "{said}");
    let said = edited("plan.json", "uniform", "superagent");
    assert!(said.contains("results.jsonl has a result for uniform on"), "{said}");
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    for file in ["plan.json", "results.jsonl", "scores.json", "leaderboard.csv"] {
        fs::write(directory.file(file), directory.read(file).replace("uniform", "superagent")).unwrap();
    }
    let finished = run(["verify", directory.argument()]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(2), ""), "{finished:?}");
    assert!(
        finished.stdout.contains("is not the one that this command makes (1 other agent (uniform), not superagent)"),
        "{finished:?}"
    );
}

#[test]
fn a_plan_without_agents_or_problems_is_no_entry() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    let plan = crate::run::json(&directory.read("plan.json"));
    for absent in ["agents", "problems"] {
        let mut plan = plan.clone();
        plan[absent] = serde_json::json!([]);
        fs::write(directory.file("plan.json"), plan.to_string()).unwrap();
        for command in ["verify", "leaderboard", "pack"] {
            refused([command, directory.argument()], &[&format!("it has no {absent}")]);
        }
    }
}

#[test]
fn the_first_false_unit_ends_it() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let plan = directory.read("plan.json");
    fs::write(directory.file("plan.json"), plan.replace("\"draws\": 250", "\"draws\": 251")).unwrap();
    let finished = run(["verify", directory.argument(), "--jobs", "1"]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stdout.contains("has another result for uniform on"), "{finished:?}");
    // Only one of the two false units was run.
    assert_eq!(finished.stderr.lines().count(), 1, "{finished:?}");
    assert!(finished.stderr.starts_with("[1/2] uniform on"), "{finished:?}");
}

#[test]
fn other_draws_make_other_scores() {
    let said = edited("plan.json", "\"draws\": 250", "\"draws\": 251");
    assert!(said.contains("verification failed: results.jsonl has another result for uniform on"), "{said}");
    assert!(said.contains(".effective_draws is 250.0 and comes out as 251.0"), "{said}");
}

#[test]
fn a_run_with_draws_and_cells_of_its_own_holds() {
    let directory = RunDirectory::new();
    let options = ["--draws", "20", "--partition", "k-means"];
    let finished = directory.run(&["prior"], PROBLEM, &options);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished.stdout.starts_with("quick, 1 problem, seed 0, 20 draws, partitioned by k-means; "),
        "{}",
        finished.stdout
    );
    assert!(
        joined(&finished.stdout).contains("where fewer than about 10 of 20 draws count: prior on "),
        "{}",
        finished.stdout
    );
    done(["verify", directory.argument()]);
    let by_planes = RunDirectory::new();
    assert_eq!(by_planes.run(&["prior"], PROBLEM, &options[..2]).code, Some(0));
    let joint = |directory: &RunDirectory, name: &str| directory.scores()["agents"][0]["scores"][name].clone();
    assert_eq!(joint(&by_planes, "kl_tau1"), joint(&directory, "kl_tau1"));
    assert_ne!(joint(&by_planes, "kl_tau100"), joint(&directory, "kl_tau100"));
}

#[test]
fn a_plan_that_could_not_be_carried_out_is_refused() {
    for (from, to) in [
        ("\"draws\": 250", "\"draws\": 0"),
        ("\"draws\": 250", "\"draws\": 4294967295"),
        ("\"planes\": 5", "\"planes\": 30"),
        ("sha256:", "../../sha256:"),
    ] {
        let said = edited("plan.json", from, to);
        assert!(said.contains("not a plan that this command made"), "{said}");
    }
}

#[test]
fn a_doctored_journal_or_leaderboard_does_not_hold() {
    let journal = edited("results.jsonl", "\"draw_error\":", "\"draw_error\":1");
    assert!(journal.contains("verification failed: scores.json.agents[0]"), "{journal}");
    let journal = edited("results.jsonl", "}}\n", "},\"log\":[\"told\"]}\n");
    assert!(journal.contains("results.jsonl has another result for"), "{journal}");
    let leaderboard = edited("leaderboard.csv", "1,", "7,");
    assert!(leaderboard.contains("leaderboard.csv"), "{leaderboard}");
}

#[test]
fn scores_are_verified_without_a_journal() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    refused(["verify", directory.argument(), "--scores"], &["has a journal"]);
    fs::remove_file(directory.file("results.jsonl")).unwrap();
    refused(["verify", directory.argument()], &["has scores and no journal", "--scores"]);
    let none = done(["verify", directory.argument(), "--scores", "--sample", "0"]);
    assert!(none.contains("no unit was run again"), "{none}");
    let text = done(["verify", directory.argument(), "--scores"]);
    assert!(text.contains("partly verified, without a journal: the scores of 2 units of quick are the same"), "{text}");
    // A larger mean, then a larger score on the one problem, then both.
    let scores = directory.scores();
    let wrong = |mean: f64, problem: f64| {
        let mut scores = scores.clone();
        for (place, more) in [("scores", mean), ("problems/0", problem)] {
            let place = scores.pointer_mut(&format!("/agents/0/{place}/kl_tau1/mean")).unwrap();
            *place = (place.as_f64().unwrap() + more).into();
        }
        fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap()).unwrap();
        let finished = run(["verify", directory.argument(), "--scores"]);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        finished.stdout
    };
    let mut fewer = scores.clone();
    fewer["agents"][1]["problems"] = Value::Array(Vec::new());
    fs::write(directory.file("scores.json"), fewer.to_string()).unwrap();
    let finished = run(["verify", directory.argument(), "--scores"]);
    assert!(finished.stderr.contains("does not have every problem of plan.json once for mlp:steps=20"), "{finished:?}");
    for (mean, problem) in [(0.1, 0.0), (0.0, 0.1)] {
        let said = wrong(mean, problem);
        assert!(
            said.contains("scores.json: the mean of kl_tau1 of uniform does not follow from its problems"),
            "{said}"
        );
    }
    let said = wrong(0.1, 0.1);
    assert!(said.contains("verification failed: uniform on ") && said.contains("comes out as"), "{said}");
}

#[test]
fn scores_of_agents_against_each_other_are_verified_without_a_journal() {
    let directory = RunDirectory::new();
    let problem = "correlations/synthetic-own/d1/set0";
    let run_again = ["run", "linear", "gp", "--suite", "correlations/synthetic-own", "--problems", problem];
    done(run_again.iter().chain(&["--out", directory.argument()]));
    fs::remove_file(directory.file("results.jsonl")).unwrap();
    fs::remove_dir_all(directory.file("beliefs")).unwrap();
    let text = done(["verify", directory.argument(), "--scores", "--sample", "1"]);
    assert!(text.contains("1 of 2 units") && text.contains("all agents against each other on 1 problem are"), "{text}");
    assert!(done(["verify", directory.argument(), "--scores"]).contains("against each other on 1 problem are"));
    // The likelihoods of the two agents are exchanged, on the problem and in the mean.
    let mut scores = directory.scores();
    for place in ["scores/xll/mean", "problems/0/xll"] {
        let [a, b] = [0, 1].map(|agent| scores.pointer(&format!("/agents/{agent}/{place}")).unwrap().clone());
        assert_ne!(a, b);
        *scores.pointer_mut(&format!("/agents/0/{place}")).unwrap() = b;
        *scores.pointer_mut(&format!("/agents/1/{place}")).unwrap() = a;
    }
    fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap()).unwrap();
    let finished = run(["verify", directory.argument(), "--scores", "--sample", "1"]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stdout.contains("scores.json.xll is ") && finished.stdout.contains("comes out as"),
        "{finished:?}"
    );
}

/// Compresses the files of a run's directory, as those of `docs/results` are, and removes what it keeps by digest.
fn compress(directory: &RunDirectory) {
    for file in ["plan.json", "results.jsonl", "scores.json", "leaderboard.csv"] {
        let packed = fs::File::create(directory.file(&format!("{file}.gz"))).unwrap();
        let mut encoder = GzEncoder::new(packed, Compression::fast());
        encoder.write_all(directory.read(file).as_bytes()).unwrap();
        encoder.finish().unwrap();
        fs::remove_file(directory.file(file)).unwrap();
    }
    fs::remove_dir_all(directory.file("agents")).unwrap();
}

#[test]
fn a_directory_of_compressed_files_is_read_as_it_is() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    let table = done(["report", directory.argument()]);
    let board = done(["leaderboard", directory.argument()]);
    let plan = directory.read("plan.json");
    let scores = directory.read("scores.json");
    compress(&directory);
    let before = directory.contents();

    let text = done(["verify", directory.argument()]);
    assert!(text.contains("verified: 2 units on 1 of 18 problems of quick, the same to the bit"), "{text}");
    assert_eq!(done(["report", directory.argument()]), table);
    assert_eq!(done(["leaderboard", directory.argument()]), board);
    refused(["report", directory.argument(), "--format", "html"], &["is only read", "--output"]);
    let reused = RunDirectory::new();
    let run = ["run", AGENTS[0], AGENTS[1], "--suite", "quick", "--problems", PROBLEM];
    done(run.iter().chain(&["--out", reused.argument(), "--reuse", directory.argument()]));
    assert_eq!(reused.read("scores.json"), scores);
    assert_eq!(directory.contents(), before);

    let again = ["run", AGENTS[0], "--suite", "quick", "--problems", PROBLEM, "--out", directory.argument()];
    refused(again, &["holds a run with compressed files"]);
    // Somebody unpacks one of the files to look at it.
    fs::write(directory.file("plan.json"), plan).unwrap();
    done(["verify", directory.argument(), "--sample", "1"]);

    fs::remove_file(directory.file("results.jsonl.gz")).unwrap();
    let reuse = ["run", AGENTS[0], "--suite", "quick", "--problems", PROBLEM, "--out"];
    refused(reuse.iter().chain(&[reused.argument(), "--reuse", directory.argument()]), &["it has no journal"]);
    refused(["verify", directory.argument()], &["has scores and no journal", "--scores"]);
    done(["verify", directory.argument(), "--scores"]);
    let scores = fs::read(directory.file("scores.json.gz")).unwrap();
    fs::write(directory.file("scores.json.gz"), &scores[..scores.len() / 2]).unwrap();
    refused(["verify", directory.argument(), "--scores"], &["failed to read", "scores.json.gz"]);
}

#[test]
fn what_a_sweep_chose_is_verified() {
    for tune in ["global", "per-setting"] {
        let directory = RunDirectory::new();
        let sweep =
            ["sweep", "mlp:steps=5", "--only", "l2", "--suite", "quick", "--problems", "quick/t10/temp0.1/seed*"];
        done(sweep.iter().chain(&["--tune", tune, "--out", directory.argument()]));
        done(["verify", directory.argument()]);
        let text = directory.read("sweep.json");
        let chosen = crate::run::json(&text);
        let agent = &chosen["agents"][0];
        let (best, other) = (&agent["choices"][0]["best"], &agent["variants"][5]["label"]);
        let refuse = |from: &str, to: &str, said: &str| {
            assert!(text.contains(from), "{from} is not in {text}");
            fs::write(directory.file("sweep.json"), text.replacen(from, to, 1)).unwrap();
            let finished = run(["verify", directory.argument()]);
            assert_eq!(finished.code, Some(2), "{finished:?}");
            assert!(finished.stdout.contains(said), "{}", finished.stdout);
        };
        refuse(&format!("\"best\": {best}"), &format!("\"best\": {other}"), "sweep.json.agents[0].choices[0].best is");
        refuse(tune, "by-eye", "sweep.json does not say how it was tuned");
        refuse("{", "[", "sweep.json");
    }
}
