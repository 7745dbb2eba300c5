//! Runs of regression suites: interrupted, reused, reported and verified like those of classification.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::command::{Finished, done, finish, fits_a_terminal, is_one_line, joined, jointly, refused, run, skipped};
use crate::guests::argument;
use crate::run::{RunDirectory, json};

/// Two agents that learn next to nothing, fast.
pub(crate) const AGENTS: [&str; 2] = ["bootstrap:epochs=1,size=2", "bootstrap:epochs=2,size=3"];
/// A suite of each kind, a pattern of a few of its problems that need no data, and their number.
pub(crate) const SUITES: [(&str, &str, usize); 3] = [
    ("quick/coverage", "quick/coverage/{line,gap}/sim[01]", 4),
    ("quick/correlations", "quick/correlations/d1/set[01]", 2),
    ("quick/active", "quick/active/d1/set0/*", 2),
];
const CORRELATIONS: (&str, &str) = (SUITES[1].0, SUITES[1].1);

/// Returns the arguments that run agents on problems of a suite into a directory.
pub(crate) fn arguments(
    directory: &RunDirectory,
    agents: &[&str],
    suite: &str,
    problems: &str,
    options: &[&str],
) -> Vec<String> {
    let fixed = ["--suite", suite, "--problems", problems, "--out", directory.argument()];
    ["run"].iter().chain(agents).chain(&fixed).chain(options).map(ToString::to_string).collect()
}

/// Runs agents, all of which must be scored; returns the directory and the command's output.
pub(crate) fn scored(agents: &[&str], suite: &str, problems: &str, options: &[&str]) -> (RunDirectory, Finished) {
    let directory = RunDirectory::new();
    let finished = run(arguments(&directory, agents, suite, problems, options));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    (directory, finished)
}

/// Asserts that both have the same files of scores and of beliefs.
pub(crate) fn same_scores(directory: &RunDirectory, whole: &RunDirectory) {
    assert_eq!(directory.read("scores.json"), whole.read("scores.json"));
    assert_eq!(directory.read("leaderboard.csv"), whole.read("leaderboard.csv"));
    assert_eq!(beliefs(directory), beliefs(whole));
}

/// Returns the files of beliefs, ordered by name.
fn beliefs(directory: &RunDirectory) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory.file("beliefs")) else { return Vec::new() };
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

