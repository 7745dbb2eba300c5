//! Values of a score, a number a problem, and numbers with their standard errors.

use jointly_core::summarize_clusters;
use serde::Deserialize;

/// The units over which a standard error is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// The clusters of the plan: problems of one dataset are one.
    #[default]
    Clusters,
    /// The problems, as papers have it that take the error over the splits of one dataset.
    Problems,
}

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    /// NaN if it is not known.
    pub(crate) stderr: f64,
}

/// An agent's values of a score, a number a problem.
pub(crate) struct Values {
    pub(crate) problems: Vec<String>,
    pub(crate) clusters: Vec<String>,
    pub(crate) each: Vec<f64>,
}

impl Values {
    /// Takes standard errors over other units.
    pub(crate) fn over(self, units: Units) -> Self {
        match units {
            Units::Clusters => self,
            Units::Problems => Self { clusters: self.problems.clone(), ..self },
        }
    }

    /// Returns the mean.
    pub(crate) fn mean(&self) -> Estimate {
        let summary = summarize_clusters(&self.each, &self.clusters);
        Estimate { value: summary.mean, stderr: summary.stderr }
    }
}
