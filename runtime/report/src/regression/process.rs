//! The simulations of a process in a run, and the coverage of each agent's intervals.

use jointly_record::plan::PlannedProblem;
use jointly_regression::coverage::LevelSummary;
use jointly_regression::{CoverageSummary, Regression, regression_suite};
use jointly_score::scores::{AgentScores, ScoredProblem};

use crate::drawing::Style;
use crate::figure::counted;
use crate::view::View;

/// The tolerance within which two levels are the same.
const SAME: f64 = 1e-9;

/// A process and its simulations.
pub(super) struct Process<'v> {
    /// The name, such as `coverage/line`.
    pub(super) name: &'v str,
    /// The simulations, in the plan's order.
    problems: Vec<&'v PlannedProblem>,
    /// The agents that have simulations of it, in the order of the leaderboard.
    pub(super) agents: Vec<Covered<'v>>,
}

/// The coverage of an agent's intervals.
pub(super) struct Covered<'v> {
    pub(super) agent: &'v AgentScores<'v>,
    pub(super) summary: &'v CoverageSummary,
    pub(super) style: Style,
}

/// Returns the processes of a run, in the plan's order.
pub(super) fn processes<'v>(view: &'v View<'v>) -> Vec<Process<'v>> {
    let mut processes: Vec<Process> = Vec::new();
    for &agent in &view.agents {
        for (name, summary) in &agent.coverage {
            let covered = Covered { agent, summary, style: view.style_of(agent) };
            if let Some(process) = processes.iter_mut().find(|process| process.name == name) {
                process.agents.push(covered);
            } else {
                let problems = view.scores.plan.problems.iter().filter(|planned| planned.series() == name);
                processes.push(Process { name, problems: problems.collect(), agents: vec![covered] });
            }
        }
    }
    let first = |process: &Process| {
        view.scores.plan.problems.iter().position(|planned| process.problems.first().is_some_and(|own| *own == planned))
    };
    processes.sort_by_key(first);
    processes
}

impl<'v> Process<'v> {
    /// Returns whether a problem is one of its simulations.
    pub(super) fn holds(&self, problem: &str) -> bool {
        self.problems.iter().any(|own| own.problem == problem)
    }

    /// Returns the short name, such as `line`.
    pub(super) fn short(&self) -> &'v str {
        self.problems.first().map_or(self.name, |own| &own.coordinates.group)
    }

    /// Formats the number of simulations as `100 simulations`, or `3 to 100 simulations` if agents differ.
    pub(super) fn simulations(&self) -> String {
        let counts = || self.agents.iter().map(|covered| covered.summary.simulations as usize);
        match (counts().min(), counts().max()) {
            (Some(least), Some(most)) if least < most => format!("{least} to {}", counted(most, "simulation")),
            (_, most) => counted(most.unwrap_or(0), "simulation"),
        }
    }

    /// Formats the number of test points, such as `1000 test points`.
    pub(super) fn points(&self) -> String {
        let levels = self.agents.first().and_then(|covered| covered.summary.levels.first());
        counted(levels.map_or(0, |level| level.prediction.by_point.len()), "test point")
    }

    /// Returns labels and styles of its agents.
    pub(super) fn legend(&self) -> Vec<(&'v str, Style)> {
        self.agents.iter().map(|covered| (covered.label(), covered.style)).collect()
    }

    /// Returns the test inputs, in the order of coverage by point, if the process has a single input.
    pub(super) fn inputs(&self, view: &View) -> Option<Vec<f64>> {
        let plan = view.scores.plan;
        let suite = regression_suite(&plan.suite)?;
        let problem = suite.problems.iter().find(|problem| self.holds(&problem.name))?;
        let data = problem.curve_data(plan.seed, plan.options::<Regression>()?.noise)?;
        Some(data.test.data().inputs().values().iter().map(|&x| f64::from(x)).collect())
    }
}

impl<'v> Covered<'v> {
    pub(super) fn label(&self) -> &'v str {
        &self.agent.planned.label
    }

    /// Returns the coverage of the intervals at a level.
    pub(super) fn level(&self, level: f64) -> Option<&'v LevelSummary> {
        self.summary.levels.iter().find(|summary| (summary.level - level).abs() < SAME)
    }

    /// Returns the agent's results on simulations of a process.
    pub(super) fn problems(&self, process: &Process) -> impl Iterator<Item = &'v ScoredProblem<'v>> {
        self.agent.problems.iter().filter(move |problem| problem.planned.series() == process.name)
    }
}

/// Formats a level as a percentage, such as `90 %`.
pub(super) fn percent(level: f64) -> String {
    format!("{} %", (1000.0 * level).round() / 10.0)
}
