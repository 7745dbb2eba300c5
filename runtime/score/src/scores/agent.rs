//! The scores of one agent, problem by problem and over all of them.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jointly_core::failure::Failure;
use jointly_core::kind::TaskScores;
use jointly_core::{DrawsOfScore, ScoreName, Scored, Summary, summarize_clusters};
use jointly_record::plan::{Plan, PlannedAgent, PlannedProblem};
use jointly_record::unit::UnitResult;
use jointly_regression::CoverageSummary;

use super::across::Across;
use super::document::{AbsenceDocument, AgentDocument, FailureDocument, MeanDocument, Named};
use super::problem::ScoredProblem;
use super::regression;
use super::totals::{self, Totals};
use super::values::number;

/// One agent's scores over the plan's problems.
pub struct AgentScores<'a> {
    /// The plan.
    pub(crate) plan: &'a Plan,
    /// The agent as it stands in the plan.
    pub planned: &'a PlannedAgent,
    /// The problems on which it has scores, in the plan's order; empty where they are only summed up.
    pub problems: Vec<ScoredProblem<'a>>,
    /// Scores that are not means over problems, because a problem is a single simulation.
    pub across: Vec<(ScoreName, Across)>,
    /// The coverage of its intervals over all simulations, by process, if the problems are simulations.
    pub coverage: Vec<(String, CoverageSummary)>,
    /// The problems on which it failed, and the failures; empty where they are only counted.
    pub failures: Vec<(&'a str, &'a Failure)>,
    /// The place in the plan of each of these problems, and the seconds there.
    failed_at: Vec<(usize, Option<f64>)>,
    /// The number of units of the plan that have no result yet.
    pub missing: usize,
    /// Mean wall-clock seconds of the results with scores of a native agent, which has no fuel; for information, where
    /// they were kept.
    pub seconds: Option<f64>,
    /// Computed when it is first asked for, because agents are scored against each other before.
    totals: OnceLock<Totals>,
}

/// The result of one agent on one problem: scores, or a failure.
pub struct UnitScores<'a> {
    /// The problem as it stands in the plan.
    pub planned: &'a PlannedProblem,
    /// Wall-clock seconds, where they were kept.
    pub seconds: Option<f64>,
    /// The fuel that was used, or `None` if it was not metered or the agent failed.
    pub fuel: Option<u64>,
    /// The failure, if the agent failed.
    pub failure: Option<&'a Failure>,
    scored: Option<&'a ScoredProblem<'a>>,
}

impl UnitScores<'_> {
    /// Returns the score of that name, if the result has it.
    pub fn value(&self, name: ScoreName) -> Option<Scored> {
        self.scored?.value(&name)
    }
}

impl<'a> AgentScores<'a> {
    /// Scores the results of an agent: one for each problem of the plan, if it is there.
    pub(super) fn of(
        plan: &'a Plan,
        planned: &'a PlannedAgent,
        results: impl Iterator<Item = Option<&'a UnitResult>>,
    ) -> Self {
        let mut agent = Self::new(plan, planned);
        let mut seconds = Vec::new();
        for ((place, problem), result) in plan.problems.iter().enumerate().zip(results) {
            let Some(result) = result else {
                agent.missing += 1;
                continue;
            };
            let name = problem.problem.as_str();
            if let Some(failure) = result.outcome.failure() {
                agent.failures.push((name, failure));
                agent.failed_at.push((place, result.seconds));
            }
            let Some(values) = result.outcome.scores(problem.metric, plan.terms.options()) else { continue };
            seconds.extend(result.seconds.filter(|_| plan.reports(planned) && !planned.is_offline()));
            agent.problems.push(ScoredProblem {
                place,
                problem: name,
                planned: problem,
                seconds: result.seconds,
                values,
                outcome: &result.outcome,
                absences: result.outcome.result().map(TaskScores::absences).unwrap_or_default(),
            });
        }
        agent.seconds = (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64);
        agent.coverage = regression::coverage(&mut agent.problems);
        agent.across = regression::across(&agent.coverage);
        agent
    }

    fn new(plan: &'a Plan, planned: &'a PlannedAgent) -> Self {
        let (problems, across, coverage, failures) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (failed_at, totals) = (Vec::new(), OnceLock::new());
        Self { plan, planned, problems, across, coverage, failures, failed_at, missing: 0, seconds: None, totals }
    }

