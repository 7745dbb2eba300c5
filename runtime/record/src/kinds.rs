//! The registry of the kinds of task, the only place that tells them apart.
//!
//! A kind is a type of a crate of `runtime/tasks`. A plan's evaluation options and a unit's outcome are stored as one
//! of several types. Other code asks here for what every kind has, or for the types of one kind, and matches on none.

use std::any::Any;

use jointly_classification::shift::{DatasetShift, ShiftOptions, ShiftScores};
use jointly_classification::{Classification, Evaluation, ProblemScores};
use jointly_core::failure::Failure;
use jointly_core::kind::{Calibration, Kind, TaskKind, TaskOptions, TaskScores};
use jointly_core::{Context, Metric, ScoreName, Scored};
use jointly_decisions::{DecisionOptions, DecisionScores, Decisions};
use jointly_regression::{Regression, RegressionUnit};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::plan::{Plan, PlannedAgent, RegressionTerms, Terms};
use crate::suites::IMPORTED;
use crate::unit::{Outcome, SampleDiagnosis};

static CLASSIFICATION: Kind = Kind::of::<Classification>();
static REGRESSION: Kind = Kind::of::<Regression>();
static SHIFT: Kind = Kind::of::<DatasetShift>();
static DECISIONS: Kind = Kind::of::<Decisions>();

/// All kinds, in the order in which they are listed.
pub static KINDS: [&Kind; 4] = [&CLASSIFICATION, &REGRESSION, &SHIFT, &DECISIONS];

/// The field name of the predicting agent among the options.
pub(crate) const PREDICTOR: &str = "predictor";

impl Terms {
    /// Returns the options of the one kind that a plan has, or `None` if it has none or several.
    pub(crate) fn of_one(
        evaluation: Option<Evaluation>,
        regression: Option<RegressionTerms>,
        shift: Option<ShiftOptions>,
        decisions: Option<DecisionOptions>,
    ) -> Option<Self> {
        only([
            evaluation.map(Self::Evaluation),
            regression.map(Self::Regression),
            shift.map(Self::Shift),
            decisions.map(Self::Decisions),
        ])
    }

    /// Returns the kind of task of the options.
    pub fn kind(&self) -> &'static Kind {
        match self {
            Self::Evaluation(_) => &CLASSIFICATION,
            Self::Regression(_) => &REGRESSION,
            Self::Shift(_) => &SHIFT,
            Self::Decisions(_) => &DECISIONS,
        }
    }

    /// Returns how predictions are evaluated.
    pub fn options(&self) -> &dyn TaskOptions {
        match self {
            Self::Evaluation(evaluation) => evaluation,
            Self::Regression(terms) => &terms.options,
            Self::Shift(options) => options,
            Self::Decisions(options) => options,
        }
    }

    /// Returns the agent that predicts in active learning, if it is not the one that selects.
    pub fn predictor(&self) -> Option<&PlannedAgent> {
        match self {
            Self::Regression(terms) => terms.predictor.as_ref(),
            _ => None,
        }
    }

    /// Returns the predicting agent for changes.
    pub(crate) fn predictor_mut(&mut self) -> Option<&mut PlannedAgent> {
        match self {
            Self::Regression(terms) => terms.predictor.as_mut(),
            _ => None,
        }
    }

    /// Returns the options under their names in plan.json, and the predicting agent.
    pub fn fields(&self) -> Map<String, Value> {
        let options = match self {
            Self::Evaluation(evaluation) => serde_json::to_value(evaluation),
            Self::Regression(terms) => serde_json::to_value(&terms.options),
            Self::Shift(options) => serde_json::to_value(options),
            Self::Decisions(options) => serde_json::to_value(options),
        };
        let mut fields = options.ok().and_then(|options| options.as_object().cloned()).unwrap_or_default();
        let predictor = self.predictor().map_or("the agent that selects", |agent| agent.label.as_str());
        fields.insert(PREDICTOR.into(), predictor.into());
        fields
    }
}

impl Plan {
    /// Returns the kind of task of the plan.
    pub fn kind(&self) -> &'static Kind {
        self.terms.kind()
    }

    /// Returns the options of kind `K`, if the plan has that kind.
    pub fn options<K: TaskKind>(&self) -> Option<&K::Options> {
        let options: &dyn Any = self.terms.options();
        options.downcast_ref()
    }

    /// Returns the number of functions sampled from each agent.
    pub fn draws(&self) -> u32 {
        self.terms.options().draws()
    }

    /// Returns the number of tau-samples of each problem; imported problems have their own numbers, which a plan lacks.
    pub fn tau_samples(&self) -> Option<u32> {
        self.terms.options().tau_samples().filter(|_| self.suite != IMPORTED)
    }

    /// Returns the agent that predicts in active learning, if it is not the one that selects.
    pub fn predictor(&self) -> Option<&PlannedAgent> {
        self.terms.predictor()
    }

    /// Returns whether a unit of the plan can have this outcome.
    pub fn takes(&self, outcome: &Outcome) -> bool {
        outcome.kind().is_none_or(|kind| kind.name == self.kind().name)
    }
}

