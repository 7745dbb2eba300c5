//! `jointly report`: the same numbers as `scores.json`, for people and for programs.

use std::fs;

use crate::command::{done, fits_a_terminal, joined, refused, run};
use crate::guests::argument;
use crate::run::{PROBLEM, RunDirectory, json};

const AGENTS: [&str; 2] = ["uniform", "mlp:steps=20"];
const PROBLEMS: &str = "quick/t10/temp0.1/seed[01]";

/// Returns the table with fuel hidden, the only number that depends on the compiler that built the bundled agents.
pub(crate) fn without_fuel(table: &str) -> String {
    let (mut columns, mut lines) = (None, Vec::new());
    for line in table.lines() {
        let cells: Vec<char> = line.chars().collect();
        if let Some(fuel) = line.find("  fuel") {
            // The column is flush right, and all blanks before it belong to it.
            columns = Some((line[..fuel].trim_end().len(), fuel + "  fuel".len()));
        } else if let Some((from, to)) = columns.filter(|(_, to)| cells.len() >= *to) {
            let hidden = "~".repeat(4);
            let shown = |part: &[char]| part.iter().collect::<String>();
            lines.push(format!("{}{hidden:>2$}{}", shown(&cells[..from]), shown(&cells[to..]), to - from));
            continue;
        } else {
            columns = None;
        }
        lines.push(line.to_owned());
    }
    lines.join("\n")
}

#[test]
fn the_table_of_a_run() {
    let directory = RunDirectory::new();
    let finished = directory.run(&AGENTS, PROBLEMS, &[]);
    let printed = done(["report", directory.argument()]);
    assert!(finished.stdout.starts_with(printed.trim_end()), "what run prints is the report");
    fits_a_terminal(&printed);
    insta::assert_snapshot!(without_fuel(&printed));
}

#[test]
fn the_table_with_a_baseline() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let printed = done(["report", directory.argument(), "--baseline", "uniform"]);
    fits_a_terminal(&printed);
    insta::assert_snapshot!(without_fuel(&printed));
}

#[test]
fn csv_and_json_agree_with_the_scores() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let scores = directory.scores();
    assert_eq!(done(["report", directory.argument(), "--format", "json"]), directory.read("scores.json"));
    let csv = done(["report", directory.argument(), "--format", "csv"]);
    assert_eq!(csv, directory.read("leaderboard.csv"));

    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    assert_eq!(header[..6], ["rank", "agent", "settings", "digest", "problems", "failures"]);
    for (place, row) in rows.enumerate() {
        let cell = |name: &str| row[header.iter().position(|column| *column == name).unwrap()];
        let agents = scores["agents"].as_array().unwrap();
        let agent = agents.iter().find(|agent| agent["agent"] == *cell("agent")).unwrap();
        assert_eq!(cell("rank"), (place + 1).to_string());
        assert_eq!(cell("digest"), agent["digest"]);
        for (name, score) in agent["scores"].as_object().unwrap() {
            for (column, key) in [("mean", "mean"), ("stderr", "stderr")] {
                let shown: f64 = cell(&format!("{name}_{column}")).parse().unwrap();
                assert_eq!(Some(shown), score[key].as_f64(), "{name} {column}");
            }
        }
    }
}

#[test]
fn a_mean_is_the_mean_over_problems() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    for agent in directory.scores()["agents"].as_array().unwrap() {
        let problems = agent["problems"].as_array().unwrap();
        let values: Vec<f64> = problems.iter().map(|problem| problem["kl_tau1"]["mean"].as_f64().unwrap()).collect();
        let [a, b] = values[..] else { panic!("{values:?}") };
        let score = &agent["scores"]["kl_tau1"];
        let near = |found: &serde_json::Value, expected: f64| (found.as_f64().unwrap() - expected).abs() < 1e-11;
        assert!(near(&score["mean"], f64::midpoint(a, b)), "{agent}");
        // Two problems: the standard deviation is |a - b| / sqrt 2, its error that divided by sqrt 2.
        assert!(near(&score["stderr"], (a - b).abs() / 2.0), "{agent}");
    }
}

#[test]
fn an_agent_of_one_function_leaves_no_error_over_draws() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    for agent in directory.scores()["agents"].as_array().unwrap() {
        for name in ["kl_tau1", "kl_tau100"] {
            let score = &agent["scores"][name];
            assert_eq!((&score["draw_error"], &score["effective_draws"]), (&0.0.into(), &250.0.into()), "{agent}");
        }
    }
    assert!(!done(["report", directory.argument()]).contains("effective"));
}

