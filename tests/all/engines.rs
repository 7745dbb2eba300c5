//! Two engines, one score: compiled code and the portable interpreter give the same bytes and count the same fuel.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::command::done;
use crate::guests::argument;
use crate::run::RunDirectory;

/// The quick suites that need no data of others, each with the kind of its agents, one problem, and options that keep it small,
/// because the interpreter is many times slower.
const SUITES: [(&str, &str, &[&str]); 9] = [
    ("quick", "classification", &["--problems", "*/t10/temp0.1/seed0", "--draws", "10"]),
    ("quick/dyadic", "classification", &["--problems", "*/d2/*/temp0.1/seed0", "--draws", "10"]),
    ("quick/coverage", "regression", &["--problems", "*/line/sim0", "--draws", "10"]),
    ("quick/correlations", "regression", &["--problems", "*/d1/set0", "--draws", "10"]),
    ("quick/active", "regression", &["--problems", "*/d1/set0/random", "--draws", "10", "--rounds", "1"]),
    ("quick/shift", "shift", &["--problems", "*/seed0", "--draws", "4", "--shifts", "rotation/90", "--taus", "1"]),
    ("quick/decisions/bandit", "classification", &["--problems", "*/temp0.1/seed0", "--draws", "4", "--steps", "4"]),
    ("quick/decisions/optimize", "regression", &["--problems", "*/branin/*/thompson", "--draws", "4", "--steps", "5"]),
    ("quick/decisions/active", "classification", &["--problems", "*/margin", "--draws", "4", "--steps", "4"]),
];

/// Settings that keep training small; an agent gets those that it knows in the suite. Other agents are small anyway.
const SMALL: [(&str, &str); 21] = [
    ("burn-in", "10"),
    ("chains", "2"),
    ("depth", "3"),
    ("epochs", "1"),
    ("features", "64"),
    ("flows", "2"),
    ("hidden", "8"),
    ("indices", "4"),
    ("inducing", "5"),
    ("keep-every", "10"),
    ("leapfrog", "2"),
    ("passes", "5"),
    ("points", "5"),
    ("samples", "5"),
    ("size", "2"),
    ("starts", "1"),
    ("steps", "20"),
    ("trees", "5"),
    ("units", "10"),
    ("vae-steps", "10"),
    ("warmup", "10"),
];

/// Returns the bundled agents for a kind of task at their smallest; under dataset shift, those with networks for images and
/// tokens.
fn agents(task: &str) -> Vec<String> {
    let kind = if task == "regression" { task } else { "classification" };
    let listing: Value = serde_json::from_str(&done(["agents", "--json"])).unwrap();
    // The oracle is no component, so no engine runs it.
    let takes_part = |agent: &&Value| {
        let supports = agent["interfaces"].as_array().is_some_and(|all| all.iter().any(|one| one == kind));
        agent["name"] != "oracle" && supports && (task != "shift" || agent["tokens"] == true)
    };
    let small = |agent: &Value| {
        let knows = |name: &str| {
            let own = |known: &Value| known["kind"].is_null() || known["kind"] == kind;
            let parameters = agent["parameters"].as_array().unwrap();
            parameters.iter().any(|known| known["name"] == name && own(known))
        };
        // The length of training is either `epochs` or `steps`.
        let fits = |name: &str| knows(name) && (name != "steps" || !knows("epochs"));
        let settings: Vec<String> =
            SMALL.iter().filter(|(name, _)| fits(name)).map(|(name, value)| format!("{name}={value}")).collect();
        let name = agent["name"].as_str().unwrap();
        if settings.is_empty() { name.to_owned() } else { format!("{name}:{}", settings.join(",")) }
    };
    listing.as_array().unwrap().iter().filter(takes_part).map(small).collect()
}

/// Returns the results of a run without the fuel that they took, and without times.
fn without_fuel(directory: &RunDirectory) -> Vec<Value> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !["seconds", "fuel", "cost"].contains(&name.as_str()));
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut units = directory.units();
    units.iter_mut().for_each(strip);
    units
}

#[test]
fn every_bundled_agent_has_the_same_bytes_compiled_and_interpreted() {
    let mut seen = BTreeSet::new();
    for (suite, kind, options) in SUITES {
        let mut agents = agents(kind);
        // Its environments have three classes, which all others take.
        if suite == "quick/decisions/active" {
            agents.retain(|agent| !agent.starts_with("pfn:"));
        }
        seen.extend(agents.iter().filter_map(|agent| agent.split(':').next()).map(str::to_owned));
        let run = |engine: &str| {
            let directory = RunDirectory::new();
            let fixed = ["--suite", suite, "--engine", engine, "--out", directory.argument()];
            done(["run"].into_iter().chain(agents.iter().map(String::as_str)).chain(fixed).chain(options.to_vec()));
            directory
        };
        let (compiled, interpreted) = (run("compiled"), run("interpreter"));
        for file in ["scores.json", "leaderboard.csv", "plan.json"] {
            assert!(compiled.read(file) == interpreted.read(file), "{suite}: {file}");
        }
        // The instructions that make NaNs canonical cost fuel, and nothing else differs without them.
        let everywhere = run("without-sinks");
        assert!(everywhere.read("scores.json") != compiled.read("scores.json"), "{suite}");
        assert!(without_fuel(&everywhere) == without_fuel(&compiled), "{suite}");
    }
    let listing: Value = serde_json::from_str(&done(["agents", "--json"])).unwrap();
    let names = listing.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned());
    assert_eq!(seen, names.filter(|name| name != "oracle").collect());
}

#[test]
fn an_entry_is_verified_by_the_other_engine_and_a_failure_is_the_same() {
    // A failure of the agent's own, a trap, answers of both WASI previews, and a limit of the store.
    let guests = ["own-failure", "unreachable", "witness", "reads-preview1", "hoards-pollables"].map(argument);
    let agents: Vec<&str> = guests.iter().map(String::as_str).chain(["mlp:steps=5"]).collect();
    let directory = RunDirectory::of(&["uniform", "mlp:steps=5"], "quick/t10/temp0.1/seed0");
    let stdout = done(["verify", directory.argument(), "--engine", "interpreter"]);
    assert!(stdout.contains("verified: 2 units"), "{stdout}");
    let mut without = Vec::new();
    let runs = ["compiled", "interpreter", "without-sinks"].map(|engine| {
        let directory = RunDirectory::new();
        // The fuel does not suffice for the last one.
        let options = ["--engine", engine, "--fuel", "300000000"];
        let finished = directory.run(&agents, "quick/t10/temp0.1/seed0", &options);
        assert_eq!(finished.code, Some(3), "{finished:?}");
        let logs: Vec<Value> = directory.units().into_iter().map(|mut unit| unit["log"].take()).collect();
        without.push((without_fuel(&directory), logs.clone()));
        (directory.read("scores.json"), logs)
    });
    assert!(runs[0] == runs[1], "{runs:?}");
    assert!(without[0] == without[2], "{without:?}");
    for kind in ["agent-failure", "trapped", "out-of-memory"] {
        assert!(runs[0].0.contains(kind), "{kind}: {}", runs[0].0);
    }
}
