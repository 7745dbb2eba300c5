//! The oracle, the host's own reference: the floor with which agents are compared.

use std::fs;

use serde_json::Value;

use crate::command::{done, joined, refused, run};
use crate::guests::argument;
use crate::npz::{TemporaryFile, problem};
use crate::run::{PROBLEM, RunDirectory, json};

/// A few functions of two short chains: enough to run, too few to trust.
const ORACLE: &str = "oracle:chains=2,rounds=1,samples=250,warmup=20";
const PROBLEMS: &str = "quick/t10/temp0.1/seed[01]";
/// Tolerance for differences of numbers with twelve digits.
const TOLERANCE: f64 = 1e-9;

fn agent<'a>(scores: &'a Value, name: &str) -> &'a Value {
    scores["agents"].as_array().unwrap().iter().find(|agent| agent["agent"] == name).unwrap()
}

#[test]
fn it_stands_above_the_ranking_and_agents_have_a_distance_from_it() {
    let directory = RunDirectory::of(&["uniform", "mlp:steps=200", ORACLE], PROBLEMS);
    let printed = done(["report", directory.argument()]);
    // Labels of this length leave space for few columns, so the others are in blocks of their own.
    let headings = printed.lines().filter(|line| line.starts_with('#')).count();
    let above: Vec<&str> = printed.lines().skip_while(|line| !line.ends_with("above floor")).take(4).collect();
    assert!(headings > 1 && above[0].starts_with('#'), "{printed}");
    let starts = ["floor  oracle:chains=2", "1      mlp:steps=200", "2      uniform"];
    for (line, start) in above[1..].iter().zip(starts) {
        assert_eq!(printed.lines().filter(|line| line.starts_with(start)).count(), headings, "{printed}");
        assert!(line.starts_with(start), "{printed}");
    }

    let scores = directory.scores();
    let [oracle, mlp] = ["oracle", "mlp"].map(|name| agent(&scores, name));
    assert_eq!(oracle["reference"], true);
    assert_eq!(oracle["digest"], "host:oracle-2");
    assert!(oracle["scores"]["fuel"].is_null() && mlp["scores"]["fuel"].is_object());
    assert!(mlp["reference"].is_null());

    let csv = directory.read("leaderboard.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let cell = |row: &str, column: &str| {
        let row = rows.iter().find(|cells| cells.contains(&row)).unwrap();
        // Quoted settings contain commas, so columns are counted from the end.
        row[row.len() - (rows[0].len() - rows[0].iter().position(|name| *name == column).unwrap())].to_owned()
    };
    let aggregate = |agent: &Value| agent["scores"]["kl_aggregate"]["mean"].as_f64().unwrap();
    let above: f64 = cell("mlp", "above_floor_mean").parse().unwrap();
    assert!((above - (aggregate(mlp) - aggregate(oracle))).abs() < TOLERANCE, "{csv}");
    assert_eq!(cell("oracle", "above_floor_mean"), "");
    assert_eq!(cell("oracle", "fuel_mean"), "");
    assert!(rows[1][0].is_empty() && rows[2][0] == "1", "{csv}");
}

#[test]
fn a_run_without_it_has_no_floor() {
    let directory = RunDirectory::of(&["uniform"], PROBLEM);
    assert!(!done(["report", directory.argument()]).contains("floor"));
    assert!(!directory.read("leaderboard.csv").contains("floor"));
    assert!(!directory.read("scores.json").contains("reference"));
}

