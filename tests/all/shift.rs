//! Runs of dataset shift suites: interrupted, reused, reported and verified like all others.

use std::fs;

use serde_json::{Value, json};

use crate::command::{Finished, done, fits_a_terminal, joined, refused, run};
use crate::regression::{arguments, does_not_hold, killed_and_run_again, same_scores, scored, torn_and_run_again};
use crate::report::without_fuel;
use crate::run::{RunDirectory, json as parsed};

pub(crate) const SUITE: &str = "quick/shift";
/// Two agents that learn next to nothing, fast: with one function, and with two.
pub(crate) const AGENTS: [&str; 2] = ["mlp:epochs=1,hidden=20", "ensemble:epochs=1,hidden=20,size=2"];
/// One problem, and all problems.
pub(crate) const PROBLEM: &str = "quick/shift/seed0";
const ALL: &str = "*";
/// The number of problems of the suite.
const COUNT: usize = 2;
/// Options for few conditions and few draws.
const SMALL: [&str; 4] = ["--shifts", "rotation/90,fog/3", "--draws", "5"];
/// Tolerances for numbers with twelve digits, and for probabilities stored as f32.
const TOLERANCE: f64 = 1e-10;
const SINGLE: f64 = 1e-5;

fn run_of(agents: &[&str], problems: &str, options: &[&str]) -> (RunDirectory, Finished) {
    scored(agents, SUITE, problems, options)
}

fn near(found: &Value, expected: f64, tolerance: f64) {
    let number = found.as_f64().or(found["mean"].as_f64()).unwrap_or_else(|| panic!("{found} is no number"));
    assert!((number - expected).abs() < tolerance, "{number}, expected {expected}");
}

/// Returns an agent's conditions on its first problem.
fn conditions(scores: &Value, agent: usize) -> Vec<Value> {
    scores["agents"][agent]["problems"][0]["conditions"].as_array().unwrap().clone()
}

fn names(conditions: &[Value]) -> Vec<&str> {
    conditions.iter().map(|condition| condition["condition"].as_str().unwrap()).collect()
}

/// Returns the journal's units without their times.
fn timeless(directory: &RunDirectory) -> Vec<Value> {
    let mut units = directory.units();
    for unit in &mut units {
        unit["seconds"] = Value::Null;
    }
    units
}

#[test]
fn a_run_is_reported_and_verified_and_no_score_depends_on_jobs() {
    let (directory, finished) = run_of(&AGENTS, ALL, &["--jobs", "1"]);
    let (other, _) = run_of(&AGENTS, ALL, &["--jobs", "2"]);
    same_scores(&directory, &other);
    assert_eq!(timeless(&directory), timeless(&other));
    let table = done(["report", directory.argument()]);
    assert!(finished.stdout.starts_with(table.trim_end()), "what run prints is the report");
    fits_a_terminal(&table);
    assert_eq!(done(["report", directory.argument(), "--format", "csv"]), directory.read("leaderboard.csv"));
    assert_eq!(done(["report", directory.argument(), "--format", "json"]), directory.read("scores.json"));
    let page = directory.file("page.html");
    done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
    let html = fs::read_to_string(&page).unwrap();
    assert!(AGENTS.iter().all(|agent| html.contains(agent)) && !html.contains("NaN"), "{html}");
    fs::remove_file(page).unwrap();
    let before = directory.contents();
    for jobs in ["1", "2"] {
        let said = done(["verify", directory.argument(), "--jobs", jobs]);
        assert!(
            said.contains(&format!("verified: {} units on {COUNT} of {COUNT} problems of {SUITE}", 2 * COUNT)),
            "{said}"
        );
    }
    assert_eq!(directory.contents(), before);
    for agent in directory.scores()["agents"].as_array().unwrap() {
        assert_eq!((agent["problems"].as_array().unwrap().len(), &agent["failures"]), (COUNT, &json!([])));
    }
}