/// Returns a table without a last column of fuel, which depends on the compiler that built the bundled agents.
fn without_fuel(table: &str) -> String {
    let mut of_fuel = false;
    let line = |line: &str| {
        of_fuel = line.ends_with(" fuel") || (of_fuel && !line.is_empty());
        let cut = if of_fuel { line.trim_end().rfind("  ") } else { None };
        line[..cut.unwrap_or(line.len())].trim_end().to_owned()
    };
    table.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_of_each_suite_is_reported_and_verified_and_no_score_depends_on_jobs() {
    for (suite, problems, count) in SUITES {
        let (directory, finished) = scored(&AGENTS, suite, problems, &["--jobs", "1"]);
        let (other, _) = scored(&AGENTS, suite, problems, &["--jobs", "2"]);
        same_scores(&directory, &other);
        let table = done(["report", directory.argument()]);
        assert!(finished.stdout.starts_with(table.trim_end()), "what run prints is the report");
        assert_eq!(done(["report", directory.argument(), "--format", "csv"]), directory.read("leaderboard.csv"));
        assert_eq!(done(["report", directory.argument(), "--format", "json"]), directory.read("scores.json"));
        let page = directory.file("page.html");
        done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
        let html = fs::read_to_string(&page).unwrap();
        assert!(AGENTS.iter().all(|agent| html.contains(agent)) && !html.contains("NaN"), "{suite}");
        fs::remove_file(page).unwrap();
        let before = directory.contents();
        let said = done(["verify", directory.argument()]);
        assert!(said.contains(&format!("verified: {} units on {count} of", 2 * count)), "{said}");
        assert_eq!(directory.contents(), before);
        let scores = directory.scores();
        for agent in scores["agents"].as_array().unwrap() {
            assert_eq!(agent["problems"].as_array().unwrap().len(), count);
            assert_eq!(agent["failures"], serde_json::json!([]));
        }
    }
}

#[test]
fn the_leaderboards_of_the_suites() {
    for (suite, problems, _) in SUITES {
        let (directory, _) = scored(&AGENTS, suite, problems, &[]);
        let table = done(["report", directory.argument()]);
        insta::assert_snapshot!(suite.replace('/', "-"), without_fuel(&table));
    }
}

/// Kills a run after `units` units and runs it again; the directory must have the scores of an undisturbed run.
pub(crate) fn killed_and_run_again(
    agents: &[&str],
    suite: &str,
    problems: &str,
    units: usize,
    whole: &RunDirectory,
) -> RunDirectory {
    let directory = RunDirectory::new();
    let again = arguments(&directory, agents, suite, problems, &[]);
    let mut process = jointly().args(&again).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(process.stderr.take().unwrap()).lines();
    assert_eq!(lines.take(units).map(Result::unwrap).count(), units);
    process.kill().unwrap();
    process.wait().unwrap();
    done(&again);
    same_scores(&directory, whole);
    directory
}

#[test]
fn killed_after_any_unit_and_run_again() {
    for (suite, problems, count) in SUITES {
        let (whole, _) = scored(&AGENTS, suite, problems, &[]);
        for units in [1, 2 * count - 1] {
            killed_and_run_again(&AGENTS, suite, problems, units, &whole);
        }
    }
}

/// Cuts the journal of a run with `units` units at several places, and runs the lost units again.
pub(crate) fn torn_and_run_again(agents: &[&str], suite: &str, problems: &str, units: usize) {
    let (whole, _) = scored(agents, suite, problems, &[]);
    let (directory, _) = scored(agents, suite, problems, &[]);
    let journal = directory.read("results.jsonl");
    for keep in [1, journal.len() / 2, journal.len() - 1] {
        fs::remove_file(directory.file("scores.json")).unwrap();
        fs::write(directory.file("results.jsonl"), &journal[..keep]).unwrap();
        let finished = run(arguments(&directory, agents, suite, problems, &[]));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        let done = journal[..keep].matches('\n').count();
        let said = finished.stderr.contains(&format!("{done} of {units} units are done already"));
        assert_eq!(said, done > 0, "{}", finished.stderr);
        same_scores(&directory, &whole);
    }
}

#[test]
fn a_torn_last_line_is_run_again() {
    for (suite, problems, count) in SUITES {
        torn_and_run_again(&AGENTS, suite, problems, 2 * count);
    }
}

#[test]
fn beliefs_are_taken_over_with_the_units_that_name_them() {
    let (suite, problems) = CORRELATIONS;
    let (whole, _) = scored(&AGENTS, suite, problems, &[]);
    assert_eq!(beliefs(&whole).len(), 4, "one a unit");
    let (first, _) = scored(&AGENTS[..1], suite, problems, &[]);
    let (both, finished) = scored(&AGENTS, suite, problems, &["--reuse", first.argument()]);
    assert!(finished.stderr.contains("2 of 4 units are taken from other runs"), "{}", finished.stderr);
    same_scores(&both, &whole);
    // Nothing is left to run or to train.
    let (again, finished) = scored(&AGENTS, suite, problems, &["--reuse", both.argument()]);
    assert!(finished.stderr.contains("4 of 4 units are done already"), "{}", finished.stderr);
    same_scores(&again, &whole);
    for spoil in [damage, remove] {
        let belief = first.file("beliefs").join(&beliefs(&first)[0]);
        spoil(&belief);
        let other = RunDirectory::new();
        let asked = arguments(&other, &AGENTS, suite, problems, &["--reuse", first.argument()]);
        refused(asked, &[belief.to_str().unwrap()]);
        assert!(!other.path.exists());
    }
}

fn damage(belief: &PathBuf) {
    let mut bytes = fs::read(belief).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(belief, bytes).unwrap();
}

fn remove(belief: &PathBuf) {
    fs::remove_file(belief).unwrap();
}

#[test]
fn a_damaged_or_missing_belief_is_named() {
    let (suite, problems) = CORRELATIONS;
    // The belief of an agent alone is compared with none, and checked all the same.
    for agents in [&AGENTS[..], &AGENTS[..1]] {
        let (directory, _) = scored(agents, suite, problems, &[]);
        for (spoil, what) in [(damage as fn(&PathBuf), "is damaged"), (remove, "failed to read")] {
            let belief = directory.file("beliefs").join(&beliefs(&directory)[1]);
            spoil(&belief);
            let texts = [belief.to_str().unwrap(), what];
            refused(["report", directory.argument()], &texts);
            refused(["verify", directory.argument()], &texts);
            let again = run(arguments(&directory, agents, suite, problems, &[]));
            assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""), "{again:?}");
            is_one_line(again.stderr.lines().last().unwrap(), &texts);
        }
    }
}

