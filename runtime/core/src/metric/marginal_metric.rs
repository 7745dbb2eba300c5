//! The metrics of marginal predictions that every suite of classification and dataset shift reports.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gather::{Gather, MarginalMetric};
use super::smooth_ece;
use crate::score::Real;
use crate::score_def::{At, ScoreName};
use crate::scored::Scored;

/// The metrics, in the order in which they are listed everywhere. A new metric is a file beside this one and an entry
/// here: suites of classification and of dataset shift compute it, and `scores.json`, `leaderboard.csv`, pages and
/// `jointly scores` show it.
pub const MARGINAL_METRICS: &[MarginalMetric] = &[smooth_ece::METRIC];

/// The values of the metrics, by stem.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MarginalValues(BTreeMap<String, Real>);

impl MarginalValues {
    pub(super) fn gathered(gathered: &[Box<dyn Gather>]) -> Self {
        let named = MARGINAL_METRICS.iter().zip(gathered);
        Self(named.map(|(metric, gathered)| (metric.about.stem.to_owned(), Real(gathered.value()))).collect())
    }

    /// Returns the values that the result has, in the order of the metrics.
    pub fn scores(&self) -> Vec<(ScoreName, Scored)> {
        let value = |(place, metric): (usize, &'static MarginalMetric)| {
            let Real(value) = *self.0.get(metric.about.stem)?;
            Some((ScoreName::listed(&metric.about, place, At::Once), Scored::plain(value)))
        };
        MARGINAL_METRICS.iter().enumerate().filter_map(value).collect()
    }
}

/// Returns all metrics, without predictions.
pub(super) fn begin() -> Vec<Box<dyn Gather>> {
    MARGINAL_METRICS.iter().map(|metric| (metric.gather)()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_a_journal_and_are_named_as_they_are_defined() {
        let mut gathered = begin();
        for (row, label) in [([0.75, 0.25], 0), ([0.5, 0.5], 1)] {
            for metric in &mut gathered {
                metric.add(&row, label);
            }
        }
        let values = MarginalValues::gathered(&gathered);
        let back: MarginalValues = serde_json::from_str(&serde_json::to_string(&values).unwrap()).unwrap();
        assert_eq!(back, values);
        let names: Vec<String> = values.scores().iter().map(|(name, _)| name.to_string()).collect();
        let stems: Vec<&str> = MARGINAL_METRICS.iter().map(|metric| metric.about.stem).collect();
        assert_eq!(names, stems);
        // A line of a journal may name a metric that this version does not have.
        let other: MarginalValues = serde_json::from_str(r#"{"charm":0.5}"#).unwrap();
        assert!(other.scores().is_empty());
    }
}
