//! What one agent scores, problem by problem and over all of them.

use jointly_classification::shift::ShiftScores;
use jointly_core::failure::Failure;
use jointly_core::{DrawsOfScore, ScoreName, Scored, Summary, summarize_clusters};
use jointly_record::plan::PlannedAgent;
use jointly_record::unit::SampleDiagnosis;
use jointly_regression::{CoverageSummary, RegressionUnit};
use serde_json::{Map, Value, json};

use super::across::Across;
use super::conditions::conditions;
use super::values::{number, write_draws, write_values};

/// One agent's scores over the plan's problems.
pub struct AgentScores<'a> {
    /// The agent as the plan has it.
    pub planned: &'a PlannedAgent,
    /// The problems that it has scores of, in the plan's order.
    pub problems: Vec<ScoredProblem<'a>>,
    /// Scores that are not means over problems, since a problem is but one simulation.
    pub across: Vec<(ScoreName, Across)>,
    /// What its intervals cover over all simulations, by process, where the problems are such.
    pub coverage: Vec<(String, CoverageSummary)>,
    /// The problems that it failed on, and how.
    pub failures: Vec<(&'a str, &'a Failure)>,
    /// Units of the plan that have no result yet.
    pub missing: usize,
}

/// One agent's scores on one problem.
pub struct ScoredProblem<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// What it shares its data with, or its own name.
    pub cluster: String,
    /// The scores by name.
    pub values: Vec<(ScoreName, Scored)>,
    /// All that a problem of regression gave.
    pub unit: Option<&'a RegressionUnit>,
    /// All that a problem of dataset shift gave.
    pub shift: Option<&'a ShiftScores>,
    /// Scores that it has no value of, and why.
    pub absences: Vec<(&'static str, String)>,
    /// Of a reference alone.
    pub(super) diagnosis: Option<&'a SampleDiagnosis>,
}

impl<'a> AgentScores<'a> {
    pub(super) fn new(planned: &'a PlannedAgent) -> Self {
        let (problems, across, failures) = (Vec::new(), Vec::new(), Vec::new());
        Self { planned, problems, across, coverage: Vec::new(), failures, missing: 0 }
    }
}

impl AgentScores<'_> {
    /// Whether every problem of the plan has a score.
    pub fn complete(&self) -> bool {
        self.failures.is_empty() && self.missing == 0
    }

    /// Whether a problem has no value of this score where others of its kind have one.
    pub fn lacks(&self, name: ScoreName) -> bool {
        self.problems.iter().any(|problem| problem.absences.iter().any(|(absent, _)| name == **absent))
    }

    /// The mean over the problems that have this score, with its standard error over them, or over the datasets that they
    /// are made of; none where no problem has it. Where one problem is all there is, the standard error is that over its
    /// tau-samples; that of several problems of one dataset is NaN.
    pub fn summary<N: ?Sized>(&self, name: &N) -> Option<Summary>
    where
        ScoreName: PartialEq<N>,
    {
        if let Some((_, across)) = self.across.iter().find(|(known, _)| *known == *name) {
            return Some(across.summary(self.problems.len()));
        }
        self.summary_where(name, |_| true)
    }

    /// The same over the problems that are asked for by name.
    pub fn summary_where<N: ?Sized>(&self, name: &N, wanted: impl Fn(&str) -> bool) -> Option<Summary>
    where
        ScoreName: PartialEq<N>,
    {
        let (problems, scored): (Vec<&ScoredProblem>, Vec<Scored>) =
            self.by_problem(name).filter(|(problem, _)| wanted(problem.problem)).unzip();
        let values: Vec<f64> = scored.iter().map(|scored| scored.value).collect();
        let clusters: Vec<&str> = problems.iter().map(|problem| problem.cluster.as_str()).collect();
        let summary = summarize_clusters(&values, &clusters);
        match scored.as_slice() {
            [] => None,
            [Scored { stderr: Some(stderr), .. }] => Some(Summary { stderr: *stderr, ..summary }),
            _ => Some(summary),
        }
    }

    /// What the number of draws does to the mean of a joint score over problems.
    pub fn draws<N: ?Sized>(&self, name: &N) -> Option<DrawsOfScore>
    where
        ScoreName: PartialEq<N>,
    {
        let draws: Vec<DrawsOfScore> = self.by_problem(name).filter_map(|(_, scored)| scored.draws).collect();
        DrawsOfScore::combined(&draws)
    }

    /// The problems on which the sample of a reference has not converged.
    pub fn unconverged(&self) -> Vec<&str> {
        let unconverged = |problem: &&ScoredProblem| problem.diagnosis.is_some_and(|diagnosis| !diagnosis.converged);
        self.problems.iter().filter(unconverged).map(|problem| problem.problem).collect()
    }

    /// A score on each problem that has it.
    pub fn by_problem<'s, N: ?Sized>(&'s self, name: &'s N) -> impl Iterator<Item = (&'s ScoredProblem<'s>, Scored)>
    where
        ScoreName: PartialEq<N>,
    {
        self.problems.iter().filter_map(move |problem| Some((problem, problem.value(name)?)))
    }

    /// The problem, the score and the reason of each score that has no value.
    pub fn absences(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.problems.iter().flat_map(|problem| {
            problem.absences.iter().map(|(score, reason)| (problem.problem, *score, reason.as_str()))
        })
    }

    pub(super) fn to_json(&self, names: &[ScoreName]) -> Value {
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
                if self.problems.iter().any(|problem| problem.cluster != problem.problem) {
                    value["datasets"] = summary.clusters.into();
                }
                if let Some(draws) = self.draws(name) {
                    write_draws(draws, &mut value);
                }
                Some((name.to_string(), value))
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
        let absences: Vec<Value> = self
            .absences()
            .map(|(problem, score, reason)| json!({ "problem": problem, "score": score, "reason": reason }))
            .collect();
        if !absences.is_empty() {
            agent["absences"] = absences.into();
        }
        if self.planned.is_reference() {
            agent["reference"] = true.into();
        }
        agent
    }
}

impl ScoredProblem<'_> {
    /// The score of that name.
    pub fn value<N: ?Sized>(&self, name: &N) -> Option<Scored>
    where
        ScoreName: PartialEq<N>,
    {
        self.values.iter().find(|(known, _)| *known == *name).map(|(_, scored)| *scored)
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("problem".into(), self.problem.into());
        write_values(&self.values, &mut object);
        if let Some(scores) = self.shift {
            object.insert("conditions".into(), conditions(scores));
        }
        if let Some(diagnosis) = self.diagnosis {
            let SampleDiagnosis { r_hat, effective_draws, acceptance, rounds, converged } = diagnosis;
            let value = json!({
                "r_hat": number(r_hat.0),
                "effective_draws": number(effective_draws.0),
                "acceptance": number(acceptance.0),
                "rounds": rounds,
                "converged": converged,
            });
            object.insert("diagnosis".into(), value);
        }
        object.into()
    }
}