/// Returns the value that is there, if it is the only one.
fn only<T, const N: usize>(values: [Option<T>; N]) -> Option<T> {
    let mut values = values.into_iter().flatten();
    values.next().filter(|_| values.next().is_none())
}

/// An outcome with scores, as it stands in a line of the journal.
#[derive(Deserialize)]
pub(crate) struct ScoredText<S> {
    scores: S,
    fuel: Option<u64>,
    diagnosis: Option<SampleDiagnosis>,
}

impl Outcome {
    /// Returns the one outcome that a result has, or `None` if it has none or several.
    pub(crate) fn of_one(
        scored: Option<ScoredText<ProblemScores>>,
        regression: Option<ScoredText<Box<RegressionUnit>>>,
        shift: Option<ScoredText<Box<ShiftScores>>>,
        decisions: Option<ScoredText<Box<DecisionScores>>>,
        failed: Option<Failure>,
    ) -> Option<Self> {
        only([
            scored.map(|ScoredText { scores, fuel, diagnosis }| Self::Scored { scores, fuel, diagnosis }),
            regression.map(|ScoredText { scores, fuel, .. }| Self::Regression { scores, fuel }),
            shift.map(|ScoredText { scores, fuel, .. }| Self::Shift { scores, fuel }),
            decisions.map(|ScoredText { scores, fuel, diagnosis }| Self::Decisions { scores, fuel, diagnosis }),
            failed.map(Self::Failed),
        ])
    }

    /// Returns the kind of task of the outcome, or `None` for a failure.
    pub fn kind(&self) -> Option<&'static Kind> {
        match self {
            Self::Scored { .. } => Some(&CLASSIFICATION),
            Self::Regression { .. } => Some(&REGRESSION),
            Self::Shift { .. } => Some(&SHIFT),
            Self::Decisions { .. } => Some(&DECISIONS),
            Self::Failed(_) => None,
        }
    }

    /// Returns the scores of the problem, or `None` for a failure.
    pub fn result(&self) -> Option<&dyn TaskScores> {
        match self {
            Self::Scored { scores, .. } => Some(scores),
            Self::Regression { scores, .. } => Some(scores.as_ref()),
            Self::Shift { scores, .. } => Some(scores.as_ref()),
            Self::Decisions { scores, .. } => Some(scores.as_ref()),
            Self::Failed(_) => None,
        }
    }

    /// Returns the scores of the problem for changes, or `None` for a failure.
    pub fn result_mut(&mut self) -> Option<&mut dyn TaskScores> {
        match self {
            Self::Scored { scores, .. } => Some(scores),
            Self::Regression { scores, .. } => Some(scores.as_mut()),
            Self::Shift { scores, .. } => Some(scores.as_mut()),
            Self::Decisions { scores, .. } => Some(scores.as_mut()),
            Self::Failed(_) => None,
        }
    }

    /// Returns the scores of a problem of kind `K`, if it has that kind.
    pub fn of<K: TaskKind>(&self) -> Option<&K::Scores> {
        let result: &dyn Any = self.result()?;
        result.downcast_ref()
    }

    /// Returns the fuel that was used, or `None` if it was not metered or the agent failed.
    pub fn fuel(&self) -> Option<u64> {
        match self {
            Self::Scored { fuel, .. }
            | Self::Regression { fuel, .. }
            | Self::Shift { fuel, .. }
            | Self::Decisions { fuel, .. } => *fuel,
            Self::Failed(_) => None,
        }
    }

    /// Returns the agent's failure, if it failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns how far to trust the sample of a reference.
    pub fn diagnosis(&self) -> Option<&SampleDiagnosis> {
        match self {
            Self::Scored { diagnosis, .. } | Self::Decisions { diagnosis, .. } => diagnosis.as_ref(),
            _ => None,
        }
    }

    /// Returns the digest of the agent's predictions, if its result names one.
    pub fn belief(&self) -> Option<&str> {
        self.result()?.belief()
    }

    /// Returns the data of a reliability diagram; it is empty unless predictions are of classes.
    pub fn calibration(&self) -> Calibration<'_> {
        self.result().map(TaskScores::calibration).unwrap_or_default()
    }

    /// Returns the scores of a unit in the order of their definitions, or `None` if it failed.
    ///
    /// `metric` is what the problem's joint scores measure.
    pub fn scores(&self, metric: Metric, options: &dyn TaskOptions) -> Option<Vec<(ScoreName, Scored)>> {
        let (draws, estimator, precision) = (options.draws(), options.estimator(), options.precision());
        Some(self.result()?.values(&Context { metric, draws, estimator, precision, fuel: self.fuel() }))
    }
}
