//! Shows the plan of the run and the commands that run it again.

use std::iter;

use jointly_core::limits::{Limits, USUAL_TIMEOUT};
use jointly_record::plan::{Plan, PlannedAgent};
use jointly_record::shell::quoted;
use jointly_record::suites::IMPORTED;
use jointly_record::{pattern, reference, suites};

use crate::drawing::Markup;
use crate::figure::{cells, counted, table_of};
use crate::kinds::page_of;

/// Another run that a page is drawn from: the option that gives it, its directory's name, and its plan.
pub type Other<'a> = (&'a str, String, &'a Plan);

/// Returns whether an agent, by its name and bytes, comes with the command.
pub type Bundled<'b> = &'b dyn Fn(&PlannedAgent) -> bool;

/// Shows suite, seed, versions and digests, and how to repeat and verify them.
pub(crate) fn markup(plan: &Plan, directory: &str, others: &[Other], given: &[String], bundled: Bundled) -> Markup {
    let facts = facts(plan);
    let mut agents = vec![cells(["agent", "settings", "tier", "digest"])];
    agents.extend(plan.agents.iter().map(|agent| {
        let settings = agent.settings.label("");
        let settings = settings.strip_prefix(':').unwrap_or("all at their defaults");
        cells([agent.agent.as_str(), settings, plan.tier(agent), &agent.digest])
    }));
    let mut markup = Markup::new();
    markup.push(&table_of(&facts, 2));
    markup.element("p", &[], "To run it again, and to check every number of it:");
    markup.element("pre", &[], &commands(plan, directory, others, given, bundled));
    markup.open("details", &[]);
    markup.element("summary", &[], &format!("{} and their digests", counted(plan.agents.len(), "agent")));
    markup.push(&table_of(&agents, 4));
    markup.close("details");
    markup
}

/// Returns what was asked, as rows of a table.
pub(crate) fn facts(plan: &Plan) -> Vec<Vec<String>> {
    let mut facts = vec![
        cells(["what", "value"]),
        cells(["suite", &plan.suite]),
        cells(["problems", &plan.problems.len().to_string()]),
        cells(["agents", &plan.agents.len().to_string()]),
        cells(["seed", &plan.seed.to_string()]),
    ];
    facts.extend(page_of(plan).facts(plan));
    facts.extend([
        cells(["limits", &format!("fuel {}, memory {} MiB", plan.limits.fuel, plan.limits.memory >> 20)]),
        cells(["version", &format!("jointly {}, {}, {}", plan.version, plan.interface, plan.engine)]),
    ]);
    let options = plan.override_options();
    if !options.is_empty() {
        facts.push(cells(["chosen otherwise than the suite", &options.join(" ")]));
    }
    facts
}

/// Returns the commands that make and check the runs of the page, and the command that makes the page if it needs more
/// than the directory.
fn commands(plan: &Plan, directory: &str, others: &[Other], given: &[String], bundled: Bundled) -> String {
    let mut lines = Vec::new();
    for (plan, directory) in iter::once((plan, directory)).chain(others.iter().map(|(_, name, plan)| (*plan, &**name)))
    {
        lines.push(run_command(plan, directory, bundled));
        let words = ["jointly verify".to_owned(), quoted(directory)].into_iter().chain(images_of(plan));
        lines.push(words.collect::<Vec<_>>().join(" "));
    }
    let options = others.iter().flat_map(|(option, name, _)| [*option, name.as_str()]);
    let options: Vec<String> = options.chain(given.iter().map(String::as_str)).map(quoted).collect();
    if !options.is_empty() {
        lines.push(format!("jointly report {} --format html {}", quoted(directory), options.join(" ")));
    }
    lines.join("\n")
}

/// Returns a placeholder option for the folder of user-supplied images, whose name is not in the plan.
pub(crate) fn images_of(plan: &Plan) -> Option<String> {
    plan.images.map(|_| "--images DIR".to_owned())
}

