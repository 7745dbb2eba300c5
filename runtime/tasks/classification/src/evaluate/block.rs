//! A run of tau-samples whose estimates are filled together, function by function.

use std::ops::Range;

use jointly_core::estimate::{DrawError, JointEstimate, MarginalMean, MonteCarlo, Partition, joint_log_likelihood};
use jointly_core::metric::MarginalScores;

use crate::rule::Rule;

/// The estimates of a run of tau-samples.
pub(crate) struct Block<'a> {
    rule: &'a Rule<'a>,
    labels: &'a [u32],
    estimates: Vec<Estimate>,
    /// Draws that name each function.
    counts: Vec<u64>,
    /// The first function's probabilities at all rows, so long as no other function has been found to differ: no more
    /// than one function of one call.
    first: Vec<f32>,
    differ: bool,
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
                Estimate::Partition(Box::new(Partition::new(rule.cells(n), labels, rule.num_classes, rule.clip)))
            } else {
                Estimate::MonteCarlo(MonteCarlo::new())
            }
        });
        let marginals = if rule.marginals { vec![MarginalMean::new(rule.probs()); len] } else { Vec::new() };
        let estimates = estimates.collect();
        Self { rule, labels, estimates, counts: Vec::new(), first: Vec::new(), differ: false, marginals }
    }

    /// Adds functions, each at all rows of the tau-samples; function m is named by `counts[m]` draws.
    pub(crate) fn add(&mut self, probs: &[f32], counts: &[u64]) {
        let width = self.rule.probs();
        let stride = width * self.estimates.len();
        assert_eq!(probs.len(), stride * counts.len(), "probabilities of every function at every row");
        self.compare(probs, stride);
        self.counts.extend_from_slice(counts);
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

    /// Finds out whether any function differs from the first.
    fn compare(&mut self, probs: &[f32], stride: usize) {
        if self.differ || probs.is_empty() {
            return;
        }
        if self.counts.is_empty() {
            self.first = probs[..stride].to_vec();
        }
        self.differ = probs.chunks_exact(stride).any(|function| function != self.first);
        if self.differ {
            self.first = Vec::new();
        }
    }

    /// The agent's joint log-likelihood of each tau-sample; its marginals go into `scores`, and what each draw
    /// does to it into `errors`.
    pub(crate) fn finish(self, scores: &mut MarginalScores, errors: &mut DrawError) -> Vec<f64> {
        let labels = self.labels.chunks_exact(self.rule.tau as usize);
        for (marginal, labels) in self.marginals.iter().zip(labels) {
            scores.add(&marginal.finish(), labels, self.rule.num_classes);
        }
        let finish = |estimate| {
            let estimate: JointEstimate = match estimate {
                Estimate::MonteCarlo(estimate) => estimate.finish(),
                Estimate::Partition(estimate) => estimate.finish(),
            };
            errors.add(&estimate, &self.counts, self.differ);
            estimate.log_likelihood
        };
        self.estimates.into_iter().map(finish).collect()
    }
}
