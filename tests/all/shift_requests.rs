//! Requests for dataset shift: listed, and refused in one line if they are invalid.

use crate::command::{done, fits_a_terminal, joined, refused};
use crate::guests::argument;
use crate::regression::arguments;
use crate::regression_requests::refused_request;
use crate::run::{RunDirectory, json};
use crate::shift::{AGENTS, PROBLEM, SUITE};

const AGENT: &str = AGENTS[0];

#[test]
fn shifts_that_there_are_not_are_refused() {
    for (shifts, texts) in [
        (
            "wobble/3",
            &["no shift that quick/shift can have matches wobble/3", "there is no shift \"wobble\"", "gaussian-noise"]
                [..],
        ),
        ("rotation", &["matches rotation", "write them as rotation/45", "`jointly suites quick/shift` lists its own"]),
        ("frog/*", &["matches frog/*", "there is no shift \"frog\": did you mean `fog`?"]),
        ("rotaion", &["matches rotaion", "there is no shift \"rotaion\": did you mean `rotation`?"]),
        ("fog/6", &["fog has no severity 6: it takes 0, 1, 2, 3, 4 or 5"]),
        ("translation/2.5", &["translation has no severity 2.5: it takes whole pixels"]),
        ("rotation/nan", &["rotation has no severity NaN: it takes degrees"]),
        ("rotation/30,wobble/3", &["there is no shift \"wobble\""]),
        ("rotation/0", &["level rotation/0 leaves inputs as they are, which is always scored: leave it out"]),
        ("reassign/0.5", &["inputs of quick/shift cannot be shifted by reassign"]),
        ("feature-scale/1", &["inputs of quick/shift cannot be shifted by feature-scale"]),
        ("saturate/3", &["inputs of quick/shift cannot be shifted by saturate"]),
        ("", &["quick/shift"]),
        ("rotation/[", &["rotation/["]),
    ] {
        refused_request(&[AGENT], (SUITE, PROBLEM), &["--shifts", shifts], texts);
    }
}

/// Patterns select from the suite's own levels or, if none of those match, from all others.
#[test]
fn shifts_are_named_by_patterns() {
    let directory = RunDirectory::new();
    let chosen = ["--shifts", "rotation/{30,60},fog/*,contrast/*,fog/3,translation/3", "--draws", "2"];
    done(arguments(&directory, &[AGENT], SUITE, PROBLEM, &chosen));
    let levels = &json(&directory.read("plan.json"))["shift"]["levels"];
    let expected = "rotation/30 rotation/60 fog/1 fog/2 fog/3 fog/4 fog/5 contrast/3 translation/3";
    let levels: Vec<&str> = levels.as_array().unwrap().iter().map(|level| level.as_str().unwrap()).collect();
    assert_eq!(levels.join(" "), expected);
}

#[test]
fn taus_and_draws_that_cannot_be_are_refused() {
    for (options, texts) in [
        (["--taus", "7,10"], &["failed to take on quick/shift: tau is 7, expected a divisor of the largest, 10"][..]),
        (["--taus", "10,10"], &["taus is [10, 10], expected each tau once"]),
        (["--taus", "0"], &["invalid value '0' for '--taus <TAU>'"]),
        (["--taus", "-1"], &["unexpected argument '-1' found"]),
        (["--taus", "ten"], &["invalid value 'ten' for '--taus <TAU>'"]),
        (["--taus", "70000"], &["tau is 70000, expected 1 to 65536"]),
        (["--draws", "0"], &["invalid value '0' for '--draws <M>'"]),
        (["--draws", "262145"], &["invalid value '262145' for '--draws <M>'"]),
    ] {
        refused_request(&[AGENT], (SUITE, PROBLEM), &options, texts);
    }
}

