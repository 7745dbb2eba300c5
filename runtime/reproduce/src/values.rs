//! Values of a score, a number a problem, and numbers with their standard errors.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use jointly_core::distribution::student_t_quantile;
use jointly_core::summarize_clusters;
use serde::Deserialize;

/// The probability that a normal number is less than two standard deviations above its mean.
const TWO_SIGMA: f64 = 0.977_249_868_051_820_8;

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

/// Counts the different names.
pub(crate) fn different<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    names.collect::<BTreeSet<_>>().len()
}

/// A number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    /// NaN if it is not known.
    pub(crate) stderr: f64,
    /// The number of independent units that the standard error is over.
    pub(crate) units: usize,
}

impl Estimate {
    /// Returns the error that a normal number exceeds as rarely as two standard errors.
    ///
    /// # Formula
    /// t s, where t is the quantile at .97725 of Student's t distribution with one degree of freedom less than there are units: 2 for
    /// many units, 2.9 for five, 14 for two.
    pub(crate) fn error(&self) -> f64 {
        if self.units < 2 { f64::NAN } else { student_t_quantile(TWO_SIGMA, (self.units - 1) as f64) * self.stderr }
    }
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

    /// Returns the mean on each cluster in place of the problems, so that clusters count alike.
    pub(crate) fn of_clusters(&self) -> Self {
        let mut sums: BTreeMap<&String, (f64, f64)> = BTreeMap::new();
        for (cluster, value) in self.clusters.iter().zip(&self.each) {
            let (sum, count) = sums.entry(cluster).or_default();
            (*sum, *count) = (*sum + value, *count + 1.0);
        }
        let names: Vec<String> = sums.keys().map(|name| (*name).clone()).collect();
        Self { problems: names.clone(), clusters: names, each: sums.values().map(|(sum, count)| sum / count).collect() }
    }

    /// Adds values on other clusters.
    ///
    /// # Errors
    /// When both have a cluster.
    pub(crate) fn and(mut self, other: Self) -> Result<Self> {
        let shared = other.clusters.iter().find(|cluster| self.clusters.contains(cluster));
        ensure!(shared.is_none(), "both runs have {}, so that it would count twice", shared.map_or("", String::as_str));
        self.problems.extend(other.problems);
        self.clusters.extend(other.clusters);
        self.each.extend(other.each);
        Ok(self)
    }

    /// Returns the mean.
    pub(crate) fn mean(&self) -> Estimate {
        let summary = summarize_clusters(&self.each, &self.clusters);
        Estimate { value: summary.mean, stderr: summary.stderr, units: summary.clusters }
    }
}
