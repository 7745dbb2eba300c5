//! The scores of one agent, problem by problem and over all of them.

use jointly_core::failure::Failure;
use jointly_core::kind::{Calibration, ConditionValues, TaskKind, TaskScores};
use jointly_core::{DrawsOfScore, ScoreName, Scored, Summary, summarize_clusters};
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem};
use jointly_record::unit::{Outcome, SampleDiagnosis};
use jointly_regression::CoverageSummary;

use super::across::Across;
use super::document::{
    AbsenceDocument, AgentDocument, ConditionDocument, FailureDocument, MeanDocument, Named, ProblemDocument,
};
use super::values::number;

/// One agent's scores over the plan's problems.
pub struct AgentScores<'a> {
    /// The agent as it stands in the plan.
    pub planned: &'a PlannedAgent,
    /// The problems on which it has scores, in the plan's order.
    pub problems: Vec<ScoredProblem<'a>>,
    /// Scores that are not means over problems, because a problem is a single simulation.
    pub across: Vec<(ScoreName, Across)>,
    /// The coverage of its intervals over all simulations, by process, if the problems are simulations.
    pub coverage: Vec<(String, CoverageSummary)>,
    /// The problems on which it failed, and the failures.
    pub failures: Vec<(&'a str, &'a Failure)>,
    /// The number of units of the plan that have no result yet.
    pub missing: usize,
    /// Mean wall-clock seconds of the results with scores of a native agent, which has no fuel; for information, where
    /// they were kept.
    pub seconds: Option<f64>,
}

/// One agent's scores on one problem.
pub struct ScoredProblem<'a> {
    /// The problem's name.
    pub problem: &'a str,
    /// The problem as it stands in the plan.
    pub planned: &'a PlannedProblem,
    /// The scores by name.
    pub values: Vec<(ScoreName, Scored)>,
    /// The whole result.
    pub(super) outcome: &'a Outcome,
    /// Scores that it lacks, and why.
    pub absences: Vec<(&'static str, String)>,
}

impl<'a> AgentScores<'a> {
    pub(super) fn new(planned: &'a PlannedAgent) -> Self {
        let (problems, across, failures) = (Vec::new(), Vec::new(), Vec::new());
        Self { planned, problems, across, coverage: Vec::new(), failures, missing: 0, seconds: None }
    }
}

