//! The scores of a run: what `scores.json` holds, computed from the plan and the journal alone.

use std::collections::HashMap;

use jointly_core::{JointScore, Metric, ProblemScores, Real, Score, Summary, round_significant, summarize};
use jointly_host::Failure;
use serde_json::{Map, Value, json};

use crate::plan::{Plan, PlannedAgent};
use crate::unit::{Outcome, UnitResult};

/// Score names as the design has them: the joint scores, then their aggregate, then the marginals', then the cost.
pub(crate) const ACCURACY: &str = "accuracy";
pub(crate) const ECE: &str = "ece";
pub(crate) const FUEL: &str = "fuel";

/// Everything that a run has to say.
pub(crate) struct Scores<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) agents: Vec<AgentScores<'a>>,
}

/// One agent's scores over the plan's problems.
pub(crate) struct AgentScores<'a> {
    pub(crate) planned: &'a PlannedAgent,
    pub(crate) problems: Vec<ScoredProblem<'a>>,
    pub(crate) failures: Vec<(&'a str, &'a Failure)>,
    /// Units of the plan that have no result yet.
    pub(crate) missing: usize,
}

/// One agent's scores on one problem.
pub(crate) struct ScoredProblem<'a> {
    pub(crate) problem: &'a str,
    pub(crate) values: Vec<(String, Scored)>,
}

/// A value, with its standard error over the problem's tau-samples where it is a mean over them.
#[derive(Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) value: f64,
    pub(crate) stderr: Option<f64>,
    /// Where it is a joint score.
    draws: Option<Draws>,
}

/// What the number of draws does to a joint score.
#[derive(Clone, Copy)]
pub(crate) struct Draws {
    /// The standard error over draws.
    error: f64,
    /// NaN where several functions allow the labels of no tau-sample.
    pub(crate) effective: f64,
    /// The number of problems for which there are too few.
    pub(crate) few: usize,
}

impl From<Score> for Scored {
    fn from(score: Score) -> Self {
        Self { value: score.mean, stderr: Some(score.stderr), draws: None }
    }
}

impl Scored {
    fn joint(score: &JointScore, draws: u32) -> Self {
        let few = usize::from(score.needs_more_draws(draws));
        let draws = Draws { error: score.draw_error, effective: score.effective_draws, few };
        Self { value: score.mean, stderr: Some(score.stderr), draws: Some(draws) }
    }
}

impl Draws {
    /// Of the mean over problems, whose draws are independent: an error that is the root of the sum of squares over their
    /// number, and the harmonic mean of the effective numbers that there are, as within a problem.
    fn combined(problems: &[Self]) -> Option<Self> {
        let count = problems.len() as f64;
        let squares: f64 = problems.iter().map(|draws| draws.error * draws.error).sum();
        let known: Vec<f64> = problems.iter().map(|draws| draws.effective).filter(|number| !number.is_nan()).collect();
        let inverses: f64 = known.iter().map(|number| 1.0 / number).sum();
        let effective = if known.is_empty() { f64::NAN } else { known.len() as f64 / inverses };
        let few = problems.iter().map(|draws| draws.few).sum();
        (!problems.is_empty()).then(|| Self { error: squares.sqrt() / count, effective, few })
    }

    fn write(self, object: &mut Value) {
        object["draw_error"] = json!(number(self.error));
        object["effective_draws"] = json!(number(self.effective));
    }
}