#[test]
fn an_edited_journal_or_score_does_not_hold() {
    for (suite, problems, _) in SUITES {
        let (directory, _) = scored(&AGENTS, suite, problems, &[]);
        let journal = directory.read("results.jsonl");
        let rmse = journal.split("\"rmse\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        let spelt = format!("\"rmse\":{rmse}");
        let edits = [
            (spelt.as_str(), "\"rmse\":0.25", "scores.json.agents["),
            ("\"certain\":0", "\"certain\":1", "results.jsonl has another result for bootstrap"),
        ];
        for (from, to, said) in edits {
            assert!(journal.contains(from), "{from} is not in {journal}");
            fs::write(directory.file("results.jsonl"), journal.replacen(from, to, 1)).unwrap();
            does_not_hold(&directory, said);
        }
        fs::write(directory.file("results.jsonl"), &journal).unwrap();
        let text = directory.read("scores.json");
        let rmse = &directory.scores()["agents"][0]["problems"][0]["rmse"];
        let edited = text.replacen(&format!("\"rmse\": {rmse}"), "\"rmse\": 0.25", 1);
        fs::write(directory.file("scores.json"), edited).unwrap();
        does_not_hold(&directory, "scores.json.agents[0].problems[0].rmse");
    }
}

pub(crate) fn does_not_hold(directory: &RunDirectory, said: &str) {
    let finished = run(["verify", directory.argument()]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(finished.stdout.contains("verification failed: ") && finished.stdout.contains(said), "{}", finished.stdout);
}

/// Returns a value of one problem's scores.
fn value(scores: &Value, agent: usize, problem: &str, name: &str) -> f64 {
    let problems = scores["agents"][agent]["problems"].as_array().unwrap();
    let entry = problems.iter().find(|entry| entry["problem"] == problem).unwrap();
    entry[name].as_f64().unwrap_or_else(|| panic!("{name} of {entry}"))
}

/// Before the first query nothing has been selected, so the predictor does as well as alone.
#[test]
fn another_agent_predicts_from_what_one_selects() {
    let (suite, problem) = ("quick/active", "quick/active/d1/set0/batch-mig");
    let (alone, _) = scored(&AGENTS, suite, problem, &[]);
    let (led, finished) = scored(&AGENTS[..1], suite, problem, &["--predict", AGENTS[1]]);
    let heading = joined(&finished.stdout);
    assert!(heading.contains(&format!("seed 0, predicted by {}; ranked by", AGENTS[1])), "{heading}");
    let (own, predicted) = (alone.scores(), led.scores());
    let of = |scores: &Value, agent: usize, round: usize| {
        ["nll", "rmse"].map(|name| value(scores, agent, problem, &format!("{name}_round{round}")))
    };
    assert_eq!(of(&predicted, 0, 0), of(&own, 1, 0));
    assert_ne!(of(&predicted, 0, 0), of(&own, 0, 0));
    // Later it learns from examples that it did not choose.
    assert_ne!(of(&predicted, 0, 3), of(&own, 1, 3));
    done(["verify", led.argument()]);
    let again = arguments(&led, &AGENTS[..1], suite, problem, &[]);
    refused(again, &["holds another plan", "predictor"]);
    let page = led.file("page.html");
    done(["report", led.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
    assert!(fs::read_to_string(page).unwrap().contains(&format!("--predict {}", AGENTS[1])));
    // Selections are compared only between runs of the same agents.
    let compared = ["report", alone.argument(), "--format", "html", "--active", led.argument()];
    refused(compared, &["fewer than two agents select there"]);
}

#[test]
fn the_law_of_noise_is_chosen_and_held_to() {
    let (suite, problem) = ("quick/coverage", "quick/coverage/homoscedastic/sim0");
    let (normal, _) = scored(&AGENTS[..1], suite, problem, &[]);
    let mut seen = vec![value(&normal.scores(), 0, problem, "nll")];
    for noise in ["student-t", "exponential"] {
        let (directory, finished) = scored(&AGENTS[..1], suite, problem, &["--noise", noise, "--draws", "50"]);
        let heading = joined(&finished.stdout);
        assert!(heading.contains(&format!("seed 0, 50 draws, {noise} noise; ranked by")), "{heading}");
        let nll = value(&directory.scores(), 0, problem, "nll");
        assert!(!seen.contains(&nll), "{noise}: {nll}");
        seen.push(nll);
        done(["verify", directory.argument()]);
        refused(arguments(&directory, &AGENTS[..1], suite, problem, &["--draws", "50"]), &["holds another plan"]);
    }
}

/// Returns `Some` if the tables of the UCI repository are on this machine.
fn tables() -> Option<()> {
    let directories = std::env::var_os("JOINTLY_DATA")?;
    let has = |table: &str| {
        std::env::split_paths(&directories).any(|directory| {
            directory.join("uci").join(table).join("data.txt").is_file()
                || directory.join("UCI_Datasets").join(table).join("data").join("data.txt").is_file()
        })
    };
    ["bostonHousing", "yacht"].iter().all(|table| has(table)).then_some(())
}

#[test]
fn tables_are_scored_and_verified() {
    if tables().is_none() {
        return skipped("tables_are_scored_and_verified", "it needs uci/bostonHousing and uci/yacht in $JOINTLY_DATA");
    }
    for (suite, problems) in [
        ("quick/coverage", "quick/coverage/{yacht/sim0,uci/boston/split1}"),
        ("quick/correlations", "quick/correlations/yacht/*"),
        ("quick/active", "quick/active/yacht/seed0/*"),
    ] {
        let (directory, _) = scored(&AGENTS, suite, problems, &[]);
        let plan = json(&directory.read("plan.json"));
        assert!(plan["problems"][0]["digest"].as_str().unwrap().starts_with("sha256:"));
        done(["verify", directory.argument()]);
        let elsewhere = finish(
            jointly()
                .env_remove("JOINTLY_DATA")
                .env("XDG_DATA_HOME", "/nonexistent")
                .args(["verify", directory.argument()]),
        );
        assert_eq!((elsewhere.code, elsewhere.stdout.as_str()), (Some(2), ""));
        is_one_line(&elsewhere.stderr, &["there is no table", "--data or JOINTLY_DATA"]);
    }
}

#[test]
fn what_is_printed_fits_a_terminal() {
    let guest = argument("certain");
    for (suite, problems, _) in SUITES {
        let (directory, _) = scored(&[&guest], suite, problems, &[]);
        fits_a_terminal(&done(["report", directory.argument()]));
    }
}

/// Coverage at each input takes many simulations, so agents are compared on a single one by its likelihood.
#[test]
fn differences_are_in_a_score_that_problems_have() {
    for ((suite, problems, _), by) in SUITES.into_iter().zip(["nll", "xllr", "nll_round3"]) {
        let (directory, _) = scored(&AGENTS, suite, problems, &[]);
        let table = joined(&done(["report", directory.argument(), "--baseline", AGENTS[0]]));
        assert!(table.contains(&format!("vs is the difference in {by}, paired by problem")), "{table}");
        let scores = directory.scores();
        let mean = |agent: usize| scores["agents"][agent]["scores"][by]["mean"].as_f64().unwrap();
        let difference = format!("{:.3}", mean(1) - mean(0));
        let shown: f64 = difference.parse().unwrap();
        let last = table.split(' ').filter_map(|word| word.parse::<f64>().ok());
        assert!(last.into_iter().any(|number| (number - shown).abs() < 0.05 * shown.abs()), "{difference}: {table}");
    }
}

/// Results from few simulations come with a note about the effect of chance.
#[test]
fn few_simulations_say_what_chance_does() {
    let (directory, finished) = scored(&["linear"], "quick/coverage", "*/line/*", &[]);
    let table = joined(&finished.stdout);
    assert!(table.contains("of Brier scores the jackknife's over simulations"), "{table}");
    let chance = "with 3 simulations chance alone gives perfect intervals a cicf_brier_90 of 0.03000";
    assert!(table.contains(chance), "{table}");
    let (_, finished) = scored(&["linear"], "quick/correlations", "*/d1/set0", &[]);
    assert!(joined(&finished.stdout).contains("xll and xllr compare agents with one another"), "{}", finished.stdout);
    let (active, finished) = scored(&["linear"], "quick/active", "*/d1/set0/*", &[]);
    let table = joined(&finished.stdout);
    assert!(table.contains("means are over acquisitions too (batch-mig, random)"), "{table}");
    // Scores without a journal are refused, and not reported as a run without results.
    std::fs::remove_file(directory.file("results.jsonl")).unwrap();
    refused(["report", directory.argument()], &["has scores but no journal", "leaderboard.csv"]);
    let (compared, _) = scored(&["linear", AGENTS[0]], "quick/correlations", "*/d1/set0", &[]);
    std::fs::remove_file(active.file("results.jsonl")).unwrap();
    let asked = ["report", compared.argument(), "--format", "html", "--active", active.argument()];
    refused(asked, &["has scores but no journal", active.argument()]);
}
