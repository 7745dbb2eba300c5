//! Values of a score, a number a problem, and numbers with their standard errors.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use jointly_core::distribution::student_t_quantile;
use jointly_core::{Score, summarize_clusters};
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
    /// The repetitions: all problems of one seed, split or set are one, so that the spread between sizes or datasets,
    /// which every repetition has alike, is no error.
    Repetitions,
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
    /// Returns the values of each cluster.
    pub(crate) fn by_cluster(&self) -> BTreeMap<&str, Vec<f64>> {
        let mut clusters: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (cluster, value) in self.clusters.iter().zip(&self.each) {
            clusters.entry(cluster).or_default().push(*value);
        }
        clusters
    }

    /// Returns the mean on each cluster.
    pub(crate) fn cluster_means(&self) -> Vec<(&str, f64)> {
        self.by_cluster().into_iter().map(|(cluster, values)| (cluster, Score::of(&values).mean)).collect()
    }

    /// Joins values on other clusters to these.
    ///
    /// # Errors
    /// When both have a cluster.
    pub(crate) fn joined(mut self, other: Self) -> Result<Self> {
        if let Some(shared) = other.clusters.iter().find(|cluster| self.clusters.contains(cluster)) {
            bail!("both runs have {shared}, which would count twice: leave it out of one, with --problems");
        }
        self.problems.extend(other.problems);
        self.clusters.extend(other.clusters);
        self.each.extend(other.each);
        Ok(self)
    }

    /// Returns the mean of the means on clusters, which are those of the number that it is compared with.
    ///
    /// # Formula
    /// (1 / C) sum of m_c over the C clusters, with the standard error sqrt(sum of s_c^2) / C: m_c and s_c are the mean of a
    /// cluster's problems and its standard error. Differences between clusters are no error, since both sides have the same. NaN
    /// if a cluster has one problem. There are N - C degrees of freedom with N problems.
    pub(crate) fn stratified_mean(&self) -> Estimate {
        let clusters: Vec<Score> = self.by_cluster().values().map(|values| Score::of(values)).collect();
        let count = clusters.len() as f64;
        let mean = clusters.iter().map(|cluster| cluster.mean).sum::<f64>() / count;
        let squares: f64 = clusters.iter().map(|cluster| cluster.stderr.powi(2)).sum();
        let units = self.each.len() + 1 - clusters.len();
        Estimate { value: mean, stderr: squares.sqrt() / count, units }
    }

    /// Returns the mean.
    pub(crate) fn mean(&self) -> Estimate {
        let summary = summarize_clusters(&self.each, &self.clusters);
        Estimate { value: summary.mean, stderr: summary.stderr, units: summary.clusters }
    }
}
