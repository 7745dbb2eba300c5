//! One agent's scores on one problem.

use jointly_core::kind::{Calibration, ConditionValues, TaskKind, TaskScores};
use jointly_core::{ScoreName, Scored};
use jointly_record::plan::PlannedProblem;
use jointly_record::unit::{Outcome, SampleDiagnosis};

use super::document::{ConditionDocument, Named, ProblemDocument};
use super::values::number;

/// One agent's scores on one problem.
pub struct ScoredProblem<'a> {
    /// The problem's place in the plan.
    pub(super) place: usize,
    /// The problem's name.
    pub problem: &'a str,
    /// The problem as it stands in the plan.
    pub planned: &'a PlannedProblem,
    /// Wall-clock seconds, where they were kept.
    pub(super) seconds: Option<f64>,
    /// The scores by name.
    pub values: Vec<(ScoreName, Scored)>,
    /// The whole result.
    pub(super) outcome: &'a Outcome,
    /// Scores that it lacks, and why.
    pub absences: Vec<(&'static str, String)>,
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

    /// Returns the scores in the form of scores.json.
    pub(super) fn document(&self) -> ProblemDocument<'_> {
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
