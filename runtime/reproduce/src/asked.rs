//! Whether a run is the one that a manifest asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use jointly_core::counted::{counted, listed};
use jointly_core::printable::ShowPath as _;
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem};
use jointly_record::shell::quoted;
use jointly_record::{pattern, suites};

use crate::kept::{Choices, KeptRun};
use crate::labels::{chosen_key, in_order, is_bundled, is_variant, parts};
use crate::manifest::Run;
use crate::values::Values;

/// Options that decide on problems and agents, which are compared themselves.
const OF_PROBLEMS_AND_AGENTS: [&str; 6] = ["--suite", "--seed", "--problems", "--only", "--joint", "--tune"];
/// Options that decide whether an agent finishes, and change no score of one that does.
const OF_LIMITS: [&str; 4] = ["--fuel", "--memory", "--request-timeout", "--engine"];
/// The most names in a message.
const MOST_NAMES: usize = 8;
/// The option that names the agent that predicts.
const PREDICT: &str = "--predict";

/// Reads a run from a folder, or returns `None` if the folder has no scores of that name.
///
/// # Errors
/// When it cannot be read, is another than the manifest's, or an agent failed in it.
pub fn find(run: &Run, folder: &Path) -> Result<Option<KeptRun>> {
    let Some(kept) = KeptRun::read(folder, &run.name)? else { return Ok(None) };
    check(run, &kept.plan).with_context(|| is_another(run, folder))?;
    ensure!(kept.failed() == 0, "{}: an agent failed on some problem: no number can be compared", run.name);
    Ok(Some(kept))
}

/// Says that a folder has another run of that name.
pub(crate) fn is_another(run: &Run, folder: &Path) -> String {
    format!("{} in {} is another run than the manifest's", run.name, folder.shown())
}

/// Checks the suite, seed, problems, agents and options of a run's plan against the arguments of the manifest.
///
/// # Errors
/// When they differ; the message says how.
pub(crate) fn check(run: &Run, plan: &Plan) -> Result<()> {
    let (suite, seed) = (plan.suite.as_str(), plan.seed.to_string());
    let asked = (run.option("--suite").unwrap_or(suite), run.option("--seed").unwrap_or("0"));
    ensure!(
        asked == (suite, seed.as_str()),
        "it is of the suite {suite} and the seed {seed}, and not of {} and {}",
        asked.0,
        asked.1
    );
    let (asked, found) = (problems_of(plan, run.option("--problems"))?, plan.problems.len());
    ensure!(
        plan.problems.iter().map(|planned| &planned.problem).eq(&asked),
        "it has {found} problems, and not the {} that match",
        asked.len()
    );
    same("options", &asked_options(run), &own_options(plan))?;
    let own: BTreeSet<String> = plan.agents.iter().map(|agent| agent.label.clone()).collect();
    let asked: BTreeSet<String> = run.agents().map(in_order).collect();
    if !run.is_sweep() {
        // Without agents a suite runs its own.
        if asked.is_empty() {
            return Ok(());
        }
        return if run.agents().all(is_bundled) { same("agents", &asked, &own) } else { check_files(run, plan) };
    }
    // An agent of a file says its name itself.
    if !run.agents().all(is_bundled) {
        return Ok(());
    }
    // Which variants there are is known to the agents alone. Each has the settings that were given.
    let stray = own.iter().find(|label| !asked.iter().any(|given| is_variant(label, given)));
    ensure!(stray.is_none(), "it has {}, which is no variant of what is swept", stray.map_or("", String::as_str));
    let missing = asked.iter().find(|given| !own.iter().any(|label| is_variant(label, given)));
    ensure!(missing.is_none(), "it has no variant of {}", missing.map_or("", String::as_str));
    Ok(())
}

/// Checks the number of a run's agents, and all but those of files, which say their names themselves.
fn check_files(run: &Run, plan: &Plan) -> Result<()> {
    let (own, asked) = (plan.agents.len(), run.agents().count());
    ensure!(own == asked, "it has {}, and the manifest asks for {asked}", counted(own, "agent"));
    for label in run.agents().filter(|agent| is_bundled(agent)) {
        let (name, settings) = parts(label);
        let found = plan.agents.iter().any(|agent| agent.agent == name && agent.settings == settings);
        ensure!(found, "it has no agent {label}, for which the manifest asks");
    }
    Ok(())
}

