//! The kinds of task: the one place that knows which kind has which scores and which leaderboard.
//!
//! A kind is a crate of `runtime/tasks`, or a part of one; what a plan's evaluation options and a unit's outcome are decides
//! which kind they are of. Code that needs something of a kind asks here and does not match on kinds itself.

use jointly_classification::shift::{ConditionScores, ShiftScores};
use jointly_classification::{scores as classification, shift};
use jointly_core::metric::{CalibrationBin, MARGINAL_METRICS};
use jointly_core::{Context, Layout, Metric, ScoreDef, ScoreInfo, ScoreName, Scored};
use jointly_regression::RegressionUnit;
use jointly_regression::scores as regression;

use crate::plan::{Plan, Terms};
use crate::unit::{Outcome, SampleDiagnosis};

/// A kind of task, as lists of scores and documentation name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Class probabilities, jointly over many inputs.
    Classification,
    /// Real numbers, jointly over many inputs.
    Regression,
    /// Class probabilities as inputs shift away from those of training.
    Shift,
}

impl Kind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Classification, Self::Regression, Self::Shift];

    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Classification => "classification",
            Self::Regression => "regression",
            Self::Shift => "shift",
        }
    }

    /// What is said of each of the kind's scores, in the order in which they are listed everywhere.
    pub fn scores(self) -> Vec<&'static ScoreInfo> {
        fn about<S>(definitions: &'static [ScoreDef<S>]) -> impl Iterator<Item = &'static ScoreInfo> {
            definitions.iter().map(|definition| &definition.about)
        }
        let marginal = MARGINAL_METRICS.iter().map(|metric| &metric.about);
        match self {
            Self::Classification => about(classification::SCORES).chain(marginal).collect(),
            Self::Regression => about(regression::SCORES).collect(),
            Self::Shift => about(shift::scores::CONDITION_SCORES)
                .chain(marginal)
                .chain(about(shift::scores::PROBLEM_SCORES))
                .collect(),
        }
    }

    /// The layouts of the kind's leaderboards, of which the first that holds is taken.
    pub fn layouts(self) -> &'static [Layout] {
        match self {
            Self::Classification => classification::LAYOUTS,
            Self::Regression => regression::LAYOUTS,
            Self::Shift => shift::scores::LAYOUTS,
        }
    }
}

/// The bins of marginal predictions' confidence, for each set of test inputs that a unit has.
#[derive(Clone, Debug, Default)]
pub struct Calibration<'a> {
    /// At test inputs like those of training.
    pub unshifted: Vec<&'a [CalibrationBin]>,
    /// At every level of dataset shift.
    pub shifted: Vec<&'a [CalibrationBin]>,
}

impl Plan {
    /// The kind of task that the plan is about.
    pub fn kind(&self) -> Kind {
        match self.terms {
            Terms::Evaluation(_) => Kind::Classification,
            Terms::Regression(_) => Kind::Regression,
            Terms::Shift(_) => Kind::Shift,
        }
    }
}

impl Outcome {
    /// All that a problem of regression gave.
    pub fn regression(&self) -> Option<&RegressionUnit> {
        match self {
            Self::Regression { scores, .. } => Some(scores),
            _ => None,
        }
    }

    /// All that a problem of dataset shift gave.
    pub fn shift(&self) -> Option<&ShiftScores> {
        match self {
            Self::Shift { scores, .. } => Some(scores),
            _ => None,
        }
    }

    /// What a reliability diagram is drawn from; empty of other kinds, and of results of before there were bins.
    pub fn calibration(&self) -> Calibration<'_> {
        let mut calibration = match self {
            Self::Scored { scores, .. } => Calibration { unshifted: vec![&scores.calibration], shifted: Vec::new() },
            Self::Shift { scores, .. } => Calibration {
                unshifted: scores.unshifted().and_then(bins).into_iter().collect(),
                shifted: scores.shifted().filter_map(|(_, scores)| bins(scores)).collect(),
            },
            Self::Regression { .. } | Self::Failed(_) => Calibration::default(),
        };
        calibration.unshifted.retain(|bins| !bins.is_empty());
        calibration.shifted.retain(|bins| !bins.is_empty());
        calibration
    }

    /// How far the sample of a reference is to be trusted.
    pub fn diagnosis(&self) -> Option<&SampleDiagnosis> {
        match self {
            Self::Scored { diagnosis, .. } => diagnosis.as_ref(),
            _ => None,
        }
    }

    /// The scores of a unit, in the order of their definitions; none of one that failed.
    ///
    /// `metric` is what the problem's joint scores measure, `draws` the number of functions sampled from the agent.
    pub fn scores(&self, metric: Metric, draws: u32) -> Option<Vec<(ScoreName, Scored)>> {
        let context = |fuel| Context { metric, draws, fuel };
        match self {
            Self::Scored { scores, fuel, .. } => {
                let mut all = ScoreDef::all(classification::SCORES, scores, &context(*fuel));
                all.extend(scores.marginal.scores());
                Some(all)
            }
            Self::Regression { scores, fuel } => {
                Some(ScoreDef::all(regression::SCORES, scores.as_ref(), &context(Some(*fuel))))
            }
            Self::Shift { scores, fuel } => Some(shift::scores::problem_scores(scores, &context(Some(*fuel)))),
            Self::Failed(_) => None,
        }
    }
}

fn bins(condition: &ConditionScores) -> Option<&[CalibrationBin]> {
    condition.labelled.as_ref().map(|labelled| labelled.calibration.as_slice())
}
