//! What was run, and the commands that run it again.

use crate::drawing::Markup;
use crate::plan::{Plan, PlannedAgent};
use crate::problems::IMPORTED;
use crate::report::figure::{cells, counted, table_of};
use jointly_core::Partitioning;
use jointly_host::Limits;

/// Suite, seed, versions and digests, and how to redo and to verify them.
pub(crate) fn markup(plan: &Plan, directory: &str) -> Markup {
    let evaluation = &plan.evaluation;
    let taus: Vec<String> = evaluation.taus.iter().map(ToString::to_string).collect();
    let mut facts = vec![
        cells(["what", "value"]),
        cells(["suite", &plan.suite]),
        cells(["problems", &plan.problems.len().to_string()]),
        cells(["agents", &plan.agents.len().to_string()]),
        cells(["seed", &plan.seed.to_string()]),
    ];
    if !taus.is_empty() {
        facts.push(cells(["tau", &taus.join(", ")]));
        facts.push(cells(["test tau-samples N", &evaluation.samples.to_string()]));
    }
    let clip = if evaluation.clip { "with clipped probits" } else { "exactly as in the paper" };
    let cells_of = match evaluation.partition {
        Partitioning::Planes => format!("{} random hyperplanes", evaluation.planes),
        Partitioning::KMeans => format!("at most 2^{} clusters by k-means", evaluation.planes),
    };
    facts.extend([
        cells(["draws M", &evaluation.draws.to_string()]),
        cells([
            "estimator".to_owned(),
            format!("Monte Carlo up to tau {}, above it {cells_of}, {clip}", evaluation.partition_above),
        ]),
        cells(["limits", &format!("fuel {}, memory {} MiB", plan.limits.fuel, plan.limits.memory >> 20)]),
        cells(["version", &format!("jointly {}, {}, {}", plan.version, plan.interface, plan.engine)]),
    ]);
    let options = plan.options();
    if !options.is_empty() {
        facts.push(cells(["chosen otherwise than the suite", &options.join(" ")]));
    }
    let mut agents = vec![cells(["agent", "settings", "digest"])];
    agents.extend(plan.agents.iter().map(|agent| {
        let settings = agent.settings.label("");
        let settings = settings.strip_prefix(':').unwrap_or("all at their defaults");
        cells([agent.agent.as_str(), settings, &agent.digest])
    }));
    let mut markup = Markup::new();
    markup.push(&table_of(&facts, 2));
    markup.element("p", &[], "To run it again, and to check every number of it:");
    markup.element("pre", &[], &format!("{}\njointly verify {}", run_command(plan, directory), quoted(directory)));
    markup.open("details", &[]);
    markup.element("summary", &[], &format!("{} and their digests", counted(plan.agents.len(), "agent")));
    markup.push(&table_of(&agents, 3));
    markup.close("details");
    markup
}

/// The `jointly run` that makes such a plan, into another directory.
fn run_command(plan: &Plan, directory: &str) -> String {
    let mut words = vec!["jointly run".to_owned()];
    words.extend(plan.agents.iter().map(|agent| quoted(&agent.settings.label(&source(agent, directory)))));
    let names: Vec<&str> = plan.problems.iter().map(|problem| problem.problem.as_str()).collect();
    if plan.suite == IMPORTED {
        let file = |name: &&str| format!("{}.npz", name.strip_prefix("imported/").unwrap_or(name));
        words.extend(names.iter().flat_map(|name| ["--problem".to_owned(), quoted(&file(name))]));
    } else {
        words.extend(["--suite".to_owned(), quoted(&plan.suite)]);
        let all = jointly_core::suite(&plan.suite).map(|suite| suite.problems.len());
        if all != Some(names.len()) {
            words.extend(["--problems".to_owned(), quoted(&format!("{{{}}}", names.join(",")))]);
        }
    }
    words.extend(plan.options());
    words.push(format!("--seed {}", plan.seed));
    let usual = Limits::default();
    if plan.limits.fuel != usual.fuel {
        words.push(format!("--fuel {}", plan.limits.fuel));
    }
    if plan.limits.memory != usual.memory {
        words.push(format!("--memory {}", plan.limits.memory >> 20));
    }
    words.extend(["--out".to_owned(), quoted(&format!("{directory}-again"))]);
    words.join(" ")
}

/// The bundled agent of these bytes, else the run's own copy.
fn source(agent: &PlannedAgent, directory: &str) -> String {
    let bundled = jointly_bundle::find(&agent.agent);
    if bundled.is_some_and(|bundled| jointly_core::digest(bundled.component) == agent.digest) {
        return agent.agent.clone();
    }
    format!("{directory}/agents/{}.wasm", agent.digest.replace(':', "-"))
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("ensemble+:size=10"), "ensemble+:size=10");
        assert_eq!(quoted("{a,b}"), "'{a,b}'");
        assert_eq!(quoted("it's $(rm)"), "'it'\\''s $(rm)'");
    }
}
