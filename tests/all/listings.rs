//! `jointly agents` and `jointly suites`: listings.

use serde_json::Value;

use crate::command::{done, fits_a_terminal, joined, refused};
use crate::run::json;

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

/// Returns the bundled agents, without references.
fn components() -> Value {
    let mut listed = json(&done(["agents", "--json"]));
    listed.as_array_mut().unwrap().retain(|entry| entry["reference"] != true);
    listed
}

#[test]
fn agents_with_their_settings() {
    let agents = components();
    let expected = [
        "uniform",
        "class-average",
        "prior",
        "knn",
        "random-forest",
        "logistic-regression",
        "mlp",
        "laplace",
        "deep-kernel",
        "dropout",
        "bbb",
        "ivon",
        "swag",
        "flow",
        "ensemble",
        "packed-ensemble",
        "ensemble+",
        "ntk-ensemble",
        "hypermodel",
        "epinet",
        "sgmcmc",
        "nuts",
        "pfn",
        "fbnn",
        "temperature-scaling",
        "ll-dropout",
        "ll-svi",
    ];
    let of = |interface: &str| -> Value {
        let supports = |agent: &&Value| agent["interfaces"].as_array().unwrap().contains(&interface.into());
        agents.as_array().unwrap().iter().filter(supports).cloned().collect()
    };
    assert_eq!(names(&of("classification")), expected);
    assert!(names(&of("regression")).contains(&"bootstrap"), "{agents}");
    for agent in agents.as_array().unwrap() {
        assert!(agent["digest"].as_str().unwrap().starts_with("sha256:"));
        for parameter in agent["parameters"].as_array().unwrap() {
            assert!(["name", "default", "summary"].iter().all(|key| parameter[key].is_string()), "{parameter}");
        }
    }
    let text = done(["agents"]);
    let first_words: Vec<&str> =
        text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(first_words[0], "agent", "{text}");
    assert_eq!(first_words[1..=names(&agents).len()], names(&agents), "{text}");
    // The letters agree with the JSON.
    let takes = |name: &str| {
        let line = text.lines().find(|line| line.split(' ').next() == Some(name)).expect("a line an agent");
        let letters = line.split_whitespace().skip(1).take_while(|word| ["c", "t", "r"].contains(word));
        letters.collect::<Vec<_>>().join(" ")
    };
    for agent in agents.as_array().unwrap() {
        let interfaces: Vec<&str> =
            agent["interfaces"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let letters = |interface: &&str| match *interface {
            "classification" if agent["tokens"] == true => "c t",
            "classification" => "c",
            _ => "r",
        };
        let expected: Vec<&str> = interfaces.iter().map(letters).collect();
        assert_eq!(takes(agent["name"].as_str().unwrap()), expected.join(" "), "{text}");
    }
    let agents = ["mlp", "gp", "bbb", "knn", "ll-svi", "oracle"];
    assert_eq!(agents.map(takes), ["c t", "r", "c t r", "c", "c t", "c"]);
    fits_a_terminal(&text);
}

#[test]
fn a_named_agent_shows_its_settings_and_sweeps() {
    let text = done(["agents", "ensemble+", "oracle"]);
    assert!(text.starts_with("ensemble+ ") && text.contains("\noracle "), "{text}");
    let both = joined(&done(["agents", "dropout"]));
    assert!(both.contains(" classification of numbers, images and tokens; regression "), "{both}");
    assert!(joined(&text).contains(" classification of numbers and images"), "{text}");
    assert!(text.contains("prior-scale=3") && text.contains("sweep bootstrap: 3 variants"), "{text}");
    assert!(!text.contains("\nmlp "), "{text}");
    // Every variant is shown in the form that `jointly run` accepts.
    let listed = json(&done(["agents", "ensemble+", "--json"]));
    let sweeps = listed[0]["sweeps"].as_array().unwrap();
    for sweep in sweeps {
        for variant in sweep["variants"].as_array().unwrap() {
            let text_of = |setting: &Value, key: &str| setting[key].as_str().unwrap().to_owned();
            let setting = |setting: &Value| (text_of(setting, "name"), text_of(setting, "value"));
            let mut settings: Vec<(String, String)> = variant.as_array().unwrap().iter().map(setting).collect();
            settings.sort();
            let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let line = format!("\n        ensemble+:{}\n", settings.join(","));
            assert!(text.contains(&line), "{line:?} is not in {text}");
        }
    }
    for agent in names(&components()) {
        fits_a_terminal(&done(["agents", agent]));
    }
    refused(["agents", "mpl"], &["there is no agent mpl: did you mean `mlp`?"]);
}

#[test]
fn every_variant_of_a_sweep_names_known_settings() {
    let agents = json(&done(["agents", "--json"]));
    let mut variants = 0;
    for agent in agents.as_array().unwrap() {
        let known = names(&agent["parameters"]);
        for sweep in agent["sweeps"].as_array().unwrap() {
            for variant in sweep["variants"].as_array().unwrap() {
                assert!(names(variant).iter().all(|name| known.contains(name)), "{variant}");
                variants += 1;
            }
        }
    }
    assert!(variants > 0);
}

#[test]
fn the_testbed_has_its_210_problems() {
    let suites = json(&done(["suites", "--json"]));
    let of_classes: Value =
        suites.as_array().unwrap().iter().filter(|suite| suite.get("evaluation").is_some()).cloned().collect();
    assert_eq!(
        names(&of_classes),
        ["quick", "testbed", "quick/dyadic", "testbed/dyadic", "testbed/classes", "quick/real", "testbed/real"]
    );
    let problems = suites[1]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 210);
    assert!(problems.contains(&"testbed/t10/temp0.1/seed3".into()));
    assert_eq!(suites[1]["evaluation"]["taus"], serde_json::json!([1, 100]));
    let text = done(["suites"]);
    assert!(text.contains("quick: ") && text.contains("210 problems, tau 1 and 100"), "{text}");
    fits_a_terminal(&text);
}

