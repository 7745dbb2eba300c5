//! Command lines of runs: the one that a plan follows from, and this command's own words with some left out.

use std::ffi::OsString;

use jointly_host::Limits;

use crate::plan::{Plan, PlannedAgent};
use crate::problems::{self, IMPORTED};
use crate::request::usual_fuel;
use crate::shell::quoted;

/// The `jointly run` that makes such a plan, wherever its results go, as far as the plan tells: real data are where they are.
/// Agents that are not bundled are named by the copies in the directory.
pub(crate) fn of_plan(plan: &Plan, directory: &str) -> String {
    let mut words = vec!["jointly run".to_owned()];
    words.extend(plan.agents.iter().map(|agent| quoted(&agent.settings.label(&source(agent, directory)))));
    let names: Vec<&str> = plan.problems.iter().map(|problem| problem.problem.as_str()).collect();
    if plan.suite == IMPORTED {
        let file = |name: &&str| format!("{}.npz", name.strip_prefix("imported/").unwrap_or(name));
        words.extend(names.iter().flat_map(|name| ["--problem".to_owned(), quoted(&file(name))]));
    } else {
        words.extend(["--suite".to_owned(), quoted(&plan.suite)]);
        let all = problems::size_of(plan);
        if all != Some(names.len()) {
            words.extend(["--problems".to_owned(), quoted(&format!("{{{}}}", names.join(",")))]);
        }
    }
    words.extend(images_of(plan));
    words.push(format!("--seed {}", plan.seed));
    words.extend(plan.options());
    if let Some(predictor) = plan.predictor() {
        words.extend(["--predict".to_owned(), quoted(&predictor.settings.label(&source(predictor, directory)))]);
    }
    let usual = Limits::default();
    if plan.limits.fuel != usual_fuel(plan.interface_of_agents()) {
        words.push(format!("--fuel {}", plan.limits.fuel));
    }
    if plan.limits.memory != usual.memory {
        words.push(format!("--memory {}", plan.limits.memory >> 20));
    }
    words.join(" ")
}

/// The folder of a person's own images, whose name no plan has.
pub(crate) fn images_of(plan: &Plan) -> Option<String> {
    plan.images.map(|_| "--images DIR".to_owned())
}

/// What has no bytes by its name, the bundled agent of these bytes, else the run's own copy.
fn source(agent: &PlannedAgent, directory: &str) -> String {
    if agent.is_reference() {
        return agent.agent.clone();
    }
    let bundled = jointly_bundle::find(&agent.agent);
    if bundled.is_some_and(|bundled| jointly_core::digest(bundled.component) == agent.digest) {
        return agent.agent.clone();
    }
    format!("{directory}/agents/{}.wasm", agent.digest.replace(':', "-"))
}

/// Words of a command line without these options and their values, for a shell. None where one is not UTF-8.
pub(crate) fn without(words: impl Iterator<Item = OsString>, options: &[&str]) -> Option<Vec<String>> {
    let (mut kept, mut value, mut named) = (Vec::new(), false, true);
    for word in words {
        let word = word.into_string().ok()?;
        if std::mem::take(&mut value) {
            continue;
        }
        // After two dashes there are no options.
        named &= word != "--";
        if named && options.contains(&word.as_str()) {
            value = true;
        } else if !named
            || !options.iter().any(|option| word.strip_prefix(option).is_some_and(|it| it.starts_with('=')))
        {
            kept.push(quoted(&word));
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn options_go_with_their_values_and_the_rest_stays() {
        let words =
            ["mlp", "--nodes", "4", "--problems", "*/t10/*", "--nodes=5", "--nodes-of-mine", "--", "--nodes", "a b"];
        let kept = without(words.into_iter().map(Into::into), &["--nodes"]).unwrap();
        assert_eq!(kept, ["mlp", "--problems", "'*/t10/*'", "--nodes-of-mine", "--", "--nodes", "'a b'"]);
    }
}