/// Checks that a run's agents are those that a sweep chose: of each agent's variants the one with the lowest mean score, on
/// problems that the run does not report.
///
/// # Errors
/// When an agent is another, the sweep has no variants of it, or both runs have a problem.
pub(crate) fn check_chosen(kept: &KeptRun, sweep: &KeptRun, score: &str) -> Result<()> {
    check_held_out(kept, sweep)?;
    for agent in &kept.plan.agents {
        let best = best(sweep, &agent.agent, |variant| Ok(sweep.total(&variant.label, score)?.value))?;
        let chosen = best.iter().any(|variant| variant.settings == agent.settings);
        ensure!(chosen, "{} chose {} by {score}, and the run has {}", sweep.name, best[0].label, agent.label);
    }
    Ok(())
}

/// Returns the variants of an agent with the lowest number, at least one: several may have the same.
///
/// # Errors
/// When the sweep has no variant of the agent, a number is not to be had, or all are NaN.
fn best<'s>(
    sweep: &'s KeptRun,
    name: &str,
    number: impl Fn(&PlannedAgent) -> Result<f64>,
) -> Result<Vec<&'s PlannedAgent>> {
    let variants = sweep.plan.agents.iter().filter(|variant| variant.agent == name);
    let numbers = variants.map(|variant| Ok((number(variant)?, variant))).collect::<Result<Vec<_>>>()?;
    let least = numbers.iter().map(|(number, _)| *number).min_by(f64::total_cmp);
    let least = least.with_context(|| format!("{} has no variant of {name}", sweep.name))?;
    ensure!(!least.is_nan(), "no variant of {name} in {} has a number", sweep.name);
    Ok(numbers.into_iter().filter(|(number, _)| *number == least).map(|(_, variant)| variant).collect())
}

/// Returns the variant that a sweep chose for each agent of a run and each setting of the run's problems, as `jointly sweep --tune
/// per-setting` does: the one with the lowest mean score over the sweep's problems of that setting; of equal ones, the first that the
/// run has.
///
/// # Errors
/// When both runs have a problem, the sweep lacks a setting or an agent, a score is NaN, or the run lacks chosen variants.
pub(crate) fn chosen_for_each_setting(kept: &KeptRun, sweep: &KeptRun, score: &str) -> Result<Choices> {
    check_held_out(kept, sweep)?;
    let settings: BTreeSet<&str> = kept.plan.problems.iter().map(PlannedProblem::series).collect();
    let setting_of: BTreeMap<&str, &str> =
        sweep.plan.problems.iter().map(|planned| (planned.problem.as_str(), planned.series())).collect();
    for setting in &settings {
        ensure!(setting_of.values().any(|swept| swept == setting), "{} has no problem of {setting}", sweep.name);
    }
    let names: BTreeSet<&str> = kept.agents().map(|(name, _)| name).collect();
    let variants = sweep.agents().filter(|(name, _)| names.contains(name));
    let values = variants.map(|(_, label)| Ok((label, sweep.values(label, score, None)?)));
    let values: BTreeMap<&str, Values> = values.collect::<Result<_>>()?;
    // All variants have the same problems, so that sums order them as means do.
    let sum = |setting: &str, variant: &PlannedAgent| {
        let values = &values[variant.label.as_str()];
        let each = values.problems.iter().zip(&values.each);
        let own = each.filter(|(problem, _)| setting_of.get(problem.as_str()) == Some(&setting));
        let sum: f64 = own.map(|(_, value)| value).sum();
        ensure!(!sum.is_nan(), "{}: {score} of {} on {setting} is no number", sweep.name, variant.label);
        Ok(sum)
    };
    let (mut choices, mut missing) = (Choices::new(), BTreeSet::new());
    for name in names {
        let chosen = choices.entry(chosen_key(name)).or_default();
        for &setting in &settings {
            let best = best(sweep, name, |variant| sum(setting, variant))?;
            let own = best.iter().find_map(|variant| {
                kept.plan.agents.iter().find(|agent| agent.agent == name && agent.settings == variant.settings)
            });
            match own {
                Some(agent) => drop(chosen.insert(setting.to_owned(), agent.label.clone())),
                None => drop(missing.insert(best[0].label.as_str())),
            }
        }
    }
    let missing: Vec<&str> = missing.into_iter().collect();
    ensure!(
        missing.is_empty(),
        "the run lacks variants that {} chose by {score}: {}; add them",
        sweep.name,
        listed(&missing, missing.len())
    );
    Ok(choices)
}

