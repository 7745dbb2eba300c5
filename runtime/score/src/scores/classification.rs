//! The accuracy of the environments of a run, which no agent can expect to exceed.

use std::collections::HashMap;

use jointly_classification::{BestAccuracy, Classification, Problem};
use jointly_record::plan::Plan;

/// The most rows at which environments are asked for their own accuracy; that of larger plans stays unknown.
const MOST_ROWS: u64 = 1 << 21;

/// The environments' own accuracy by problem, where it is known.
#[derive(Default)]
pub struct BestAccuracies(HashMap<String, BestAccuracy>);

impl BestAccuracies {
    /// Samples the environments of a plan again, if its problems are sampled.
    pub fn of(plan: &Plan) -> Self {
        let Some(evaluation) = plan.options::<Classification>() else { return Self::default() };
        let problems = jointly_classification::suite(&plan.suite).map(|suite| suite.problems).unwrap_or_default();
        let planned = |problem: &Problem| plan.problems.iter().any(|planned| planned.problem == problem.name);
        let problems: Vec<Problem> = problems.into_iter().filter(planned).collect();
        if problems.iter().filter_map(|problem| problem.accuracy_rows(evaluation)).sum::<u64>() > MOST_ROWS {
            return Self::default();
        }
        let overrides = plan.problem_overrides;
        let best = |problem: Problem| {
            let problem = problem.overridden(overrides.anchors, overrides.initialization);
            problem.fits(evaluation).ok()?;
            Some((problem.name.clone(), problem.best_accuracy(plan.seed, evaluation)?))
        };
        Self(problems.into_iter().filter_map(best).collect())
    }

    /// Returns the environment's accuracy on the problem of that name, if it is known.
    pub fn get(&self, problem: &str) -> Option<&BestAccuracy> {
        self.0.get(problem)
    }
}