#[test]
fn options_of_other_suites_are_refused() {
    for options in [
        &["--planes", "3"][..],
        &["--no-clip"],
        &["--anchors", "3"],
        &["--initialization", "glorot"],
        &["--partition", "k-means"],
        &["--problem", "mine.npz"],
    ] {
        let texts = [options[0], "is for classification, and quick/shift is of dataset shift: leave it out"];
        refused_request(&[AGENT], (SUITE, PROBLEM), options, &texts);
    }
    for options in [
        &["--table", "mine.csv"][..],
        &["--noise", "normal"],
        &["--residuals", "in-bag"],
        &["--levels", "50"],
        &["--moment-draws", "7"],
        &["--pool", "7"],
        &["--test", "7"],
        &["--standardize"],
        &["--rounds", "2"],
        &["--predict", "bootstrap"],
    ] {
        let texts = [options[0], "is for suites of regression; see `jointly suites`"];
        refused_request(&[AGENT], (SUITE, PROBLEM), options, &texts);
    }
    for options in [["--shifts", "rotation/30"], ["--taus", "1"]] {
        let texts = [options[0], "is for suites of dataset shift: leave it out"];
        refused_request(&["uniform"], ("quick", "quick/t10/temp0.1/seed0"), &options, &texts);
        refused_request(&["linear"], ("quick/coverage", "quick/coverage/line/sim0"), &options, &texts);
    }
}

#[test]
fn an_agent_that_supports_something_else_is_refused_by_name() {
    let guest = argument("certain");
    for (agent, named) in [("gp", "gp does not support"), (guest.as_str(), guest.as_str())] {
        let texts = [named, "classification, which the suite is about: `jointly agents` lists agents that do"];
        refused_request(&[agent], (SUITE, PROBLEM), &[], &texts);
        refused_request(&[AGENT, agent], (SUITE, PROBLEM), &[], &texts);
        let directory = RunDirectory::new();
        refused(["sweep", agent, "--suite", SUITE, "--out", directory.argument()], &texts);
        assert!(!directory.path.exists());
    }
    let texts = ["ll-svi does not support regression, which the suite is about: `jointly agents` lists agents that do"];
    refused_request(&["ll-svi"], ("quick/coverage", "quick/coverage/line/sim0"), &[], &texts);
    let texts = ["the oracle takes part in suites of sampled environments only: the truth of quick/shift is not known"];
    refused_request(&["oracle", AGENT], (SUITE, PROBLEM), &[], &texts);
}

/// It is refused before any unit runs and before a directory is made. Without named agents, only those that can take
/// part do.
#[test]
fn an_agent_without_tokens_is_refused_where_inputs_have_some() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("criteo")).unwrap();
    let click = |i: u32| format!("{}\t{i}{}{}\n", i % 2, "\t1".repeat(12), "\t0000000a".repeat(26));
    std::fs::write(folder.path().join("criteo/train.txt"), (0..200).map(click).collect::<String>()).unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let texts = [
        "knn takes no tokens, and inputs of shift/clicks/seed0 in shift/clicks are words or categories",
        "give agents that take tokens (bundled: ",
        "ll-svi",
    ];
    for agents in [&["knn"][..], &[AGENT, "knn"]] {
        refused_request(agents, ("shift/clicks", "*/seed0"), &data, &texts);
    }
    let directory = RunDirectory::new();
    let options = [&data[..], &["--plan-only"]].concat();
    done(arguments(&directory, &[], "shift/clicks", "*/seed0", &options));
    let plan = json(&directory.read("plan.json"));
    let planned: Vec<&str> =
        plan["agents"].as_array().unwrap().iter().map(|agent| agent["agent"].as_str().unwrap()).collect();
    let listed = json(&done(["agents", "--json"]));
    let able = listed.as_array().unwrap().iter().filter(|agent| agent["tokens"] == true);
    assert_eq!(planned, able.map(|agent| agent["name"].as_str().unwrap()).collect::<Vec<_>>());
}

