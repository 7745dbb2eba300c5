//! Scores of one agent on one problem of shift: of every condition that its test inputs are met in.

use std::fmt;
use std::str::FromStr;

pub use jointly_core::metric::THRESHOLDS;
use jointly_core::metric::{CalibrationBin, MarginalValues};
use jointly_core::score::{JointScore, Real, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::level::ShiftLevel;

/// What stands before the name of a set of inputs that belong to no class.
const OUTSIDE: &str = "outside/";
/// The name of the test inputs as they are.
const NONE: &str = "none";

/// How the test inputs are met; as text `none`, `rotation/45` or `outside/notmnist`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Condition {
    /// As they are.
    Unshifted,
    /// Shifted.
    Shifted(ShiftLevel),
    /// Others in their place, which belong to no class.
    Outside(String),
}

/// What one agent scored on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftScores {
    /// In the order of the suite: unshifted, shifted, outside.
    pub conditions: Vec<ConditionScores>,
    /// Fuel of training, and of all predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// What an agent used; the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Fuel of training.
    pub training: u64,
    /// Fuel of all predictions.
    pub prediction: u64,
    /// The most bytes that it ever held, copies of data and of answers included.
    pub bytes: u64,
}

/// What one agent scored in one condition, by its marginal predictions: the mean over draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionScores {
    /// The condition.
    pub condition: Condition,
    /// Number R of inputs.
    pub rows: u32,
    /// The largest probability of an input, in the mean.
    pub confidence: Score,
    /// Entropy of an input's probabilities, nats, in the mean.
    pub entropy: Score,
    /// For i from 0 to [`THRESHOLDS`]: the inputs whose confidence is at least i / [`THRESHOLDS`], and how many of them are
    /// right.
    pub confident: Vec<[u32; 2]>,
    /// Inputs by their entropy, in bins of equal width from 0 to ln K.
    pub entropies: Vec<u32>,
    /// Where inputs belong to classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labelled: Option<LabelledScores>,
    /// How well inputs of no class are told from the unshifted ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detection: Option<DetectionScores>,
}

/// Bins of entropy.
pub const ENTROPY_BINS: usize = 20;

/// What labels tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabelledScores {
    /// Share of inputs whose most probable class is the label.
    pub accuracy: Score,
    /// Area under the curve of class 1 against class 0, where there are but two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<Real>,
    /// Negative log-likelihood of an input's label, nats.
    pub nll: Score,
    /// Sum over classes of squared errors of an input's probabilities.
    pub brier: Score,
    /// The parts of the Brier score, uncertainty - resolution + reliability + remainder; see [`brier`](jointly_core::metric::brier).
    pub uncertainty: Real,
    /// How far the labels of inputs of one predicted class are from those of all.
    pub resolution: Real,
    /// How far predictions are from what is observed among inputs of one predicted class.
    pub reliability: Real,
    /// What telling those inputs apart is worth, below 0 where it helps.
    pub remainder: Real,
    /// Expected calibration error, in bins of equal width.
    pub ece: Real,
    /// The same in bins between quantiles of the unshifted inputs' confidence.
    pub ece_quantile: Real,
    /// The same of the largest probabilities of each input, where there are more than five classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ece_top5: Option<Real>,
    /// The other metrics of the marginal predictions.
    #[serde(default)]
    pub marginal: MarginalValues,
    /// The bins that `ece` is over, from the least confidence up; none in results of before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBin>,
    /// Joint negative log-likelihood of groups of tau inputs, nats a group.
    pub joint: Vec<(u32, JointScore)>,
    /// The Brier score of the mean over the first m draws.
    pub brier_by_draws: Vec<(u32, Real)>,
}

/// How well inputs that belong to no class are told from the unshifted ones, by confidence and by entropy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DetectionScores {
    /// By low confidence.
    pub confidence: Detection,
    /// By high entropy.
    pub entropy: Detection,
}

/// How well a score tells two sets apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detection {
    /// Area under the receiver operating characteristic.
    pub auroc: Real,
    /// Average precision with the inputs of no class as positives.
    pub aupr_out: Real,
    /// Average precision with the unshifted inputs as positives.
    pub aupr_in: Real,
    /// The share of unshifted inputs that are taken for being of no class, where 95 % of those that are so are found.
    pub fpr95_out: Real,
    /// The share of inputs of no class that are taken for unshifted ones, where 95 % of those are kept.
    pub fpr95_in: Real,
}

impl ShiftScores {
    /// The scores of the unshifted inputs.
    pub fn unshifted(&self) -> Option<&ConditionScores> {
        self.conditions.iter().find(|scores| scores.condition == Condition::Unshifted)
    }

    /// The scores at every level of shift.
    pub fn shifted(&self) -> impl Iterator<Item = (ShiftLevel, &ConditionScores)> {
        self.conditions.iter().filter_map(|scores| match scores.condition {
            Condition::Shifted(level) => Some((level, scores)),
            Condition::Unshifted | Condition::Outside(_) => None,
        })
    }

    /// The scores of each set of inputs of no class.
    pub fn outside(&self) -> impl Iterator<Item = (&str, &ConditionScores)> {
        self.conditions.iter().filter_map(|scores| match &scores.condition {
            Condition::Outside(name) => Some((name.as_str(), scores)),
            Condition::Unshifted | Condition::Shifted(_) => None,
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unshifted => f.write_str(NONE),
            Self::Shifted(level) => level.fmt(f),
            Self::Outside(name) => write!(f, "{OUTSIDE}{name}"),
        }
    }
}

impl FromStr for Condition {
    type Err = super::ShiftError;

    fn from_str(text: &str) -> Result<Self, super::ShiftError> {
        match text.strip_prefix(OUTSIDE) {
            Some(name) => Ok(Self::Outside(name.to_owned())),
            None if text == NONE => Ok(Self::Unshifted),
            None => text.parse().map(Self::Shifted),
        }
    }
}

impl TryFrom<String> for Condition {
    type Error = super::ShiftError;

    fn try_from(text: String) -> Result<Self, super::ShiftError> {
        text.parse()
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.to_string()
    }
}
