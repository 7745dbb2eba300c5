//! Invented runs of decisions for tests.

use jointly_core::{Metric, Real};
use jointly_decisions::{DecisionScores, Stage, decision_suite, stages};

use super::{InventedRun, agent, coordinates, plan, planned_problem};
use crate::format::Format;
use crate::plan::Terms;
use crate::unit::{Outcome, UnitResult};

/// Makes a run on some seeds of the quick bandit at temperature .1, in which an agent's regret is its number times the
/// number of actions, plus half the number of the seed.
pub fn decision_run(agents: &[(&str, f64)], seeds: usize) -> InventedRun {
    let options = decision_suite("quick/decisions/bandit").unwrap().options;
    let stages = stages(options.steps);
    let planned = agents.iter().map(|(spec, _)| agent(spec)).collect();
    let mut plan = plan("quick/decisions/bandit", Terms::Decisions(options), planned);
    let problem = |seed| planned_problem(&format!("quick/decisions/bandit/d2/temp0.1/seed{seed}"), Metric::Nll);
    plan.problems = (0..seeds).map(problem).collect();
    coordinates::place(&mut plan);
    let mut results = Vec::new();
    for (place, (agent, (_, regret))) in plan.agents.iter().zip(agents).enumerate() {
        for (seed, problem) in plan.problems.iter().enumerate() {
            let regret = |steps: u32| Real(regret * f64::from(steps) + 0.5 * seed as f64);
            let stage = |steps: u32| Stage { steps, regret: regret(steps), simple: None };
            let course = stages.iter().copied().map(stage).collect();
            let scores = DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(0.4)), trainings: 8 };
            results.push(result(&agent.label, &problem.problem, scores, place as u64 + 1));
        }
    }
    InventedRun { plan, results }
}

/// Makes a run of both rules on Branin's function, in which an agent's regret is its number times the number of actions under
/// Thompson sampling, and twice that under expected improvement.
pub fn search_run(agents: &[(&str, f64)], seeds: usize) -> InventedRun {
    let suite = decision_suite("decisions/optimize").unwrap();
    let planned = agents.iter().map(|(spec, _)| agent(spec)).collect();
    let mut plan = plan("decisions/optimize", Terms::Decisions(suite.options.clone()), planned);
    let names = suite.problems[..2 * seeds].iter().map(|problem| problem.name.as_str());
    plan.problems = names.map(|name| planned_problem(name, Metric::Nll)).collect();
    coordinates::place(&mut plan);
    let mut results = Vec::new();
    for (agent, (_, regret)) in plan.agents.iter().zip(agents) {
        for (problem, planned) in suite.problems.iter().zip(&plan.problems) {
            let times = if planned.problem.ends_with("/improvement") { 2.0 } else { 1.0 };
            let stage = |steps| {
                let regret = Real(times * regret * f64::from(steps));
                Stage { steps, regret, simple: Some(Real(0.0)) }
            };
            let course = stages(suite.options.steps).into_iter().map(stage).collect();
            let trainings = problem.trainings(&suite.options) as u32;
            let scores = DecisionScores { course, lessons: Vec::new(), uniform: Some(Real(0.4)), trainings };
            results.push(result(&agent.label, &planned.problem, scores, 1));
        }
    }
    InventedRun { plan, results }
}

fn result(agent: &str, problem: &str, scores: DecisionScores, fuel: u64) -> UnitResult {
    UnitResult {
        format: Format,
        agent: agent.to_owned(),
        problem: problem.to_owned(),
        seconds: Some(1.0),
        outcome: Outcome::Decisions { scores: Box::new(scores), fuel: Some(fuel), diagnosis: None },
        log: Vec::new(),
    }
}