/// An agent made for dataset shift takes part in the testbed, too.
#[test]
fn agents_of_dataset_shift_take_part_in_the_testbed() {
    let directory = RunDirectory::new();
    let agents = ["ll-svi:epochs=1,hidden=10", "temperature-scaling:epochs=1,hidden=10"];
    done(arguments(&directory, &agents, "quick", "quick/t10/temp0.1/seed0", &["--draws", "5"]));
    let scores = directory.scores();
    assert!(scores["agents"].as_array().unwrap().iter().all(|agent| agent["scores"]["kl_tau1"]["mean"].is_number()));
}

#[test]
fn what_is_not_there_is_refused() {
    let texts = ["no problem of quick/shift matches quick/nothing/*; a name looks like quick/shift/seed0"];
    refused_request(&[AGENT], (SUITE, "quick/nothing/*"), &[], &texts);
    refused_request(
        &[AGENT],
        ("shift/nothing", "*"),
        &[],
        &["there is no suite shift/nothing: `jointly suites` lists all"],
    );
    refused_request(
        &["mlp:epochs=0"],
        (SUITE, PROBLEM),
        &[],
        &["epochs=0: expected auto, or a whole number of at least 1"],
    );
    let texts = ["network=conv: expected auto or mlp or lenet or resnet20 or embedding"];
    refused_request(&["mlp:network=conv"], (SUITE, PROBLEM), &[], &texts);
    let texts = ["ensemble refuses its settings: ", "steps=20 and epochs=1 are two lengths of the training"];
    refused_request(&["ensemble:steps=20,epochs=1"], (SUITE, PROBLEM), &[], &texts);
    refused_request(
        &["uniform:epochs=1"],
        (SUITE, PROBLEM),
        &[],
        &["uniform has no setting epochs: it has no settings"],
    );
    refused_request(&[AGENT, AGENT], (SUITE, PROBLEM), &[], &["is given twice"]);
    refused_request(&["nobody"], (SUITE, PROBLEM), &[], &["there is no agent nobody: `jointly agents` lists"]);
}

#[test]
fn agents_and_suites_of_dataset_shift_are_listed() {
    let agents = json(&done(["agents", "--json"]));
    let takes = |name: &str| {
        let agent = agents.as_array().unwrap().iter().find(|agent| agent["name"] == name).unwrap();
        serde_json::json!([agent["interfaces"], agent["tokens"], agent["unlabelled"]])
    };
    assert_eq!(takes("ll-svi"), serde_json::json!([["classification"], true, false]));
    assert_eq!(takes("dropout"), serde_json::json!([["classification", "regression"], true, false]));
    assert_eq!(takes("ensemble+"), serde_json::json!([["classification"], false, true]));
    let suites = json(&done(["suites", "--json"]));
    let suite = |name: &str| suites.as_array().unwrap().iter().find(|suite| suite["name"] == name).unwrap();
    assert_eq!(suite(SUITE)["problems"], serde_json::json!([PROBLEM, "quick/shift/seed1"]));
    assert_eq!(suite(SUITE)["shift"]["taus"], serde_json::json!([1, 10, 100]));
    assert_eq!(suite("shift/synthetic")["problems"].as_array().unwrap().len(), 5);
    let levels = suite("shift/synthetic")["shift"]["levels"].as_array().unwrap();
    let of = |shift: &str| levels.iter().filter(|level| level.as_str().unwrap().starts_with(shift)).count();
    // Grey images have no saturation: 18 of the 19 corruptions at five severities.
    assert_eq!((of("rotation/"), of("translation/"), of("saturate/"), levels.len()), (12, 7, 0, 12 + 7 + 18 * 5));
    let text = done(["suites", SUITE, "shift/synthetic"]);
    fits_a_terminal(&text);
    let text = joined(&text);
    assert!(text.contains("quick/shift: ") && text.contains("shift/synthetic/seed4"), "{text}");
    assert!(
        text.contains("2 problems; dataset shift, 50 draws, tau 1, 10, 100; unshifted and at 10 levels: rotation,"),
        "{text}"
    );
}