#[test]
fn the_leaderboard_of_a_run() {
    let (directory, finished) = run_of(&[AGENTS[0], AGENTS[1], "uniform"], ALL, &[]);
    let table = done(["report", directory.argument()]);
    insta::assert_snapshot!(without_fuel(&table));
    let printed = run(arguments(&directory, &[AGENTS[0], AGENTS[1], "uniform"], SUITE, ALL, &["--json"]));
    assert_eq!(parsed(&printed.stdout), directory.scores(), "{}", finished.stdout);
    let against = joined(&done(["report", directory.argument(), "--baseline", "uniform"]));
    assert!(against.contains("vs uniform") && !against.contains("vs mlp"), "{against}");
}

#[test]
fn killed_after_any_unit_and_run_again() {
    let (whole, _) = run_of(&AGENTS, ALL, &[]);
    for units in 1..2 * COUNT {
        let directory = killed_and_run_again(&AGENTS, SUITE, ALL, units, &whole);
        assert_eq!(timeless(&directory), timeless(&whole));
    }
}

#[test]
fn a_torn_last_line_is_run_again() {
    torn_and_run_again(&AGENTS, SUITE, ALL, 2 * COUNT);
}

#[test]
fn units_of_another_run_are_taken_over_and_nobody_minds_the_company() {
    let (whole, _) = run_of(&AGENTS, ALL, &[]);
    let (first, _) = run_of(&AGENTS[..1], ALL, &[]);
    assert_eq!(first.scores()["agents"][0], whole.scores()["agents"][0]);
    let (both, finished) = run_of(&AGENTS, ALL, &["--reuse", first.argument()]);
    assert!(finished.stderr.contains("2 of 4 units are taken from other runs"), "{}", finished.stderr);
    same_scores(&both, &whole);
    let (again, finished) = run_of(&AGENTS, ALL, &["--reuse", both.argument()]);
    assert!(finished.stderr.contains("4 of 4 units are done already"), "{}", finished.stderr);
    same_scores(&again, &whole);
    // A run with other conditions has no results to reuse.
    let other = RunDirectory::new();
    for (options, said) in [
        (["--shifts", "rotation/30"], "levels"),
        (["--taus", "1"], "taus"),
        (["--draws", "5"], "draws"),
        (["--seed", "1"], "seed"),
    ] {
        let options = [&options[..], &["--reuse", first.argument()]].concat();
        refused(arguments(&other, &AGENTS, SUITE, ALL, &options), &["cannot reuse ", said]);
    }
    assert!(!other.path.exists());
}

#[test]
fn problems_are_chosen_by_pattern() {
    let (whole, _) = run_of(&AGENTS[..1], ALL, &SMALL);
    let (second, _) = run_of(&AGENTS[..1], "*/seed1", &SMALL);
    let own = second.scores()["agents"][0]["problems"].as_array().unwrap().clone();
    assert_eq!(own, whole.scores()["agents"][0]["problems"].as_array().unwrap()[1..]);
    assert_eq!(own[0]["problem"], "quick/shift/seed1");
    let said = done(["verify", second.argument()]);
    assert!(said.contains("verified: 1 unit on 1 of 2 problems of quick/shift"), "{said}");
    assert!(joined(&done(["report", second.argument()])).contains("± is the standard error over the"));
}

