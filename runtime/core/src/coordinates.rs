//! The place of a problem among the problems of its suite.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The coordinates of a problem in its suite, by which figures, means and standard errors group problems.
///
/// A suite sets them when it makes its problems, and a plan keeps them, so that nothing reads a problem's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coordinates {
    /// The name that all repetitions of the problem share, such as `testbed/t10/temp0.1`: they differ only in random
    /// draws. Empty if the problem is a series of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// The group of the problem, such as a dataset or a number of dimensions: problems of two groups are not drawn as
    /// one. Empty if the suite has a single group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The cluster for standard errors, such as a dataset that several problems are made of. Empty if the problem's
    /// data are independent of those of all others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cluster: String,
    /// Number d of features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_dim: Option<u32>,
    /// Number T of training examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_size: Option<u32>,
    /// Number K of classes, where a guess is right as often as 1 / K: of problems on data, and of drawn digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u32>,
    /// The temperature of the environment's softmax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The name of the acquisition function of active learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquisition: Option<String>,
    /// The kind of repetition that distinguishes the problem from others of its series, and its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

/// The part that is drawn anew for each problem of a series, with the number of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// All random draws of the problem.
    Seed(u32),
    /// The training set, from a fixed process.
    Simulation(u32),
    /// The split of a table into training and test rows.
    Split(u32),
    /// The dataset, from a fixed prior.
    Set(u32),
}

impl Coordinates {
    /// Returns whether nothing is known about the problem's place.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Describes the first number that no problem can have; coordinates may come from anywhere.
    pub fn defect(&self) -> Option<String> {
        if let Some(temperature) = self.temperature.filter(|own| !(own.is_finite() && *own > 0.0)) {
            return Some(format!("a temperature of {temperature}"));
        }
        let counts = [("features", self.input_dim), ("training examples", self.train_size), ("classes", self.classes)];
        counts.into_iter().find(|(_, count)| *count == Some(0)).map(|(what, _)| format!("0 {what}"))
    }
}
