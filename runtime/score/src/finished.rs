//! Whether a journal has a possible result for every unit of its plan, and no others.

use std::collections::HashMap;

use anyhow::{Result, bail, ensure};
use jointly_core::Metric;
use jointly_record::directory::JOURNAL;
use jointly_record::lines::PlanLines;
use jointly_record::plan::Plan;
use jointly_record::quantity::counted;
use jointly_record::unit::UnitResult;

/// Looks at results one after another, in any order.
pub struct Finished<'p> {
    plan: &'p Plan,
    agents: HashMap<&'p str, usize>,
    problems: HashMap<&'p str, usize>,
    /// The first unit of the plan whose result is of another kind of task.
    other_kind: Option<(usize, usize)>,
    /// The first unit of the plan whose result has a score that no prediction has, and the score.
    impossible: Option<((usize, usize), String)>,
}

impl<'p> Finished<'p> {
    /// Begins with no results.
    pub fn new(plan: &'p Plan) -> Self {
        let agents = plan.agents.iter().enumerate().map(|(place, agent)| (agent.label.as_str(), place)).collect();
        let names = plan.problems.iter().map(|problem| problem.problem.as_str());
        let problems = names.enumerate().map(|(place, name)| (name, place)).collect();
        Self { plan, agents, problems, other_kind: None, impossible: None }
    }

    /// Looks at a result.
    pub fn see(&mut self, result: &UnitResult) {
        let (agent, problem) = (self.agents.get(&*result.agent), self.problems.get(&*result.problem));
        let Some((problem, agent)) = problem.copied().zip(agent.copied()) else { return };
        let place = (problem, agent);
        if !self.plan.takes(&result.outcome) {
            self.other_kind = Some(self.other_kind.map_or(place, |first| first.min(place)));
        }
        if let Some(defect) = impossible(self.plan, result)
            && self.impossible.as_ref().is_none_or(|(first, _)| place < *first)
        {
            self.impossible = Some((place, defect));
        }
    }

    /// Checks the results that were looked at, which are at these places of the journal. `remedy` tells the user what to
    /// do if some are missing.
    ///
    /// # Errors
    /// When a unit has no result, one of another kind of task or one with scores that no prediction has, or a result
    /// belongs to no unit.
    pub fn check(&self, lines: &PlanLines, remedy: &str) -> Result<()> {
        let name = |(problem, agent): (usize, usize)| {
            format!("{} on {}", self.plan.agents[agent].label, self.plan.problems[problem].problem)
        };
        if let Some(unit) = self.other_kind {
            bail!("{JOURNAL} has a result of another kind of problem for {}", name(unit));
        }
        if let Some((unit, defect)) = &self.impossible {
            bail!("{JOURNAL} has {defect} for {}", name(*unit));
        }
        if let Some((agent, problem)) = lines.other() {
            bail!("{JOURNAL} has a result for {agent} on {problem}, which is not a unit of the plan");
        }
        let (total, found) = (self.plan.agents.len() * self.plan.problems.len(), lines.found());
        ensure!(
            found == total,
            "{} of {} {} no result yet; {remedy}",
            total - found,
            counted(total, "unit"),
            if total == 1 { "has" } else { "have" }
        );
        Ok(())
    }
}

/// Returns the first thing in a result that no prediction has: a score with why it is impossible, or what its kind says.
pub fn impossible(plan: &Plan, result: &UnitResult) -> Option<String> {
    // The metric decides only under which name a joint score is listed.
    let values = result.outcome.scores(Metric::Kl, plan.terms.options())?;
    let of_score = values.iter().find_map(|(name, scored)| Some(format!("{name} with {}", name.defect(scored)?)));
    of_score.or_else(|| result.outcome.result()?.defect(plan.terms.options(), &result.problem))
}