/// The user's overrides are part of the plan, shown in the heading, and used by `verify`.
#[test]
fn shifts_taus_and_draws_are_the_plans() {
    let options = ["--shifts", "fog/3,rotation/*,rotation/60", "--taus", "5,1", "--draws", "20"];
    let (directory, finished) = run_of(&AGENTS, PROBLEM, &options);
    let heading = joined(&finished.stdout);
    let said = "seed 0, 20 draws, tau 5, 1, shifted by fog/3, rotation; ranked by brier_shifted";
    assert!(heading.contains(said), "{heading}");
    fits_a_terminal(&done(["report", directory.argument()]));
    assert!(heading.contains("nll_tau5_shifted") && !heading.contains("nll_tau10"), "{heading}");
    let found = conditions(&directory.scores(), 1);
    let expected = ["none", "fog/3", "rotation/30", "rotation/60", "rotation/90", "outside/letters-and-scribbles"];
    assert_eq!(names(&found), expected);
    assert!(found[..5].iter().all(|condition| condition["nll_tau5"]["effective_draws"].is_f64()), "{found:?}");
    done(["verify", directory.argument()]);
    let page = directory.file("page.html");
    done(["report", directory.argument(), "--format", "html", "--output", page.to_str().unwrap()]);
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("--draws 20") && html.contains("--taus 5,1"), "{html}");

    for (left_out, said) in [(0..2, "levels"), (2..4, "taus"), (4..6, "draws")] {
        let mut fewer = options.to_vec();
        fewer.drain(left_out);
        let again = arguments(&directory, &AGENTS, SUITE, PROBLEM, &fewer);
        refused(again, &["holds another plan", said]);
    }
    // A level has the same scores in both runs, whatever other levels there are.
    let (suites_own, _) = run_of(&AGENTS, PROBLEM, &["--draws", "20", "--taus", "5,1"]);
    let own = conditions(&suites_own.scores(), 1);
    let same = |name: &str| {
        let of = |conditions: &[Value]| conditions.iter().find(|it| it["condition"] == name).cloned();
        assert_eq!(of(&own), of(&found), "{name}");
    };
    expected.into_iter().filter(|name| *name != "fog/3").for_each(same);

    let plan = parsed(&directory.read("plan.json"));
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut plan = plan.clone();
        edit(&mut plan["shift"]);
        fs::write(directory.file("plan.json"), serde_json::to_string_pretty(&plan).unwrap() + "\n").unwrap();
        let finished = run(["verify", directory.argument()]);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        finished.stdout + &finished.stderr
    };
    let said = edited(&|shift| shift["draws"] = json!(21));
    assert!(said.contains("verification failed: results.jsonl has another result for"), "{said}");
    for (edit, expected) in [
        (
            &(|shift: &mut Value| shift["taus"] = json!([2, 1])) as &dyn Fn(&mut Value),
            "scores of 200 inputs and tau [5, 1] in condition none",
        ),
        (&|shift| shift["levels"][0] = json!("fog/2"), "no scores at fog/2"),
        (&|shift| shift["levels"][0] = json!("reassign/0.5"), "no scores at rotation/30"),
    ] {
        let said = edited(edit);
        assert!(said.contains("is not a finished run of its plan") && said.contains(expected), "{said}");
    }
    for edit in [
        &(|shift: &mut Value| shift["draws"] = json!(0)) as &dyn Fn(&mut Value),
        &|shift| shift["taus"] = json!([3, 2]),
        &|shift| shift["taus"] = json!([]),
        &|shift| shift["levels"][0] = json!("fog/0"),
        &|shift| shift["levels"][0] = json!("rotation/30"),
    ] {
        let said = edited(edit);
        assert!(said.contains("not a plan that this command made"), "{said}");
    }
    let said = edited(&|shift| shift["levels"][0] = json!("fog/6"));
    assert!(said.contains("as a plan; ") && said.contains("fog has no severity 6"), "{said}");
}