/// Checks that a run reports no problem by which a sweep chose.
fn check_held_out(kept: &KeptRun, sweep: &KeptRun) -> Result<()> {
    let (own, chose) = (&kept.plan, &sweep.plan);
    if own.suite != chose.suite || own.seed != chose.seed {
        return Ok(());
    }
    held_out(names(&own.problems), names(&chose.problems), &sweep.name)
}

/// Checks that none of a run's problems is among those by which a sweep chose.
///
/// # Errors
/// When one is; the message names it.
pub(crate) fn held_out<'p>(
    own: impl IntoIterator<Item = &'p str>,
    chose: impl IntoIterator<Item = &'p str>,
    sweep: &str,
) -> Result<()> {
    let chose: BTreeSet<&str> = chose.into_iter().collect();
    let shared = own.into_iter().find(|problem| chose.contains(problem));
    ensure!(shared.is_none(), "{} is among the problems of {sweep} that chose", shared.unwrap_or_default());
    Ok(())
}

/// Checks that two runs, each given by its name, have the same problems.
///
/// # Errors
/// When one has a problem that the other lacks.
pub(crate) fn check_same_problems(
    (run, own): (&str, &BTreeSet<String>),
    (other, theirs): (&str, &BTreeSet<String>),
) -> Result<()> {
    match own.symmetric_difference(theirs).next() {
        None => Ok(()),
        Some(name) => {
            let (having, lacking) = if own.contains(name) { (run, other) } else { (other, run) };
            bail!("{having} has {name}, which {lacking} lacks: narrow `problems` until both have the same")
        }
    }
}

/// Says that ranks in two runs cannot be averaged.
pub(crate) fn other_agents(run: &str, other: &str) -> String {
    format!(
        "{run} and {other} have other agents, so that ranks among them are not of one kind: give runs of the same agents"
    )
}

fn names(problems: &[PlannedProblem]) -> impl Iterator<Item = &str> {
    problems.iter().map(|planned| planned.problem.as_str())
}

/// Returns the problems of a plan's suite that match a pattern, or all.
///
/// # Errors
/// When the pattern is none.
fn problems_of(plan: &Plan, pattern: Option<&str>) -> Result<Vec<String>> {
    let matcher = pattern::matcher(pattern.unwrap_or("*"))?;
    Ok(suites::problems_of(plan).into_iter().filter(|name| matcher.is_match(name)).collect())
}

/// Returns the options of the manifest that change the evaluation or the problems of a suite.
fn asked_options(run: &Run) -> BTreeSet<String> {
    let of_others = |option: &String| {
        let name = option.split(' ').next().unwrap_or_default();
        !OF_PROBLEMS_AND_AGENTS.contains(&name) && !OF_LIMITS.contains(&name)
    };
    let options = run.options().into_iter().filter(of_others);
    options.map(|option| option.strip_prefix(PREDICT).map_or(option.clone(), predicts)).collect()
}

/// Returns the options that made the run's plan.
fn own_options(plan: &Plan) -> BTreeSet<String> {
    let predictor = plan.predictor().map(|agent| predicts(&agent.label));
    // An entry may have several options.
    let options = plan.override_options().join(" ").replace(" --", "\n--");
    options.lines().map(requoted).chain(predictor).collect()
}

/// Quotes the value of an option as those of manifests are: only if a shell needs it.
fn requoted(option: &str) -> String {
    match option.split_once(" '") {
        Some((name, value)) => format!("{name} {}", quoted(value.trim_end_matches('\''))),
        None => option.to_owned(),
    }
}

fn predicts(agent: &str) -> String {
    format!("{PREDICT} {}", in_order(agent.trim()))
}

/// Ensures that two sets are equal, and names what only one has.
fn same(what: &str, asked: &BTreeSet<String>, own: &BTreeSet<String>) -> Result<()> {
    let without = |some: &BTreeSet<String>, others: &BTreeSet<String>| {
        let only: Vec<&String> = some.difference(others).collect();
        if only.is_empty() { "nothing more".to_owned() } else { listed(&only, MOST_NAMES) }
    };
    ensure!(
        asked == own,
        "its {what} differ: the run has {}, and the manifest asks for {}",
        without(own, asked),
        without(asked, own)
    );
    Ok(())
}
