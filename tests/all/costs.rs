//! `jointly plan`: estimates of a run's cost.

use serde_json::Value;

use crate::command::{done, finish, fits_a_terminal, joined, jointly, refused, run};
use crate::guests::argument;
use crate::run::{RunDirectory, json};

const AGENTS: [&str; 4] = ["mlp", "ensemble:size=3,steps=200", "prior", "knn"];
const PROBLEMS: &str = "quick/*/*/seed[01]";
/// The accepted relative error of an estimate.
const TOLERANCE: f64 = 0.25;

fn plan(agents: &[&str], options: &[&str]) -> Vec<String> {
    let fixed = ["--suite", "quick", "--problems", PROBLEMS];
    ["plan"].iter().chain(agents).chain(&fixed).chain(options).map(ToString::to_string).collect()
}

#[test]
fn the_fuel_of_a_run_is_known_before_it() {
    let document = json(&done(plan(&AGENTS, &["--json", "--workers", "3"])));
    assert_eq!((&document["all"]["units"], &document["measured_units"]), (&48.into(), &8.into()));
    let directory = RunDirectory::of(&AGENTS, PROBLEMS);
    let units = directory.units();
    let number = |value: &Value| value.as_f64().unwrap();
    for agent in document["agents"].as_array().unwrap() {
        let of_agent = units.iter().filter(|unit| unit["agent"] == agent["agent"]);
        let fuel: f64 = of_agent.map(|unit| number(&unit["scored"]["fuel"])).sum();
        let error = (number(&agent["fuel"]) / fuel - 1.0).abs();
        assert!(error < TOLERANCE, "{}: {} of {fuel}", agent["agent"], agent["fuel"]);
    }
    // On any machine: one core takes the total time, and three take at least a third of it and at least one unit's
    // time.
    let all = number(&document["all"]["seconds"]);
    let (first, shard) = (number(&document["together_seconds"]), number(&document["slowest_shard_seconds"]));
    let longest = number(&document["longest_unit"]["seconds"]);
    for time in [first, shard] {
        assert!(time >= 0.999 * all / 3.0 && time >= 0.999 * longest && time <= 1.001 * all, "{document}");
    }
    assert!(first <= all / 3.0 + longest, "{document}");
}

#[test]
fn a_person_reads_units_fuel_and_hours() {
    let finished = run(plan(&["uniform", "mlp:steps=20"], &["--workers", "2"]));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    fits_a_terminal(&finished.stdout);
    let text = joined(&finished.stdout);
    for said in ["24 units, of which 4 were measured", "on one core", "on 2 workers of one run", "as 2 shards"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // There is one line of progress for each measured unit.
    assert_eq!(finished.stderr.lines().filter(|line| line.contains("/4] ")).count(), 4, "{}", finished.stderr);
}

#[test]
fn other_kinds_of_suites_are_planned_by_whole_units() {
    let args = ["plan", "linear", "--suite", "quick/coverage", "--problems", "*/{line,gap}/*", "--json"];
    let document = json(&done(args));
    assert_eq!((&document["all"]["units"], &document["measured_units"]), (&6.into(), &2.into()));
    assert!(document["all"]["fuel"].as_f64().unwrap() > 0.0, "{document}");
}

#[test]
fn an_agent_that_would_fail_is_told_of() {
    let own_failure = argument("own-failure");
    let finished = run(plan(&["uniform", &own_failure], &[]));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(joined(&finished.stdout).contains("own-failure fails on quick/t10/"), "{finished:?}");
    let finished = run(plan(&["prior"], &["--fuel", "7000000000"]));
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(joined(&finished.stdout).contains("give more --fuel"), "{finished:?}");
}

#[test]
fn a_plan_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = jointly();
    command.current_dir(folder.path()).args(plan(&["uniform"], &["--jobs", "2"]));
    let finished = finish(&mut command);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_plan_takes_no_place_and_no_share() {
    for (option, value) in [("--out", "here"), ("--reuse", "there"), ("--shard", "1/2")] {
        let said = refused(plan(&["uniform"], &[option, value]), &[option, "cannot be used here", "leave it out"]);
        assert!(said.contains("--workers N"), "{said}");
    }
    refused(plan(&["uniform"], &["--workers", "0"]), &["--workers"]);
}