#[test]
fn an_edited_journal_score_or_leaderboard_does_not_hold() {
    let (directory, _) = run_of(&AGENTS, PROBLEM, &SMALL);
    let journal = directory.read("results.jsonl");
    let other = "results.jsonl has another result for";
    for (from, to, said) in [
        ("\"confidence\":{\"mean\":0.", "\"confidence\":{\"mean\":0.0", "scores.json.agents["),
        ("\"training\":", "\"training\":1", other),
        ("[200,", "[199,", other),
    ] {
        assert!(journal.contains(from), "{from} is not in {journal}");
        fs::write(directory.file("results.jsonl"), journal.replacen(from, to, 1)).unwrap();
        does_not_hold(&directory, said);
    }
    fs::write(directory.file("results.jsonl"), journal.split_inclusive('\n').next().unwrap()).unwrap();
    refused(["verify", directory.argument()], &["no result yet", "give the same `jointly run` again"]);
    fs::write(directory.file("results.jsonl"), &journal).unwrap();

    let scores = directory.scores();
    let edited = |edit: &dyn Fn(&mut Value), place: &str| {
        let mut scores = scores.clone();
        edit(&mut scores);
        fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap() + "\n").unwrap();
        does_not_hold(&directory, place);
    };
    edited(
        &|scores| scores["agents"][1]["problems"][0]["conditions"][2]["brier"]["mean"] = json!(0.25),
        "scores.json.agents[1].problems[0].conditions[2].brier.mean",
    );
    edited(
        &|scores| scores["agents"][0]["problems"][0]["conditions"][3]["auroc"] = json!(1.0),
        "scores.json.agents[0].problems[0].conditions[3].auroc",
    );
    edited(
        &|scores| scores["agents"][0]["scores"]["ece"]["mean"] = json!(0.0),
        "scores.json.agents[0].scores.ece.mean",
    );
    fs::write(directory.file("scores.json"), serde_json::to_string_pretty(&scores).unwrap() + "\n").unwrap();
    done(["verify", directory.argument()]);
    let leaderboard = directory.read("leaderboard.csv").replacen("1,", "2,", 1);
    fs::write(directory.file("leaderboard.csv"), leaderboard).unwrap();
    does_not_hold(&directory, "leaderboard.csv");
}

/// `uniform` takes no tokens, and takes part where there are none.
#[test]
fn ignorance_scores_as_on_paper() {
    let (directory, _) = run_of(&["uniform"], PROBLEM, &[]);
    let scores = directory.scores();
    let problem = &scores["agents"][0]["problems"][0];
    let log = 10.0_f64.ln();
    for (name, expected) in [
        ("brier", 0.9),
        ("brier_shifted", 0.9),
        ("nll", log),
        ("nll_shifted", log),
        ("nll_tau1", log),
        ("nll_tau10", 10.0 * log),
        ("nll_tau10_shifted", 10.0 * log),
        ("confidence_shifted", 0.1),
        ("entropy_shifted", log),
        ("auroc", 0.5),
        ("auroc_entropy", 0.5),
    ] {
        near(&problem[name], expected, SINGLE);
    }
    let found = conditions(&scores, 0);
    let (outside, labelled) = found.split_last().unwrap();
    assert_eq!(labelled.len(), 11, "unshifted and ten levels");
    let accuracy = problem["accuracy"]["mean"].as_f64().unwrap();
    for condition in labelled {
        // Every condition has the same labels, and so the same share of the first class.
        near(&condition["accuracy"], accuracy, TOLERANCE);
        near(&condition["ece"], (accuracy - 0.1).abs(), SINGLE);
        assert_eq!(condition["inputs"], 200);
    }
    assert!(outside.get("accuracy").is_none() && outside.get("brier").is_none(), "{outside}");
}

#[test]
fn means_are_over_levels_of_shift_and_over_problems() {
    let (directory, _) = run_of(&AGENTS, ALL, &[]);
    for agent in directory.scores()["agents"].as_array().unwrap() {
        let problems = agent["problems"].as_array().unwrap();
        for problem in problems {
            let (outside, labelled) = problem["conditions"].as_array().unwrap().split_last().unwrap();
            let (unshifted, levels) = labelled.split_first().unwrap();
            let value = |condition: &Value, name: &str| {
                condition[name].as_f64().or(condition[name]["mean"].as_f64()).unwrap_or_else(|| panic!("{name}"))
            };
            for name in ["accuracy", "nll", "brier", "resolution", "reliability", "ece", "nll_tau10", "entropy"] {
                let sum: f64 = levels.iter().map(|condition| value(condition, name)).sum();
                near(&problem[format!("{name}_shifted")], sum / levels.len() as f64, TOLERANCE);
                near(&problem[name], value(unshifted, name), TOLERANCE);
            }
            for condition in labelled {
                let [uncertainty, resolution, reliability, remainder] =
                    ["uncertainty", "resolution", "reliability", "remainder"].map(|name| value(condition, name));
                near(&condition["brier"], uncertainty - resolution + reliability + remainder, TOLERANCE);
            }
            near(&problem["auroc"], value(outside, "auroc"), TOLERANCE);
        }
        for name in ["brier_shifted", "nll_tau10_shifted", "auroc"] {
            let values = problems.iter().map(|problem| problem[name].as_f64().unwrap());
            near(&agent["scores"][name], values.sum::<f64>() / COUNT as f64, TOLERANCE);
        }
    }
    for unit in directory.units() {
        let (cost, fuel) = (&unit["shift"]["scores"]["cost"], unit["shift"]["fuel"].as_u64().unwrap());
        assert_eq!(cost["training"].as_u64().unwrap() + cost["prediction"].as_u64().unwrap(), fuel, "{cost}");
        assert!(cost["bytes"].as_u64().unwrap() > 0);
    }
}

