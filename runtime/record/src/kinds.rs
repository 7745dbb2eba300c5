//! The kinds of task: the one place that tells them apart.
//!
//! A kind is a type of a crate of `runtime/tasks`. What a plan evaluates and what a unit gave are stored as one of several types;
//! code that needs something of them asks here, for what every kind has or for the types of one kind, and matches on none.

use std::any::Any;

use jointly_classification::Classification;
use jointly_classification::shift::DatasetShift;
use jointly_core::failure::Failure;
use jointly_core::kind::{Calibration, Kind, TaskKind, TaskOptions, TaskScores};
use jointly_core::{Context, Metric, ScoreName, Scored};
use jointly_regression::Regression;
use serde_json::{Map, Value};

use crate::plan::{Plan, PlannedAgent, Terms};
use crate::unit::{Outcome, SampleDiagnosis};

static CLASSIFICATION: Kind = Kind::of::<Classification>();
static REGRESSION: Kind = Kind::of::<Regression>();
static SHIFT: Kind = Kind::of::<DatasetShift>();

/// All kinds, in the order in which they are listed.
pub static KINDS: [&Kind; 3] = [&CLASSIFICATION, &REGRESSION, &SHIFT];

/// The name of the agent that predicts, among the options' names.
pub(crate) const PREDICTOR: &str = "predictor";

impl Terms {
    /// The kind of task that they are of.
    pub fn kind(&self) -> &'static Kind {
        match self {
            Self::Evaluation(_) => &CLASSIFICATION,
            Self::Regression(_) => &REGRESSION,
            Self::Shift(_) => &SHIFT,
        }
    }

    /// How predictions are evaluated.
    pub fn options(&self) -> &dyn TaskOptions {
        match self {
            Self::Evaluation(evaluation) => evaluation,
            Self::Regression(terms) => &terms.options,
            Self::Shift(options) => options,
        }
    }

    /// The agent that predicts in active learning, where it is not the one that selects.
    pub fn predictor(&self) -> Option<&PlannedAgent> {
        match self {
            Self::Regression(terms) => terms.predictor.as_ref(),
            _ => None,
        }
    }

    /// The options by the names that plan.json has for them, and the agent that predicts.
    pub fn fields(&self) -> Map<String, Value> {
        let options = match self {
            Self::Evaluation(evaluation) => serde_json::to_value(evaluation),
            Self::Regression(terms) => serde_json::to_value(&terms.options),
            Self::Shift(options) => serde_json::to_value(options),
        };
        let mut fields = options.ok().and_then(|options| options.as_object().cloned()).unwrap_or_default();
        let predictor = self.predictor().map_or("the agent that selects", |agent| agent.label.as_str());
        fields.insert(PREDICTOR.into(), predictor.into());
        fields
    }
}

impl Plan {
    /// The kind of task that the plan is about.
    pub fn kind(&self) -> &'static Kind {
        self.terms.kind()
    }

    /// The options of a kind, where the plan is of that kind.
    pub fn options<K: TaskKind>(&self) -> Option<&K::Options> {
        let options: &dyn Any = self.terms.options();
        options.downcast_ref()
    }

    /// Functions sampled from each agent.
    pub fn draws(&self) -> u32 {
        self.terms.options().draws()
    }

    /// The agent that predicts in active learning, where it is not the one that selects.
    pub fn predictor(&self) -> Option<&PlannedAgent> {
        self.terms.predictor()
    }

    /// Whether its units can have such an outcome.
    pub fn takes(&self, outcome: &Outcome) -> bool {
        outcome.kind().is_none_or(|kind| kind.name == self.kind().name)
    }
}

impl Outcome {
    /// The kind of task that it is of; none of a failure.
    pub fn kind(&self) -> Option<&'static Kind> {
        match self {
            Self::Scored { .. } => Some(&CLASSIFICATION),
            Self::Regression { .. } => Some(&REGRESSION),
            Self::Shift { .. } => Some(&SHIFT),
            Self::Failed(_) => None,
        }
    }

    /// What the problem gave; none of a failure.
    pub fn result(&self) -> Option<&dyn TaskScores> {
        match self {
            Self::Scored { scores, .. } => Some(scores),
            Self::Regression { scores, .. } => Some(scores.as_ref()),
            Self::Shift { scores, .. } => Some(scores.as_ref()),
            Self::Failed(_) => None,
        }
    }

    /// What the problem gave, to change.
    pub fn result_mut(&mut self) -> Option<&mut dyn TaskScores> {
        match self {
            Self::Scored { scores, .. } => Some(scores),
            Self::Regression { scores, .. } => Some(scores.as_mut()),
            Self::Shift { scores, .. } => Some(scores.as_mut()),
            Self::Failed(_) => None,
        }
    }

    /// What a problem of that kind gave.
    pub fn of<K: TaskKind>(&self) -> Option<&K::Scores> {
        let result: &dyn Any = self.result()?;
        result.downcast_ref()
    }

    /// The fuel that was used; none where it was not metered, and of a failure.
    pub fn fuel(&self) -> Option<u64> {
        match self {
            Self::Scored { fuel, .. } => *fuel,
            Self::Regression { fuel, .. } | Self::Shift { fuel, .. } => Some(*fuel),
            Self::Failed(_) => None,
        }
    }

    /// How the agent failed, where it did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// How far the sample of a reference is to be trusted.
    pub fn diagnosis(&self) -> Option<&SampleDiagnosis> {
        match self {
            Self::Scored { diagnosis, .. } => diagnosis.as_ref(),
            _ => None,
        }
    }

    /// The digest of the agent's predictions, where its result names one.
    pub fn belief(&self) -> Option<&str> {
        self.result()?.belief()
    }

    /// What a reliability diagram is drawn from; empty where predictions are not of classes.
    pub fn calibration(&self) -> Calibration<'_> {
        self.result().map(TaskScores::calibration).unwrap_or_default()
    }

    /// The scores of a unit, in the order of their definitions; none of one that failed.
    ///
    /// `metric` is what the problem's joint scores measure, `draws` the number of functions sampled from the agent.
    pub fn scores(&self, metric: Metric, draws: u32) -> Option<Vec<(ScoreName, Scored)>> {
        Some(self.result()?.values(&Context { metric, draws, fuel: self.fuel() }))
    }
}