    /// Returns the units that have a result, in the order of the plan's problems.
    pub fn units(&self) -> Vec<UnitScores<'_>> {
        let scored = self.problems.iter().map(|scored| {
            let ScoredProblem { place, planned, seconds, outcome, .. } = *scored;
            let unit = UnitScores { planned, seconds, fuel: outcome.fuel(), scored: Some(scored), failure: None };
            (place, unit)
        });
        let failed = self.failures.iter().zip(&self.failed_at).map(|((_, failure), (place, seconds))| {
            let planned = &self.plan.problems[*place];
            (*place, UnitScores { planned, seconds: *seconds, fuel: None, scored: None, failure: Some(failure) })
        });
        let mut units: Vec<_> = scored.chain(failed).collect();
        units.sort_by_key(|(place, _)| *place);
        units.into_iter().map(|(_, unit)| unit).collect()
    }

    /// Returns what others can check of the results: `replayed` or `reported`.
    pub fn tier(&self) -> &'static str {
        self.plan.tier(self.planned)
    }

    /// Returns a score on each problem that has it, as the problem with the value; nothing of a score by which tables do
    /// not compare agents.
    pub(crate) fn compared<N: ?Sized>(&self, name: &N) -> impl Iterator<Item = (&'a PlannedProblem, f64)>
    where
        ScoreName: PartialEq<N>,
    {
        let column = self.totals().column(name);
        let values = column.into_iter().flat_map(|column| column.problems.iter().zip(&column.values));
        values.map(|(place, value)| (&self.plan.problems[*place as usize], *value))
    }
}

impl AgentScores<'_> {
    /// Sums up the problems, and holds them no longer.
    pub(super) fn summed_up<'p>(self, plan: &'p Plan, planned: &'p PlannedAgent) -> AgentScores<'p> {
        let totals = OnceLock::from(Totals::of(plan, &self.problems, &self.failures));
        let Self { across, coverage, missing, seconds, .. } = self;
        AgentScores { across, coverage, missing, seconds, totals, ..AgentScores::new(plan, planned) }
    }

    /// Returns the scores summed up over all problems.
    pub fn totals(&self) -> &Totals {
        self.totals.get_or_init(|| Totals::of(self.plan, &self.problems, &self.failures))
    }

    /// Returns whether the agent has a result on every problem of the plan and failed on none.
    pub fn complete(&self) -> bool {
        self.totals().failed == 0 && self.missing == 0
    }

    /// Returns whether a problem lacks this score although others of its kind have it.
    pub fn lacks(&self, name: ScoreName) -> bool {
        self.totals().absences.iter().any(|absent| name == *absent.score)
    }

    /// Returns the names of the agent's scores, in the order of their definitions.
    pub fn names(&self) -> BTreeSet<ScoreName> {
        let across = self.across.iter().map(|(name, _)| *name);
        across.chain(self.totals().scores.iter().map(|total| total.name)).collect()
    }

    /// Returns the mean over the problems that have this score, or `None` if no problem has it. The standard error is
    /// over the problems, or over the datasets that they are made of. For a single problem it is that over its
    /// tau-samples; for several problems of one dataset it is NaN.
    pub fn summary<N: ?Sized>(&self, name: &N) -> Option<Summary>
    where
        ScoreName: PartialEq<N>,
    {
        if let Some((_, across)) = self.across.iter().find(|(known, _)| *known == *name) {
            return Some(across.summary(self.totals().scored));
        }
        self.totals().get(name).map(|total| total.summary)
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
        (!scored.is_empty()).then(|| totals::summary(&scored, summarize_clusters(&values, &clusters)))
    }

    /// Returns the effect of the number of draws on the mean of a joint score over problems.
    pub fn draws<N: ?Sized>(&self, name: &N) -> Option<DrawsOfScore>
    where
        ScoreName: PartialEq<N>,
    {
        self.totals().get(name)?.draws
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
    pub(super) fn document(&self) -> AgentDocument<'_> {
        let plan = self.plan;
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
            scores: Named(self.names().iter().filter_map(mean).collect()),
            failures: failures.collect(),
            problems: self.problems.iter().map(ScoredProblem::document).collect(),
            absences: absences.collect(),
            reference: self.planned.is_reference(),
        }
    }
}