/// Tests dense layers and convolutions, on images that the host draws.
#[test]
fn every_agent_of_dataset_shift_is_scored_with_either_network() {
    let names = ["mlp", "temperature-scaling", "dropout", "ensemble", "bbb", "ll-svi", "ll-dropout"];
    let networks = ["hidden=10", "network=lenet,filters=2,hidden=10"];
    let agents: Vec<String> =
        networks.iter().flat_map(|own| names.map(|name| format!("{name}:epochs=1,{own}"))).collect();
    let agents: Vec<&str> = agents.iter().map(String::as_str).collect();
    let (directory, _) = run_of(&agents, PROBLEM, &SMALL);
    done(["verify", directory.argument()]);
    let scores = directory.scores();
    let mut briers: Vec<String> = Vec::new();
    for agent in scores["agents"].as_array().unwrap() {
        let problem = &agent["problems"][0];
        let brier = problem["brier_shifted"].as_f64().unwrap();
        assert!((0.0..2.0).contains(&brier), "{agent}");
        briers.push(problem["brier_shifted"].to_string());
    }
    assert_eq!(briers.len(), agents.len());
    briers.sort();
    briers.dedup();
    assert_eq!(briers.len(), agents.len(), "no two predict the same");
}

/// The most likely classes do not change; only their probabilities do.
#[test]
fn temperature_scaling_changes_confidence_alone() {
    let agents = ["mlp:epochs=20,hidden=20", "temperature-scaling:epochs=20,hidden=20"];
    let (directory, _) = run_of(&agents, PROBLEM, &SMALL);
    let scores = directory.scores();
    let [plain, scaled] = [0, 1].map(|agent| conditions(&scores, agent));
    for (plain, scaled) in plain.iter().zip(&scaled) {
        assert_eq!(plain["accuracy"], scaled["accuracy"]);
        assert_ne!(plain["confidence"], scaled["confidence"]);
    }
}

#[test]
fn a_sweep_chooses_and_is_verified() {
    let directory = RunDirectory::new();
    let asked = ["sweep", AGENTS[0], "--only", "learning-rate", "--suite", SUITE, "--out", directory.argument()];
    let said = done(asked.iter().chain(&SMALL));
    assert!(said.contains("\nbest: mlp:epochs=1"), "{said}");
    let swept = parsed(&directory.read("sweep.json"));
    let variants = swept["agents"][0]["variants"].as_array().unwrap();
    assert_eq!((variants.len(), &swept["score"]), (3, &"brier_shifted".into()), "{swept}");
    let scores = directory.scores();
    let brier = |agent: &Value| agent["scores"]["brier_shifted"]["mean"].as_f64().unwrap();
    let agents = scores["agents"].as_array().unwrap();
    let best = agents.iter().min_by(|a, b| brier(a).total_cmp(&brier(b))).unwrap();
    assert_eq!(swept["agents"][0]["choices"][0]["mean"], best["scores"]["brier_shifted"]["mean"]);
    done(["verify", directory.argument()]);
    let text = directory.read("sweep.json");
    let (chosen, other) = (&swept["agents"][0]["choices"][0]["best"], &variants[2]["label"]);
    fs::write(
        directory.file("sweep.json"),
        text.replacen(&format!("\"best\": {chosen}"), &format!("\"best\": {other}"), 1),
    )
    .unwrap();
    does_not_hold(&directory, "sweep.json.agents[0].choices[0].best is");
}
