//! `jointly agents` and `jointly suites`: what there is.

use serde_json::Value;

use crate::command::done;
use crate::run::json;

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect()
}

#[test]
fn six_agents_with_their_settings() {
    let agents = json(&done(["agents", "--json"]));
    let expected = ["uniform", "prior", "logistic-regression", "mlp", "ensemble", "ensemble+"];
    assert_eq!(names(&agents), expected);
    for agent in agents.as_array().unwrap() {
        assert!(agent["digest"].as_str().unwrap().starts_with("sha256:"));
        for parameter in agent["parameters"].as_array().unwrap() {
            assert!(["name", "default", "summary"].iter().all(|key| parameter[key].is_string()), "{parameter}");
        }
    }
    let text = done(["agents"]);
    assert!(expected.iter().all(|name| text.lines().any(|line| line.starts_with(&format!("{name} ")))), "{text}");
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
    assert_eq!(names(&suites), ["quick", "testbed", "quick/dyadic", "testbed/dyadic"]);
    let problems = suites[1]["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 210);
    assert!(problems.contains(&"testbed/t10/temp0.1/seed3".into()));
    assert_eq!(suites[1]["evaluation"]["taus"], serde_json::json!([1, 100]));
    let text = done(["suites"]);
    assert!(text.contains("quick: ") && text.contains("210 problems, tau 1 and 100"), "{text}");
}
