//! The page of a run of regression.

use std::collections::HashSet;

use jointly_core::Units;
use jointly_record::plan::Plan;
use jointly_record::suites;
use jointly_regression::problem::PoolData;
use jointly_regression::{Regression, RegressionSource};
use jointly_score::leaderboard::Leaderboard;
use serde_json::Value;

use crate::choices::Choices;
use crate::figure::{Figure, cells};
use crate::kind_page::KindPage;
use crate::view::View;

/// The page of a run of regression.
pub(crate) struct RegressionPage;

impl KindPage for RegressionPage {
    fn figures(&self, view: &View, choices: &Choices) -> Vec<Figure> {
        let active = choices.active.iter().map(|scores| View::new(scores, &Leaderboard::new(scores), None));
        super::figures(view, &active.collect::<Vec<_>>(), choices.level)
    }

    fn facts(&self, plan: &Plan) -> Vec<Vec<String>> {
        facts(plan)
    }

    fn errors(&self, _: Units) -> Option<&'static str> {
        Some(
            "One standard error over problems, each a training of its own however many test points it has: over \
             simulations of a process, or over datasets where problems share one. That of Brier scores is the jackknife's \
             over simulations. With a single problem, or dataset, there is none.",
        )
    }

    fn tells_variants_apart(&self) -> bool {
        true
    }

    /// Returns true for log densities, which may have either sign.
    fn is_signed(&self, score: &str) -> bool {
        score.contains("nll") || score == "xll"
    }

    fn always_compares(&self) -> bool {
        false
    }
}

/// Options that only some kinds of problems use; other options are shown for every run.
const OF_SOME: [&str; 14] = [
    "noise",
    "residuals",
    "agent_units",
    "pool",
    "test",
    "standardize_synthetic",
    "batch",
    "random_batches",
    "belief_rows",
    "exact_rows",
    "rounds",
    "query_share",
    "train_share",
    "test_share",
];

/// Returns every option that the problems use, by its name in plan.json.
fn facts(plan: &Plan) -> Vec<Vec<String>> {
    let heeded = heeded(plan);
    let options = plan.options::<Regression>().and_then(|options| serde_json::to_value(options).ok());
    let options = options.unwrap_or_default();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    };
    let named = options.as_object().into_iter().flatten().filter(|(name, _)| {
        let name = name.as_str();
        !OF_SOME.contains(&name) || heeded.contains(&name)
    });
    let mut facts: Vec<Vec<String>> = named.map(|(name, value)| cells([name, &text(value)])).collect();
    if let Some(predictor) = plan.predictor() {
        facts.push(cells(["predictions by", &predictor.label]));
    }
    facts
}

/// Returns the options of [`OF_SOME`] that any of the plan's problems uses.
fn heeded(plan: &Plan) -> Vec<&'static str> {
    const SYNTHETIC: [&str; 3] = ["pool", "test", "standardize_synthetic"];
    const TABLE: [&str; 2] = ["train_share", "test_share"];
    let of_pool = |data: &PoolData| -> &'static [&'static str] {
        match data {
            PoolData::Synthetic(_) => &SYNTHETIC,
            PoolData::Table(_) => &TABLE,
        }
    };
    let suite = suites::suite_of(plan);
    let planned: HashSet<&str> = plan.problems.iter().map(|planned| planned.problem.as_str()).collect();
    let mut heeded = Vec::new();
    for problem in
        suite.iter().flat_map(|suite| &suite.problems).filter(|problem| planned.contains(problem.name.as_str()))
    {
        let own: (&[&str], &[&str]) = match &problem.source {
            RegressionSource::Coverage(_) if problem.table().is_some() => (&["noise", "residuals", "agent_units"], &[]),
            RegressionSource::Coverage(_) => (&["noise", "agent_units"], &[]),
            RegressionSource::Split(_) => (&[], &[]),
            RegressionSource::Correlations(correlations) => {
                (&["batch", "random_batches", "belief_rows", "exact_rows"], of_pool(&correlations.data))
            }
            RegressionSource::Active(active) => (&["rounds", "query_share", "exact_rows"], of_pool(&active.data)),
        };
        for name in own.0.iter().chain(own.1) {
            if !heeded.contains(name) {
                heeded.push(name);
            }
        }
    }
    heeded
}

#[cfg(test)]
mod tests {
    use super::{OF_SOME, facts, heeded};
    use jointly_record::invented::regression::{compared_run, correlated, covering, covering_run};
    use jointly_regression::Regression;

    #[test]
    fn options_that_no_problem_heeds_are_left_out() {
        let agents = [("gp", correlated(0.5))];
        let options = |suite: &str, data: &str| heeded(&compared_run(suite, &[data], 1, &agents).run.plan).join(" ");
        assert_eq!(
            options("quick/correlations", "boston"),
            "batch random_batches belief_rows exact_rows train_share test_share"
        );
        let gap = covering_run("coverage/gap", 1, &[("gp", covering(&[0.5]))]);
        assert_eq!(heeded(&gap.plan), ["noise", "agent_units"]);
        // Options have their names in plan.json.
        let named: Vec<String> = facts(&gap.plan).into_iter().map(|fact| fact[0].clone()).collect();
        assert!(["noise", "levels"].iter().all(|name| named.iter().any(|own| own == name)), "{named:?}");
        assert!(!OF_SOME.iter().any(|name| *name != "noise" && named.iter().any(|own| own == name)), "{named:?}");
        let named = serde_json::to_value(gap.plan.options::<Regression>().unwrap()).unwrap();
        // The units of agents are in a plan only where they are not those of the problem.
        assert!(OF_SOME.iter().all(|name| *name == "agent_units" || named.get(name).is_some()), "{named}");
    }
}