impl AgentScores<'_> {
    /// Returns whether the agent has a result on every problem of the plan and failed on none.
    pub fn complete(&self) -> bool {
        self.failures.is_empty() && self.missing == 0
    }

    /// Returns whether a problem lacks this score although others of its kind have it.
    pub fn lacks(&self, name: ScoreName) -> bool {
        self.problems.iter().any(|problem| problem.absences.iter().any(|(absent, _)| name == **absent))
    }

    /// Returns the mean over the problems that have this score, or `None` if no problem has it. The standard error is
    /// over the problems, or over the datasets that they are made of. For a single problem it is that over its
    /// tau-samples; for several problems of one dataset it is NaN.
    pub fn summary<N: ?Sized>(&self, name: &N) -> Option<Summary>
    where
        ScoreName: PartialEq<N>,
    {
        if let Some((_, across)) = self.across.iter().find(|(known, _)| *known == *name) {
            return Some(across.summary(self.problems.len()));
        }
        self.summary_where(name, |_| true)
    }

    /// Returns the summary over the problems whose names `wanted` accepts.
    pub fn summary_where<N: ?Sized>(&self, name: &N, wanted: impl Fn(&str) -> bool) -> Option<Summary>
    where
        ScoreName: PartialEq<N>,
    {
        let (problems, scored): (Vec<&ScoredProblem>, Vec<Scored>) =
            self.by_problem(name).filter(|(problem, _)| wanted(problem.problem)).unzip();
        let values: Vec<f64> = scored.iter().map(|scored| scored.value).collect();
        let clusters: Vec<&str> = problems.iter().map(|problem| problem.planned.cluster()).collect();
        let summary = summarize_clusters(&values, &clusters);
        match scored.as_slice() {
            [] => None,
            [Scored { stderr: Some(stderr), .. }] => Some(Summary { stderr: *stderr, ..summary }),
            _ => Some(summary),
        }
    }

    /// Returns the effect of the number of draws on the mean of a joint score over problems.
    pub fn draws<N: ?Sized>(&self, name: &N) -> Option<DrawsOfScore>
    where
        ScoreName: PartialEq<N>,
    {
        let draws: Vec<DrawsOfScore> = self.by_problem(name).filter_map(|(_, scored)| scored.draws).collect();
        DrawsOfScore::combined(&draws)
    }

    /// Returns the problems on which the sample of a reference has not converged.
    pub fn unconverged(&self) -> Vec<&str> {
        let unconverged =
            |problem: &&ScoredProblem| problem.outcome.diagnosis().is_some_and(|diagnosis| !diagnosis.converged);
        self.problems.iter().filter(unconverged).map(|problem| problem.problem).collect()
    }

    /// Returns a score on each problem that has it.
    pub fn by_problem<'s, N: ?Sized>(&'s self, name: &'s N) -> impl Iterator<Item = (&'s ScoredProblem<'s>, Scored)>
    where
        ScoreName: PartialEq<N>,
    {
        self.problems.iter().filter_map(move |problem| Some((problem, problem.value(name)?)))
    }

    /// Returns the problem, the score and the reason of each score that has no value.
    pub fn absences(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.problems.iter().flat_map(|problem| {
            problem.absences.iter().map(|(score, reason)| (problem.problem, *score, reason.as_str()))
        })
    }

    /// Returns the agent's scores in the form of scores.json.
    pub(super) fn document(&self, names: &[ScoreName], plan: &Plan) -> AgentDocument<'_> {
        let clustered = self.problems.iter().any(|problem| problem.planned.cluster() != problem.problem);
        let mean = |name: &ScoreName| {
            let Summary { mean, stderr, problems, clusters, non_finite } = self.summary(name)?;
            let document = MeanDocument {
                mean: number(mean),
                stderr: number(stderr),
                problems,
                non_finite,
                datasets: clustered.then_some(clusters),
                draws: self.draws(name).map(Into::into),
            };
            Some((name.to_string(), document))
        };
        let failures = self.failures.iter().map(|&(problem, failure)| FailureDocument { problem, failure });
        let absences = self.absences().map(|(problem, score, reason)| AbsenceDocument { problem, score, reason });
        AgentDocument {
            agent: &self.planned.agent,
            digest: &self.planned.digest,
            tier: plan.reports(self.planned).then(|| plan.tier(self.planned)),
            settings: &self.planned.settings,
            scores: Named(names.iter().filter_map(mean).collect()),
            failures: failures.collect(),
            problems: self.problems.iter().map(ScoredProblem::document).collect(),
            absences: absences.collect(),
            reference: self.planned.is_reference(),
        }
    }
}

impl<'a> ScoredProblem<'a> {
    /// Returns the whole result, if the problem is of kind `K`.
    pub fn result<K: TaskKind>(&self) -> Option<&'a K::Scores> {
        self.outcome.of::<K>()
    }

    /// Returns the data of a reliability diagram; it is empty unless predictions are of classes.
    pub fn calibration(&self) -> Calibration<'a> {
        self.outcome.calibration()
    }

    /// Returns the digest of the agent's predictions, if agents are scored against each other by them.
    pub fn belief(&self) -> Option<&'a str> {
        self.outcome.belief()
    }
}

impl ScoredProblem<'_> {
    /// Returns the score of that name.
    pub fn value<N: ?Sized>(&self, name: &N) -> Option<Scored>
    where
        ScoreName: PartialEq<N>,
    {
        self.values.iter().find(|(known, _)| *known == *name).map(|(_, scored)| *scored)
    }

    fn document(&self) -> ProblemDocument<'_> {
        let diagnosis = self.outcome.diagnosis().map(|diagnosis| SampleDiagnosis {
            r_hat: number(diagnosis.r_hat.0),
            effective_draws: number(diagnosis.effective_draws.0),
            acceptance: number(diagnosis.acceptance.0),
            ..diagnosis.clone()
        });
        ProblemDocument {
            problem: self.problem,
            values: Named::of(&self.values),
            conditions: self.outcome.result().and_then(TaskScores::conditions).map(conditions),
            diagnosis,
        }
    }
}

fn conditions(all: Vec<ConditionValues>) -> Vec<ConditionDocument> {
    let document = |ConditionValues { condition, inputs, values }| {
        let values = values.into_iter().map(|(name, scored): (String, Scored)| (name, scored.into()));
        ConditionDocument { condition, inputs, values: Named(values.collect()) }
    };
    all.into_iter().map(document).collect()
}
