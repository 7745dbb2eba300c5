//! The scores of one agent on one problem of dataset shift, for each condition of its test inputs.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jointly_core::counted;
pub use jointly_core::metric::THRESHOLDS;
use jointly_core::metric::{CalibrationBin, MarginalValues};
use jointly_core::score::{JointScore, Real, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::level::ShiftLevel;
use super::options::ShiftOptions;
use super::problem::ShiftProblem;

/// The prefix of the name of a set of out-of-distribution inputs.
const OUTSIDE: &str = "outside/";
/// The name of the unshifted test inputs.
const NONE: &str = "none";

/// The condition of the test inputs; as text `none`, `rotation/45` or `outside/notmnist`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum Condition {
    /// Unshifted test inputs.
    Unshifted,
    /// Shifted test inputs.
    Shifted(ShiftLevel),
    /// Out-of-distribution inputs, by the name of their set.
    Outside(String),
}

/// The scores of one agent on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShiftScores {
    /// In the order of the suite: unshifted, shifted, out-of-distribution.
    pub conditions: Vec<ConditionScores>,
    /// Fuel of training and of all predictions, and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// The resources that an agent used; the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Fuel of training.
    pub training: u64,
    /// Fuel of all predictions.
    pub prediction: u64,
    /// The most bytes that the agent held at one time, including copies of data and of answers.
    pub bytes: u64,
}

/// The scores of one agent in one condition, of its marginal predictions: the mean over draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionScores {
    /// The condition.
    pub condition: Condition,
    /// Number R of inputs.
    pub rows: u32,
    /// The mean over inputs of an input's largest probability.
    pub confidence: Score,
    /// The mean over inputs of the entropy of an input's probabilities, in nats.
    pub entropy: Score,
    /// For i from 0 to [`THRESHOLDS`]: the number of inputs whose confidence is at least i / [`THRESHOLDS`], and the
    /// number of those that are classified correctly.
    pub confident: Vec<[u32; 2]>,
    /// Numbers of inputs by their entropy, in bins of equal width from 0 to ln K.
    pub entropies: Vec<u32>,
    /// Scores that need labels; absent for out-of-distribution inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labelled: Option<LabelledScores>,
    /// How well these out-of-distribution inputs are detected among the unshifted inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detection: Option<DetectionScores>,
}

/// Number of bins of entropy.
pub const ENTROPY_BINS: usize = 20;

/// The scores of one condition that need labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabelledScores {
    /// Share of inputs whose most probable class is the label.
    pub accuracy: Score,
    /// Area under the curve of class 1 against class 0, if there are exactly two classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<Real>,
    /// Negative log-likelihood of an input's label, in nats.
    pub nll: Score,
    /// Sum over classes of the squared errors of an input's probabilities.
    pub brier: Score,
    /// The uncertainty of the Brier score, which is uncertainty - resolution + reliability + remainder; see
    /// [`brier`](jointly_core::metric::brier).
    pub uncertainty: Real,
    /// The difference between the labels of inputs with the same predicted class and the labels of all inputs.
    pub resolution: Real,
    /// The difference between predictions and the observed labels of inputs with the same predicted class.
    pub reliability: Real,
    /// -2 times the mean covariance of predictions and labels among inputs with the same predicted class; below 0 if
    /// distinguishing these inputs helps.
    pub remainder: Real,
    /// Expected calibration error, in bins of equal width.
    pub ece: Real,
    /// Expected calibration error, in bins between quantiles of the unshifted inputs' confidence.
    pub ece_quantile: Real,
    /// Expected calibration error of the five largest probabilities of each input, if there are more than five classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ece_top5: Option<Real>,
    /// The other metrics of the marginal predictions.
    #[serde(default)]
    pub marginal: MarginalValues,
    /// The bins of `ece`, from the lowest confidence up; empty in results of older versions, which kept no bins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibration: Vec<CalibrationBin>,
    /// Joint negative log-likelihood of groups of tau inputs, in nats per group.
    pub joint: Vec<(u32, JointScore)>,
    /// The Brier score of the mean over the first m draws, for several m.
    pub brier_by_draws: Vec<(u32, Real)>,
}