#[test]
fn its_run_is_verified_and_says_how_far_to_trust_it() {
    let directory = RunDirectory::of(&["uniform", ORACLE], PROBLEMS);
    done(["verify", directory.argument()]);
    let units = directory.units();
    let log = units.iter().find(|unit| unit["agent"] == ORACLE).unwrap()["log"][0].as_str().unwrap();
    assert!(log.contains("250 functions of 2 chains after 1 round") && log.contains("R-hat at most"), "{log}");
    assert_eq!(fs::read_dir(directory.file("agents")).unwrap().count(), 1, "it has no bytes to keep");

    for file in ["plan.json", "scores.json", "leaderboard.csv"] {
        let text = directory.read(file).replace("host:oracle-2", "host:oracle-3");
        fs::write(directory.file(file), text).unwrap();
    }
    let finished = run(["verify", directory.argument()]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(joined(&finished.stdout).contains("its plan is not the one that this command makes"), "{finished:?}");
}

#[test]
fn it_says_where_it_has_not_converged() {
    // These chains hardly move from their initial draws from the prior.
    const HASTY: &str = "oracle:chains=2,rounds=1,samples=250,steps=1,warmup=2";
    let directory = RunDirectory::of(&["uniform", HASTY], PROBLEMS);
    let unit = directory.units().into_iter().find(|unit| unit["agent"] == HASTY).unwrap();
    let diagnosis = &unit["scored"]["diagnosis"];
    assert_eq!((&diagnosis["converged"], &diagnosis["rounds"]), (&false.into(), &1.into()), "{unit}");
    assert!(diagnosis["r_hat"].as_f64().unwrap() > 1.05 || diagnosis["effective_draws"].as_f64().unwrap() < 50.0);

    let scores = directory.scores();
    let [oracle, uniform] = ["oracle", "uniform"].map(|name| &agent(&scores, name)["problems"][0]);
    assert!(oracle["diagnosis"]["acceptance"].is_number() && oracle["diagnosis"]["converged"] == false, "{oracle}");
    assert!(uniform["diagnosis"].is_null());
    let printed = done(["report", directory.argument()]);
    let printed = printed.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["has not converged on 2 of 2 problems", "as oracle:rounds=5,warmup=240,thin=2"] {
        assert!(printed.contains(part), "{printed}");
    }
}

#[test]
fn a_replicate_is_another_sample() {
    let directory = RunDirectory::of(&[ORACLE, "oracle:chains=2,replicate=1,rounds=1,samples=250,warmup=20"], PROBLEM);
    let scores = directory.scores();
    let kl = |i: usize| scores["agents"][i]["scores"]["kl_tau1"]["mean"].as_f64().unwrap();
    assert_ne!(kl(0), kl(1));
}

#[test]
fn it_is_listed_apart_from_the_agents() {
    let text = done(["agents"]);
    assert!(text.contains("\noracle ") && joined(&text).contains("The oracle is no agent"), "{text}");
    let card = done(["agents", "oracle"]);
    assert!(card.starts_with("oracle 2: samples the posterior") && card.contains("chains=8"), "{card}");
    let said = joined(&card);
    assert!(said.contains("the floor of classification") && said.contains("in decisions it is a reference"), "{card}");
    let listed = json(&done(["agents", "--json"]));
    let references: Vec<&Value> =
        listed.as_array().unwrap().iter().filter(|entry| entry["reference"] == true).collect();
    assert!(matches!(references[..], [oracle] if oracle["name"] == "oracle"), "{references:?}");
}

#[test]
fn what_it_cannot_do_is_refused_with_the_remedy() {
    refused(
        ["check", "oracle"],
        &["the host's own reference and not a component", "`jointly run` and `jointly picture` take it"],
    );
    let file = TemporaryFile::new("mine.npz", problem().bytes());
    refused(
        ["run", "oracle", "--problem", file.argument()],
        &["imported/mine", "distribution of this one is not known", "leave"],
    );
    refused(
        ["run", "oracle:size=3", "--suite", "quick"],
        &["oracle has no setting size: `jointly agents oracle` describes its settings"],
    );
    refused(
        ["run", "oracle:samples=249", "--suite", "quick"],
        &["249 samples are fewer than the 250 draws", "samples=250 or leave samples out"],
    );
    refused(["run", "oracle:chains=1", "--suite", "quick"], &["chains is 1, expected a whole number from 2 to 1000"]);
}

/// No agent may take the oracle's name.
#[test]
pub(crate) fn false_oracle() {
    refused(["run", &argument("false-oracle"), "--suite", "quick"], &["calls itself oracle", "another name"]);
}