impl<'a> Scores<'a> {
    /// Gathers results in the plan's order, whatever order they finished in.
    pub(crate) fn new(plan: &'a Plan, results: &'a [UnitResult]) -> Self {
        let by_unit: HashMap<(&str, &str), &UnitResult> =
            results.iter().map(|result| ((result.agent.as_str(), result.problem.as_str()), result)).collect();
        let agents = plan.agents.iter().map(|planned| {
            let mut agent = AgentScores { planned, problems: Vec::new(), failures: Vec::new(), missing: 0 };
            for problem in &plan.problems {
                let name = problem.problem.as_str();
                match by_unit.get(&(planned.label.as_str(), name)).map(|result| &result.outcome) {
                    Some(Outcome::Scored { scores, fuel }) => {
                        let values = values(problem.metric, scores, plan.evaluation.draws, *fuel);
                        agent.problems.push(ScoredProblem { problem: name, values });
                    }
                    Some(Outcome::Failed(failure)) => agent.failures.push((name, failure)),
                    None => agent.missing += 1,
                }
            }
            agent
        });
        Self { plan, agents: agents.collect() }
    }

    /// The names of all scores, joint ones by rising tau.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let scored = self.agents.iter().flat_map(|agent| &agent.problems).flat_map(|problem| &problem.values);
        for (name, _) in scored {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        // Problems with other taus come later but belong before the marginals' scores.
        names.sort_by_key(|name| order(name));
        names
    }

    /// Units without a result.
    pub(crate) fn missing(&self) -> usize {
        self.agents.iter().map(|agent| agent.missing).sum()
    }

    pub(crate) fn failed(&self) -> bool {
        self.agents.iter().any(|agent| !agent.failures.is_empty())
    }

    /// The shape that others read: only what is reproducible.
    pub(crate) fn to_json(&self) -> Value {
        let names = self.names();
        let agents: Vec<Value> = self.agents.iter().map(|agent| agent.to_json(&names)).collect();
        json!({
            "suite": self.plan.suite,
            "seed": self.plan.seed,
            "version": self.plan.version,
            "agents": agents,
        })
    }
}

impl AgentScores<'_> {
    /// Whether every problem of the plan has a score.
    pub(crate) fn complete(&self) -> bool {
        self.failures.is_empty() && self.missing == 0
    }

    /// The mean over the problems that have this score, with its standard error over them; none where no problem has
    /// it. Where one problem is all there is, the standard error is that over its tau-samples.
    pub(crate) fn summary(&self, name: &str) -> Option<Summary> {
        self.summary_where(name, |_| true)
    }

    /// The same over the problems that are asked for by name.
    pub(crate) fn summary_where(&self, name: &str, wanted: impl Fn(&str) -> bool) -> Option<Summary> {
        let scored: Vec<Scored> =
            self.by_problem(name).filter(|(problem, _)| wanted(problem)).map(|(_, scored)| scored).collect();
        let values: Vec<f64> = scored.iter().map(|scored| scored.value).collect();
        match scored.as_slice() {
            [] => None,
            [Scored { stderr: Some(stderr), .. }] => Some(Summary { stderr: *stderr, ..summarize(&values) }),
            _ => Some(summarize(&values)),
        }
    }

    /// What the number of draws does to the mean of a joint score over problems.
    pub(crate) fn draws(&self, name: &str) -> Option<Draws> {
        let draws: Vec<Draws> = self.by_problem(name).filter_map(|(_, scored)| scored.draws).collect();
        Draws::combined(&draws)
    }

    /// A score on each problem that has it.
    pub(crate) fn by_problem<'s>(&'s self, name: &'s str) -> impl Iterator<Item = (&'s str, Scored)> {
        self.problems.iter().filter_map(move |problem| Some((problem.problem, problem.value(name)?)))
    }

    fn to_json(&self, names: &[String]) -> Value {
        let scores: Map<String, Value> = names
            .iter()
            .filter_map(|name| {
                let summary = self.summary(name)?;
                let mut value = json!({
                    "mean": number(summary.mean),
                    "stderr": number(summary.stderr),
                    "problems": summary.problems,
                    "non_finite": summary.non_finite,
                });
                if let Some(draws) = self.draws(name) {
                    draws.write(&mut value);
                }
                Some((name.clone(), value))
            })
            .collect();
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|(problem, failure)| {
                let Failure { phase, kind, message } = failure;
                json!({ "problem": problem, "phase": phase, "kind": kind, "message": message })
            })
            .collect();
        let problems: Vec<Value> = self.problems.iter().map(ScoredProblem::to_json).collect();
        let mut agent = json!({
            "agent": self.planned.agent,
            "digest": self.planned.digest,
            "settings": self.planned.settings,
            "scores": scores,
            "failures": failures,
            "problems": problems,
        });
        if self.planned.is_reference() {
            agent["reference"] = true.into();
        }
        agent
    }
}

