//! Runs of active learning that a page compares with its own run, and with one another.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use jointly_core::printable::ShowPath as _;
use jointly_record::directory::RunDirectory;
use jointly_record::plan::Plan;
use jointly_record::unit::UnitResult;
use jointly_regression::{RegressionProblem, RegressionSource, regression_suite};

/// Reads the plans and results of the runs that `--active` adds to the page of a run.
pub(super) fn runs(own: &Path, plan: &Plan, paths: &[PathBuf]) -> Result<Vec<(Plan, Vec<UnitResult>)>> {
    let learns = is_of(plan, RegressionProblem::asks_predictor);
    let mut runs: Vec<(Plan, Vec<UnitResult>)> = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        let directory = RunDirectory::existing(path)?;
        let active = directory.plan()?;
        let (owner, shown) = (own.shown(), path.shown());
        if !learns && !is_of(plan, |problem| matches!(problem.source, RegressionSource::Correlations(_))) {
            bail!(
                "--active compares with a run of correlations or of active learning, and {owner} is one of {}",
                plan.suite
            );
        }
        if !is_of(&active, RegressionProblem::asks_predictor) {
            bail!(
                "--active {shown}: that is a run of {}, which is not active learning; run the same agents with --suite \
                 correlations/active-synthetic, correlations/active or quick/active, and give that run",
                active.suite
            );
        }
        if !plan.agents.iter().any(|mine| active.agents.iter().any(|theirs| mine.is_same(theirs))) {
            bail!("{shown} has no agent with the bytes and settings of one in {owner}; run the same agents on both");
        }
        let before = paths[..number].iter().map(PathBuf::as_path).zip(runs.iter().map(|(plan, _)| plan));
        let earlier: Vec<(&Path, &Plan)> = learns.then_some((own, plan)).into_iter().chain(before).collect();
        fits((path, &active), &earlier)?;
        runs.push((active, super::results(&directory)?));
    }
    Ok(runs)
}

/// Checks that a run differs from earlier ones of active learning in the predictor, and in nothing else that affects
/// the comparison of selections.
fn fits((path, plan): (&Path, &Plan), earlier: &[(&Path, &Plan)]) -> Result<()> {
    let Some((first, theirs)) = earlier.first() else { return Ok(()) };
    let (shown, first) = (path.shown(), first.shown());
    if let Some(difference) = plan.other_lessons(theirs) {
        bail!(
            "--active {shown}: it asked another question than {first}: {difference}; only runs that differ in --predict alone \
             tell who selects well, so repeat it with the suite, seed, options and data of {first}"
        );
    }
    for (other, theirs) in earlier {
        let same = match (plan.predictor(), theirs.predictor()) {
            (None, None) => Some("the agent that selects"),
            (Some(mine), Some(theirs)) if mine.label == theirs.label => Some(mine.label.as_str()),
            _ => None,
        };
        if let Some(label) = same {
            bail!(
                "--active {shown}: {label} predicts there, as in {}; give one run for each agent that predicts, made by \
                 `jointly run` with another --predict AGENT",
                other.shown()
            );
        }
    }
    let shared = plan
        .agents
        .iter()
        .filter(|mine| earlier.iter().all(|(_, plan)| plan.agents.iter().any(|theirs| mine.is_same(theirs))));
    if shared.count() < 2 {
        bail!(
            "--active {shown}: fewer than two agents select there and in all other runs of active learning, and one has no \
             rank; run the same agents, to the byte, with each --predict AGENT"
        );
    }
    let known =
        |name: &str| earlier.iter().all(|(_, plan)| plan.problems.iter().any(|planned| planned.problem == name));
    if !plan.problems.iter().any(|planned| known(&planned.problem)) {
        bail!(
            "--active {shown}: it has no problem in common with {first} and the other runs of active learning; run the same \
             --problems with each --predict AGENT"
        );
    }
    Ok(())
}

/// Returns whether a plan's suite has problems of regression that satisfy `kind`.
fn is_of(plan: &Plan, kind: impl Fn(&RegressionProblem) -> bool) -> bool {
    regression_suite(&plan.suite).is_some_and(|suite| suite.problems.iter().any(kind))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jointly_record::invented::regression::{learning, learning_run};
    use jointly_record::plan::{Plan, Terms};

    use super::fits;

    /// Returns a plan of agents that select for a predictor, or for themselves.
    fn plan(agents: &[&str], predictor: Option<&str>) -> Plan {
        let agents: Vec<_> = agents.iter().map(|name| (*name, learning(&[1.0]))).collect();
        let mut plan = learning_run(&agents, 2).plan;
        let named = plan.agents.iter().find(|agent| Some(agent.agent.as_str()) == predictor).cloned();
        let Terms::Regression(terms) = &mut plan.terms else { panic!("regression") };
        terms.predictor = named;
        plan
    }

    fn refusal(own: &Plan, earlier: &[&Plan]) -> String {
        let earlier: Vec<(&Path, &Plan)> =
            ["first", "second"].iter().map(Path::new).zip(earlier.iter().copied()).collect();
        fits((Path::new("third"), own), &earlier).map_or_else(|error| error.to_string(), |()| "none".into())
    }

    #[test]
    fn runs_differ_in_who_predicts() {
        let (own, gp, hmc) =
            (plan(&["gp", "hmc"], None), plan(&["hmc", "gp"], Some("gp")), plan(&["gp", "hmc"], Some("hmc")));
        assert_eq!(refusal(&own, &[]), "none");
        assert_eq!(refusal(&own, &[&gp, &hmc]), "none");
        assert_eq!(refusal(&gp, &[&own, &hmc]), "none");
        assert!(refusal(&gp, &[&own, &gp]).contains("third: gp predicts there, as in second; give one run for each"));
        assert!(refusal(&own, &[&own]).contains("the agent that selects predicts there, as in first"));
    }

    #[test]
    fn and_in_nothing_else() {
        let own = plan(&["gp", "hmc"], None);
        let other = |change: fn(&mut Plan)| {
            let mut other = plan(&["gp", "hmc"], Some("gp"));
            change(&mut other);
            refusal(&other, &[&own])
        };
        assert!(other(|plan| plan.seed = 7.into()).contains("another question than first: seed 7, not 0;"));
        let digest = |plan: &mut Plan| plan.problems[1].digest = Some("sha256:0".into());
        assert!(other(digest).contains("other data of quick/active/boston/seed0/random"));
        let rounds = |plan: &mut Plan| {
            let Terms::Regression(terms) = &mut plan.terms else { panic!("regression") };
            terms.options.rounds = 9;
        };
        assert!(other(rounds).contains("rounds 9, not"));
        assert!(other(|plan| plan.problems.clear()).contains("no problem in common with first"));
        // Fuel limits may differ, because another predictor may need more.
        assert_eq!(other(|plan| plan.limits.fuel += 1), "none");
        // Other bytes make another agent.
        assert!(other(|plan| plan.agents[1].digest.push('0')).contains("fewer than two agents select there"));
        assert!(refusal(&plan(&["gp", "nng"], Some("gp")), &[&own]).contains("fewer than two agents"));
    }
}