#[test]
fn the_dyadic_suites_rank_by_their_largest_tau() {
    let directory = RunDirectory::new();
    let problems = "quick/dyadic/d2/t20/temp0.1/seed0";
    done(["run", "uniform", "--suite", "quick/dyadic", "--problems", problems, "--out", directory.argument()]);
    let printed = done(["report", directory.argument()]);
    assert!(printed.contains("ranked by kl_tau10, lower is better"), "{printed}");
    assert!(!printed.contains("aggregate"), "{printed}");
}

#[test]
fn settings_with_commas_are_one_field() {
    let directory = RunDirectory::of(&["mlp:steps=5,hidden=8,8"], PROBLEM);
    let csv = directory.read("leaderboard.csv");
    assert!(csv.lines().nth(1).unwrap().starts_with("1,mlp,\"hidden=8,8,steps=5\",sha256:"), "{csv}");
}

#[test]
fn an_unfinished_directory_says_so() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let journal = directory.read("results.jsonl");
    let first = journal.find('\n').unwrap() + 1;
    fs::write(directory.file("results.jsonl"), &journal[..first]).unwrap();
    let finished = run(["report", directory.argument()]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(finished.stderr.contains("3 of 4 units have no result yet"), "{}", finished.stderr);
    assert!(finished.stdout.contains("has no result yet on"), "{}", finished.stdout);
}

#[test]
fn an_agent_that_failed_comes_last_with_its_first_failure() {
    let directory = RunDirectory::new();
    assert_eq!(directory.run(&[&argument("own-failure"), "uniform"], PROBLEM, &[]).code, Some(3));
    let printed = done(["report", directory.argument()]);
    let row = |start: &str| printed.lines().position(|line| line.starts_with(start)).unwrap();
    assert!(row("1  uniform") < row("-  own-failure"), "{printed}");
    assert!(joined(&printed).contains("own-failure failed on 1 of 1 problem and has no rank; first, "), "{printed}");
}

#[test]
fn an_unknown_baseline_names_the_known() {
    let directory = RunDirectory::of(&AGENTS, PROBLEM);
    refused(
        ["report", directory.argument(), "--baseline", "gpt"],
        &["no agent gpt in ", ": `jointly report ", "lists its agents"],
    );
}

#[test]
fn what_the_page_alone_takes_is_not_ignored() {
    let directory = RunDirectory::of(&["mlp:l2=2,steps=20", "uniform"], PROBLEM);
    let report = |options: &[&str]| {
        ["report", directory.argument()].iter().chain(options).map(ToString::to_string).collect::<Vec<_>>()
    };
    for option in [&["--pair", "mlp", "uniform"][..], &["--parameter", "l2"], &["--real", "."], &["--output", "x.html"]]
    {
        refused(report(option), &[option[0], "give --format html with it"]);
    }
    let html = |options: &[&str]| report(&[&["--format", "html"], options].concat());
    refused(html(&["--pair", "mlp", "gpt"]), &["--pair: no agent gpt in", ": `jointly report ", "lists its agents"]);
    refused(html(&["--parameter", "depth"]), &["no agent in", "was given the setting depth: its plan.json"]);
    done(html(&["--pair", "mlp:steps=20,l2=2", "uniform", "--parameter", "steps"]));
    let plain = RunDirectory::of(&["uniform"], PROBLEM);
    let args = ["report", plain.argument(), "--format", "html", "--parameter", "l2"];
    refused(args, &["was given the setting l2: its plan.json"]);
}

#[test]
fn run_prints_the_scores_as_json_when_asked() {
    let directory = RunDirectory::new();
    let finished = directory.run(&["uniform"], PROBLEM, &["--json"]);
    assert_eq!(json(&finished.stdout), directory.scores());
}

#[test]
fn a_parquet_file_is_written_whole_and_the_same_each_time() {
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let report = ["report", directory.argument(), "--format", "parquet"];
    let path = done(report);
    assert!(path.trim_end().ends_with("report.parquet"), "{path}");
    let bytes = fs::read(path.trim_end()).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let other = directory.file("units.parquet");
    assert_eq!(
        done([&report[..], &["--output", other.to_str().unwrap()]].concat()).trim_end(),
        other.to_str().unwrap()
    );
    assert_eq!(fs::read(&other).unwrap(), bytes);
    refused([&report[..], &["--output", "-"]].concat(), &["is not text", "--output FILE"]);
    refused(["report", directory.argument(), "--output", "units"], &["--format html with it, or --format parquet"]);
}