/// Returns the `jointly run` command that makes such a plan, into another directory.
pub(crate) fn run_command(plan: &Plan, directory: &str, bundled: Bundled) -> String {
    let mut words = vec!["jointly run".to_owned()];
    words.extend(plan.agents.iter().map(|agent| quoted(&agent.settings.spec(&source(agent, directory, bundled)))));
    let names: Vec<&str> = plan.problems.iter().map(|problem| problem.problem.as_str()).collect();
    if plan.suite == IMPORTED {
        let file = |name: &&str| format!("{}.npz", name.strip_prefix("imported/").unwrap_or(name));
        words.extend(names.iter().flat_map(|name| ["--problem".to_owned(), quoted(&file(name))]));
    } else {
        words.extend(["--suite".to_owned(), quoted(&plan.suite)]);
        let all = suites::problems_of(plan);
        if all.len() != names.len() {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            words.extend(["--problems".to_owned(), quoted(&pattern::selecting(&all, &names))]);
        }
    }
    words.extend(images_of(plan));
    words.push(format!("--seed {}", plan.seed));
    words.extend(plan.override_options());
    if let Some(predictor) = plan.predictor() {
        words
            .extend(["--predict".to_owned(), quoted(&predictor.settings.spec(&source(predictor, directory, bundled)))]);
    }
    if plan.limits.fuel != plan.kind().fuel {
        words.push(format!("--fuel {}", plan.limits.fuel));
    }
    if plan.limits.timeout != USUAL_TIMEOUT {
        words.push(format!("--request-timeout {}", plan.limits.timeout));
    }
    if plan.limits.memory != Limits::default().memory {
        words.push(format!("--memory {}", plan.limits.memory >> 20));
    }
    words.extend(["--out".to_owned(), quoted(&format!("{directory}-again"))]);
    words.join(" ")
}

/// Returns the reference's name, the name of the bundled agent with these bytes, or else the path of the run's own
/// copy.
fn source(agent: &PlannedAgent, directory: &str, bundled: Bundled) -> String {
    if agent.is_reference() {
        return reference::NAME.to_owned();
    }
    if agent.reported.is_some() {
        // The plan says how its agent was reached, and may be a stranger's: nobody should paste that command.
        return "exec:COMMAND".to_owned();
    }
    if bundled(agent) {
        return agent.agent.clone();
    }
    format!("{directory}/agents/{}.wasm", agent.digest.replace(':', "-"))
}

#[cfg(test)]
mod tests {
    use super::{markup, run_command};
    use jointly_core::Partitioning;
    use jointly_record::invented::InventedRun;
    use jointly_record::invented::regression::{covering, covering_run};
    use jointly_record::plan::Terms;
    use jointly_regression::Noise;

    #[test]
    fn the_command_says_what_the_suite_does_not() {
        let names = ["quick/t10/temp0.1/seed0"];
        let mut plan = InventedRun::scored("quick", &names, &[("mlp:steps=5", &[1.0]), ("oracle", &[1.0])]).plan;
        plan.agents[1].digest = jointly_record::reference::digest();
        let agent = format!("run/agents/{}.wasm:steps=5", plan.agents[0].digest.replace(':', "-"));
        let fixed = format!("jointly run {agent} oracle --suite quick --problems {} --seed 0", names[0]);
        assert_eq!(run_command(&plan, "run", &|_| false), format!("{fixed} --out run-again"));
        let Terms::Evaluation(evaluation) = &mut plan.terms else { panic!("classification") };
        (evaluation.draws, evaluation.partition) = (40, Partitioning::KMeans);
        plan.limits.fuel = 7;
        assert_eq!(
            run_command(&plan, "run", &|_| false),
            format!("{fixed} --draws 40 --partition k-means --fuel 7 --out run-again")
        );
    }

    #[test]
    fn a_page_of_several_runs_says_how_each_is_made() {
        let run = |suite: &str| covering_run(suite, 2, &[("gp", covering(&[0.9]))]).plan;
        let (mine, other) = (run("coverage/line"), run("coverage/gap"));
        let given = ["--level", "80", "--pair", "gp", "hmc:chains=2"].map(str::to_owned);
        let text =
            markup(&mine, "mine", &[("--active", "lessons".to_owned(), &other)], &given, &|_| false).into_string();
        for line in [
            "--suite coverage/gap",
            "jointly verify lessons",
            "jointly report mine --format html --active lessons --level 80 --pair gp hmc:chains=2",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }

    #[test]
    fn a_run_of_regression_says_what_is_not_the_suites() {
        let mut run = covering_run("coverage/gap", 1, &[("gp", covering(&[0.5]))]);
        let Terms::Regression(terms) = &mut run.plan.terms else { panic!("regression") };
        (terms.options.draws, terms.options.noise) = (7, Noise::StudentT);
        terms.predictor = Some(run.plan.agents[0].clone());
        let command = run_command(&run.plan, "run", &|_| false);
        assert!(
            command.contains(" --suite coverage/gap --problems coverage/gap/sim0 --seed 0 --draws 7 --noise student-t"),
            "{command}"
        );
        assert!(command.contains(" --predict run/agents/"), "{command}");
    }
}