impl ScoredProblem<'_> {
    /// The score of that name.
    pub(crate) fn value(&self, name: &str) -> Option<Scored> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, scored)| *scored)
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("problem".into(), self.problem.into());
        for (name, scored) in &self.values {
            let mut value = match scored.stderr {
                Some(stderr) => json!({ "mean": number(scored.value), "stderr": number(stderr) }),
                None => json!(number(scored.value)),
            };
            if let Some(draws) = scored.draws {
                draws.write(&mut value);
            }
            object.insert(name.clone(), value);
        }
        object.into()
    }
}

/// A problem's scores by name.
fn values(metric: Metric, scores: &ProblemScores, draws: u32, fuel: Option<u64>) -> Vec<(String, Scored)> {
    let joint = |(tau, score): &(u32, JointScore)| (format!("{metric}_tau{tau}"), Scored::joint(score, draws));
    let mut values: Vec<(String, Scored)> = scores.joint.iter().map(joint).collect();
    values.extend(aggregate(scores).map(|scored| (format!("{metric}_aggregate"), scored)));
    let plain = |value| Scored { value, stderr: None, draws: None };
    values.push((ACCURACY.into(), scores.accuracy.into()));
    values.push((ECE.into(), plain(scores.ece)));
    values.extend(fuel.map(|fuel| (FUEL.into(), plain(fuel as f64))));
    values
}

/// d1 + d100 / 100, the paper's aggregate; the two come from independent test samples.
fn aggregate(scores: &ProblemScores) -> Option<Scored> {
    let at = |tau: u32| scores.joint.iter().find(|(known, _)| *known == tau).map(|(_, score)| score);
    let (one, hundred) = (at(1)?, at(100)?);
    let stderr = libm::hypot(one.stderr, hundred.stderr / 100.0);
    Some(Scored { value: one.mean + hundred.mean / 100.0, stderr: Some(stderr), draws: None })
}

/// Joint scores by tau, then aggregates, then the rest in the order of the design.
fn order(name: &str) -> (u8, u32) {
    match name {
        ACCURACY => (2, 0),
        ECE => (2, 1),
        FUEL => (2, 2),
        _ => match name.split_once("_tau").and_then(|(_, tau)| tau.parse().ok()) {
            Some(tau) => (0, tau),
            None => (1, 0),
        },
    }
}

/// Twelve significant digits; what is not finite as text, since JSON has no number for it.
pub(crate) fn number(x: f64) -> Real {
    Real(round_significant(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(effective_draws: f64) -> Draws {
        let score = JointScore { mean: 1.0, stderr: 0.1, draw_error: 0.5, effective_draws };
        Scored::joint(&score, 1000).draws.unwrap()
    }

    #[test]
    fn problems_that_no_draw_allows_do_not_raise_the_effective_number() {
        let combined = |numbers: &[f64]| {
            let problems: Vec<Draws> = numbers.iter().copied().map(draws).collect();
            Draws::combined(&problems).unwrap()
        };
        assert_eq!(combined(&[10.0, 30.0]).effective, 15.0);
        let with_infinite = combined(&[10.0, f64::NAN, 30.0, f64::NAN]);
        assert_eq!((with_infinite.effective, with_infinite.few), (15.0, 3));
        assert!(combined(&[f64::NAN]).effective.is_nan());
        assert_eq!(combined(&[f64::NAN]).few, 1);
    }
}
