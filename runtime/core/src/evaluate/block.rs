//! A run of tau-samples whose estimates are filled together, function by function.

use std::ops::Range;

use crate::estimate::{
    ExactSum, MAX_DRAWS, MAX_PLANES, MarginalMean, MonteCarlo, Partition, Planes, joint_log_likelihood,
};
use crate::metric::CalibrationGaps;
use crate::suite::Evaluation;

/// How the tau-samples of one tau are estimated.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    pub(crate) problem: &'a str,
    pub(crate) seed: u64,
    pub(crate) tau: u32,
    pub(crate) num_classes: usize,
    pub(crate) planes: u32,
    pub(crate) clip: bool,
    pub(crate) partition_above: u32,
    /// Whether the marginals are scored too.
    pub(crate) marginals: bool,
}

impl Rule<'_> {
    /// What an evaluation says; the rest is for the caller to fill in.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        assert!(u64::from(evaluation.draws) <= MAX_DRAWS, "at most {MAX_DRAWS} draws");
        assert!(evaluation.planes <= MAX_PLANES, "at most {MAX_PLANES} planes");
        Self {
            problem: "",
            seed: 0,
            tau: 0,
            num_classes: 0,
            planes: evaluation.planes,
            clip: evaluation.clip,
            partition_above: evaluation.partition_above,
            marginals: false,
        }
    }

    fn partitions(&self) -> bool {
        self.tau > self.partition_above
    }

    /// Number of probabilities that one function has at one tau-sample.
    pub(crate) fn probs(&self) -> usize {
        self.tau as usize * self.num_classes
    }

    /// Bytes that the estimates of one tau-sample take at most, for this many distinct functions.
    pub(crate) fn bytes(&self, functions: usize) -> usize {
        let estimate = if self.partitions() {
            Partition::bytes(self.tau as usize, self.num_classes, self.planes, functions, self.clip)
        } else {
            functions * size_of::<(f64, u64)>()
        };
        estimate + if self.marginals { self.probs() * size_of::<ExactSum>() } else { 0 }
    }
}

/// The estimates of a run of tau-samples.
pub(crate) struct Block<'a> {
    rule: &'a Rule<'a>,
    labels: &'a [u32],
    estimates: Vec<Estimate>,
    /// One for each tau-sample, or none at all.
    marginals: Vec<MarginalMean>,
}

enum Estimate {
    MonteCarlo(MonteCarlo),
    Partition(Box<Partition>),
}

impl<'a> Block<'a> {
    /// Estimates with no draws yet; `labels` are those of all rows of the tau-samples.
    pub(crate) fn new(rule: &'a Rule<'a>, samples: Range<u32>, labels: &'a [u32]) -> Self {
        let len = samples.len();
        let estimates = samples.zip(labels.chunks_exact(rule.tau as usize)).map(|(n, labels)| {
            if rule.partitions() {
                let planes = Planes::sample(rule.seed, rule.problem, rule.tau, n, rule.num_classes, rule.planes);
                Estimate::Partition(Box::new(Partition::new(planes, labels, rule.num_classes, rule.clip)))
            } else {
                Estimate::MonteCarlo(MonteCarlo::new())
            }
        });
        let marginals = if rule.marginals { vec![MarginalMean::new(rule.probs()); len] } else { Vec::new() };
        Self { rule, labels, estimates: estimates.collect(), marginals }
    }

    /// Adds functions, each at all rows of the tau-samples; function m is named by `counts[m]` draws.
    pub(crate) fn add(&mut self, probs: &[f32], counts: &[u64]) {
        let width = self.rule.probs();
        let stride = width * self.estimates.len();
        assert_eq!(probs.len(), stride * counts.len(), "probabilities of every function at every row");
        // All functions of one tau-sample in turn, so that its estimate stays in the cache.
        for (n, estimate) in self.estimates.iter_mut().enumerate() {
            let labels = &self.labels[n * self.rule.tau as usize..(n + 1) * self.rule.tau as usize];
            for (m, &count) in counts.iter().enumerate() {
                let start = m * stride + n * width;
                let function = &probs[start..start + width];
                match estimate {
                    Estimate::MonteCarlo(estimate) => {
                        estimate.add(joint_log_likelihood(function, labels, self.rule.num_classes), count);
                    }
                    Estimate::Partition(estimate) => estimate.add(function, count),
                }
                if let Some(marginal) = self.marginals.get_mut(n) {
                    marginal.add(function, count);
                }
            }
        }
    }

    /// The agent's joint log-likelihood of each tau-sample; its marginals go into `gaps`.
    pub(crate) fn finish(self, gaps: &mut CalibrationGaps) -> Vec<f64> {
        let labels = self.labels.chunks_exact(self.rule.tau as usize);
        for (marginal, labels) in self.marginals.iter().zip(labels) {
            let mean = marginal.finish();
            for (probs, &label) in mean.chunks_exact(self.rule.num_classes).zip(labels) {
                gaps.add(probs, label);
            }
        }
        let finish = |estimate| match estimate {
            Estimate::MonteCarlo(estimate) => MonteCarlo::finish(estimate),
            Estimate::Partition(estimate) => estimate.finish(),
        };
        self.estimates.into_iter().map(finish).collect()
    }
}