#[test]
fn every_suite_says_what_it_costs_and_which_tables_it_needs() {
    let suites = json(&done(["suites", "--json"]));
    for suite in suites.as_array().unwrap() {
        let (name, cost) = (suite["name"].as_str().unwrap(), suite["cost"].as_str().unwrap());
        assert!(cost.starts_with("on one core, seconds a problem"), "{name}: {cost}");
        let text = done(["suites", name]);
        fits_a_terminal(&text);
        let needs = joined(&text).contains("tables of the UCI repository (`jointly data`): ");
        let of_tables = suite["tables"].as_array().is_some_and(|tables| !tables.is_empty());
        assert_eq!(needs, of_tables, "{text}");
        assert!(joined(&text).contains(cost), "{text}");
    }
    let text = joined(&done(["suites", "coverage/boston", "quick/correlations"]));
    assert!(text.contains("it needs tables of the UCI repository (`jointly data`): boston coverage/boston/"), "{text}");
    assert!(
        text.contains("4 of its problems need tables of the UCI repository (`jointly data`): boston, yacht"),
        "{text}"
    );
}

#[test]
fn a_named_suite_lists_its_problems() {
    let text = done(["suites", "testbed/dyadic", "quick"]);
    fits_a_terminal(&text);
    let named = |line: &&str| line.starts_with("testbed/dyadic/d") || line.starts_with("quick/t");
    let listed: Vec<&str> = text.lines().map(str::trim).filter(named).collect();
    let suites = json(&done(["suites", "testbed/dyadic", "quick", "--json"]));
    assert_eq!(names(&suites), ["testbed/dyadic", "quick"]);
    let problems = suites.as_array().unwrap().iter().flat_map(|suite| suite["problems"].as_array().unwrap());
    assert_eq!(listed, problems.map(|problem| problem.as_str().unwrap()).collect::<Vec<_>>());
    assert!(!joined(&text).contains("testbed: "), "{text}");
    refused(["suites", "slow"], &["there is no suite slow: `jointly suites` lists all"]);
}