/// How well out-of-distribution inputs are distinguished from the unshifted ones, by confidence and by entropy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DetectionScores {
    /// Detection by low confidence.
    pub confidence: Detection,
    /// Detection by high entropy.
    pub entropy: Detection,
}

/// How well a score distinguishes two sets of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Detection {
    /// Area under the receiver operating characteristic.
    pub auroc: Real,
    /// Average precision with the out-of-distribution inputs as positives.
    pub aupr_out: Real,
    /// Average precision with the unshifted inputs as positives.
    pub aupr_in: Real,
    /// The share of unshifted inputs that are taken for out-of-distribution inputs when 95 % of the latter are found.
    pub fpr95_out: Real,
    /// The share of out-of-distribution inputs that are taken for unshifted ones when 95 % of the latter are kept.
    pub fpr95_in: Real,
}

impl ShiftScores {
    /// Describes what no result under these options has, if this one has it. `problem` is `None` for a user's
    /// own images, of which levels and sets of out-of-distribution inputs may be missing.
    pub(super) fn impossible(&self, options: &ShiftOptions, problem: Option<&ShiftProblem>) -> Option<String> {
        let levels = self.impossible_levels(options, problem);
        levels.or_else(|| self.impossible_ood_sets(problem)).or_else(|| self.impossible_scores(options))
    }

    fn impossible_levels(&self, options: &ShiftOptions, problem: Option<&ShiftProblem>) -> Option<String> {
        let levels = problem.map_or_else(|| options.levels.clone(), |problem| problem.taken(&options.levels));
        let mut shifted = self.shifted().map(|(level, _)| level).peekable();
        for level in levels {
            if shifted.next_if_eq(&level).is_none() && problem.is_some() {
                return Some(format!("no scores at {level}, or none in the order of the levels"));
            }
        }
        shifted.next().map(|level| format!("scores at {level} beside those of all levels"))
    }

    fn impossible_ood_sets(&self, problem: Option<&ShiftProblem>) -> Option<String> {
        let sets: Vec<&str> = self.outside().map(|(name, _)| name).collect();
        let mut before = BTreeSet::new();
        let expected = match problem {
            Some(problem) => problem.ood_sets(&sets),
            None => sets.iter().copied().filter(|name| before.insert(*name)).collect(),
        };
        (sets != expected)
            .then(|| format!("scores of the out-of-distribution inputs {sets:?}, and not of {expected:?}"))
    }

    fn impossible_scores(&self, options: &ShiftOptions) -> Option<String> {
        let first = self.conditions.first().filter(|first| first.condition == Condition::Unshifted);
        let Some(first) = first else { return Some("no scores without shift in the first place".to_owned()) };
        let taus: Vec<u32> = options.taus.iter().copied().filter(|tau| *tau <= first.rows).collect();
        self.conditions.iter().find_map(|scores| {
            let outside = matches!(scores.condition, Condition::Outside(_));
            if scores.detection.is_some() != outside {
                let what = if outside { "no scores" } else { "scores" };
                return Some(format!("{what} of detection in condition {}", scores.condition));
            }
            let Some(labelled) = &scores.labelled else {
                return (!outside).then(|| format!("no scores of labels in condition {}", scores.condition));
            };
            let own: Vec<u32> = labelled.joint.iter().map(|(tau, _)| *tau).collect();
            let whole = !outside && scores.rows == first.rows && own == taus;
            (!whole).then(|| {
                let inputs = counted(scores.rows as usize, "input");
                format!(
                    "scores of {inputs} and tau {own:?} in condition {}, and not of {} and {taus:?}",
                    scores.condition, first.rows
                )
            })
        })
    }

    /// Returns the scores of the unshifted inputs.
    pub fn unshifted(&self) -> Option<&ConditionScores> {
        self.conditions.iter().find(|scores| scores.condition == Condition::Unshifted)
    }

    /// Returns the scores at every level of shift.
    pub fn shifted(&self) -> impl Iterator<Item = (ShiftLevel, &ConditionScores)> {
        self.conditions.iter().filter_map(|scores| match scores.condition {
            Condition::Shifted(level) => Some((level, scores)),
            Condition::Unshifted | Condition::Outside(_) => None,
        })
    }

    /// Returns the scores of each set of out-of-distribution inputs.
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
