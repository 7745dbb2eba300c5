//! `jointly check`: agents that keep their contract, and agents that break one or more clauses.

use serde_json::Value;

use crate::command::{done, fits_a_terminal, joined, run};
use crate::guests::argument;
use crate::run::json;

/// The number of clauses for an agent for classification.
pub(crate) const CLAUSES: usize = 19;
/// The number of clauses for an agent for regression.
pub(crate) const OF_REGRESSION: usize = 18;
/// The number of clauses for an agent for classification that takes tokens.
pub(crate) const WITH_TOKENS: usize = 21;

/// Returns the clauses that a guest breaks, after checking that text and JSON agree.
fn broken(guest: &str) -> Vec<String> {
    broken_of(guest, CLAUSES)
}

/// Returns the same for a guest to which `clauses` clauses apply.
pub(crate) fn broken_of(guest: &str, clauses: usize) -> Vec<String> {
    let guest = argument(guest);
    let json_form = run(["check", &guest, "--json"]);
    let verdicts = json(&json_form.stdout);
    let verdicts = verdicts.as_array().unwrap();
    assert_eq!(verdicts.len(), clauses);
    let broken = verdicts.iter().filter(|verdict| verdict["ok"] == false);
    let broken: Vec<String> = broken.map(|verdict| verdict["clause"].as_str().unwrap().to_owned()).collect();

    let lines = run(["check", &guest]);
    let failed = lines.stdout.lines().filter_map(|line| line.strip_prefix("FAIL  "));
    let failed: Vec<String> = failed.map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(failed, broken, "{}", lines.stdout);
    fits_a_terminal(&lines.stdout);
    let begun = lines.stdout.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(begun.count(), clauses + 1, "a line a clause, and one for all; what goes on is indented");
    let code = if broken.is_empty() { 0 } else { 2 };
    assert_eq!((lines.code, json_form.code), (Some(code), Some(code)));
    broken
}

#[test]
fn bundled_agents_keep_every_clause() {
    // Every bundled agent, at settings cheap enough to be trained many times.
    let agents = [
        "uniform",
        "class-average",
        "prior",
        "knn",
        "random-forest:trees=5",
        "logistic-regression:steps=20",
        "mlp:steps=20",
        "laplace:steps=20",
        "deep-kernel:steps=20",
        "dropout:epochs=2,passes=5",
        "bbb:epochs=2",
        "ivon:epochs=2",
        "swag:epochs=2,snapshots=5",
        "flow:steps=20",
        "ensemble:epochs=2,size=3",
        "packed-ensemble:steps=20,gamma=2",
        "ensemble+:steps=20,size=3",
        "ensemble+:steps=20,size=3,prior=vae,vae-steps=20",
        "ntk-ensemble:steps=20,size=3",
        "hypermodel:steps=20",
        "epinet:steps=20",
        "sgmcmc:steps=100,burn-in=50,keep-every=10",
        "nuts:chains=1,warmup=10,samples=5,depth=3",
        "pfn:size=20",
        "target-average",
        "linear",
        "gp:steps=5",
        "svgp:steps=5,inducing=10",
        "nkn:steps=5",
        "bootstrap:epochs=2,size=3",
        "concrete-dropout:epochs=2,passes=5",
        "quantile:epochs=2",
        "conformal:epochs=2",
        "hmc:chains=1,warmup=10,samples=5",
        "nng:epochs=2",
        "fbnn:steps=5",
        "temperature-scaling:epochs=2,hidden=20",
        "ll-dropout:epochs=2,hidden=20",
        "ll-svi:epochs=2,hidden=20",
    ];
    let bundled = json(&done(["agents", "--json"]));
    let components = bundled.as_array().unwrap().iter().filter(|entry| entry["reference"] != true);
    let components: Vec<(&str, &Value)> = components.map(|entry| (entry["name"].as_str().unwrap(), entry)).collect();
    let named = |agent: &str| agent.split(':').next().unwrap().to_owned();
    for (name, _) in &components {
        assert!(agents.iter().any(|agent| named(agent) == *name), "{name} is not checked");
    }
    for agent in agents {
        let entry = components.iter().find(|(name, _)| *name == named(agent)).unwrap().1;
        let of_inputs = if entry["tokens"] == true { WITH_TOKENS } else { CLAUSES };
        let of_classification = of_inputs + usize::from(entry["unlabelled"] == true);
        let clauses = |interface: &Value| if interface == "regression" { OF_REGRESSION } else { of_classification };
        let asked: usize = entry["interfaces"].as_array().unwrap().iter().map(clauses).sum();
        let stdout = done(["check", agent]);
        assert_eq!(stdout.lines().filter(|line| line.starts_with("ok  ")).count(), asked, "{stdout}");
        assert!(stdout.contains(&format!("keeps all {asked} clauses")), "{stdout}");
    }
}

#[test]
pub(crate) fn batch_dependent() {
    assert_eq!(broken("batch-dependent"), ["images", "rows-alone", "rows-batch"]);
}

#[test]
pub(crate) fn draw_dependent() {
    assert_eq!(broken("draw-dependent"), ["images", "draws-alone", "draws-order", "draws-again"]);
}

#[test]
pub(crate) fn forgetful() {
    let clauses = broken("forgetful");
    let draws = ["draws-alone", "draws-order", "draws-again", "canonical-draws"];
    assert_eq!(
        clauses,
        ["images", "rows-alone", "rows-order", "rows-batch"].into_iter().chain(draws).collect::<Vec<_>>()
    );
}

#[test]
pub(crate) fn other_than_its_parts() {
    assert_eq!(broken("other-than-its-parts"), ["parts"]);
}

#[test]
pub(crate) fn lying_canonical() {
    assert_eq!(broken("lying-canonical"), ["images", "canonical-draws"]);
}

#[test]
pub(crate) fn restless_canonical() {
    assert_eq!(broken("restless-canonical"), ["images", "canonical-draws"]);
}

#[test]
pub(crate) fn ignores_settings() {
    assert_eq!(broken("ignores-settings"), ["unknown-setting"]);
}

#[test]
pub(crate) fn ignores_seed() {
    assert_eq!(broken("ignores-seed"), ["other-seed"]);
}

#[test]
pub(crate) fn hides_its_seed() {
    assert_eq!(broken("hides-its-seed"), ["other-seed"]);
}

#[test]
pub(crate) fn refuses_its_suggestions() {
    assert_eq!(broken("refuses-its-suggestions"), ["suggestions"]);
    let stdout = joined(&run(["check", &argument("refuses-its-suggestions")]).stdout);
    let reason = "the sweep size suggests size=0, refused: size=0: expected a whole number of at least 1";
    assert!(stdout.contains(reason), "{stdout}");
}

#[test]
pub(crate) fn misstated_default() {
    assert_eq!(broken("misstated-default"), ["stated-defaults"]);
}

#[test]
pub(crate) fn needs_something() {
    assert_eq!(broken("needs-something"), ["three-classes", "no-data", "zero-rows", "zero-draws"]);
}

#[test]
fn rows_that_are_no_distribution_break_the_first_clause() {
    assert!(broken("nan-probs").contains(&"probabilities".to_owned()));
}
