//! Where a problem stands among the problems of its suite.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The coordinates of a problem in its suite, which figures, means and standard errors group problems by.
///
/// A suite sets them when it makes its problems, and a plan keeps them, so that nothing reads a problem's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coordinates {
    /// The name that all repetitions of the problem share, such as `testbed/t10/temp0.1`: they differ in random draws alone.
    /// Empty where the problem is a series of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// What the problem is about, such as a dataset or a number of dimensions: problems of two groups are not drawn as one.
    /// Empty where the suite has a single group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// What standard errors are clustered by, such as a dataset that several problems are made of. Empty where the problem's
    /// data are independent of those of all others.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cluster: String,
    /// Number d of features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_dim: Option<u32>,
    /// Number T of training examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_size: Option<u32>,
    /// The temperature of the environment's softmax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The name of the acquisition function of active learning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquisition: Option<String>,
    /// What tells the problem from the others of its series, and its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
}

/// What is drawn anew from one problem of a series to the next, and the number of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// All random draws of the problem.
    Seed(u32),
    /// The training set, from a process that stays.
    Simulation(u32),
    /// The split of a table into training and test rows.
    Split(u32),
    /// The dataset, from a prior that stays.
    Set(u32),
}

impl Coordinates {
    /// Whether nothing is known of the problem's place.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The first number that no problem can have, for a person: coordinates may come from anywhere.
    pub fn defect(&self) -> Option<String> {
        if let Some(temperature) = self.temperature.filter(|own| !(own.is_finite() && *own > 0.0)) {
            return Some(format!("a temperature of {temperature}"));
        }
        let counts = [("features", self.input_dim), ("training examples", self.train_size)];
        counts.into_iter().find(|(_, count)| *count == Some(0)).map(|(what, _)| format!("0 {what}"))
    }
}
