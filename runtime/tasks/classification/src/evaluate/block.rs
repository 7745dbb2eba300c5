//! A run of tau-samples whose estimates are filled together, function by function.

use std::ops::Range;

use jointly_core::estimate::{DrawError, JointEstimate, MarginalMean, MonteCarlo, Partition, joint_log_likelihood};
use jointly_core::metric::MarginalScores;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use crate::rule::Rule;

/// The estimates of a run of tau-samples.
///
/// Each tau-sample is estimated on its own, on the threads of the pool that this is called from. What they say is added up
/// in their order, so that the number of threads changes no bit.
pub(crate) struct Block<'a> {
    rule: &'a Rule<'a>,
    labels: &'a [u32],
    samples: Vec<Sample>,
    /// Draws that name each function.
    counts: Vec<u64>,
    /// The first function's probabilities at all rows, so long as no other function has been found to differ: no more
    /// than one function of one call.
    first: Vec<f32>,
    differ: bool,
}

/// One tau-sample.
struct Sample {
    estimate: Estimate,
    /// Where the rule asks for the marginals too.
    marginal: Option<MarginalMean>,
}

enum Estimate {
    MonteCarlo(MonteCarlo),
    Partition(Box<Partition>),
}

impl<'a> Block<'a> {
    /// Estimates with no draws yet; `labels` are those of all rows of the tau-samples.
    pub(crate) fn new(rule: &'a Rule<'a>, samples: Range<u32>, labels: &'a [u32]) -> Self {
        let tau = rule.tau as usize;
        let sample = |(place, n): (usize, u32)| {
            let labels = &labels[place * tau..(place + 1) * tau];
            let estimate = if rule.partitions() {
                Estimate::Partition(Box::new(Partition::new(rule.cells(n), labels, rule.num_classes, rule.clip)))
            } else {
                Estimate::MonteCarlo(MonteCarlo::new())
            };
            Sample { estimate, marginal: rule.marginals.then(|| MarginalMean::new(rule.probs())) }
        };
        let samples = samples.into_par_iter().enumerate().map(sample).collect();
        Self { rule, labels, samples, counts: Vec::new(), first: Vec::new(), differ: false }
    }

    /// Adds functions, each at all rows of the tau-samples; function m is named by `counts[m]` draws.
    pub(crate) fn add(&mut self, probs: &[f32], counts: &[u64]) {
        let width = self.rule.probs();
        let stride = width * self.samples.len();
        assert_eq!(probs.len(), stride * counts.len(), "probabilities of every function at every row");
        self.compare(probs, stride);
        self.counts.extend_from_slice(counts);
        let labels = self.labels.par_chunks_exact(self.rule.tau as usize);
        let num_classes = self.rule.num_classes;
        // All functions of one tau-sample in turn, so that its estimate stays in the cache.
        self.samples.par_iter_mut().zip(labels).enumerate().for_each(|(n, (sample, labels))| {
            for (m, &count) in counts.iter().enumerate() {
                let start = m * stride + n * width;
                let function = &probs[start..start + width];
                match &mut sample.estimate {
                    Estimate::MonteCarlo(estimate) => {
                        estimate.add(joint_log_likelihood(function, labels, num_classes), count);
                    }
                    Estimate::Partition(estimate) => estimate.add(function, count),
                }
                if let Some(marginal) = &mut sample.marginal {
                    marginal.add(function, count);
                }
            }
        });
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
        let finished: Vec<(JointEstimate, Option<Vec<f64>>)> =
            self.samples.into_par_iter().map(Sample::finish).collect();
        let labels = self.labels.chunks_exact(self.rule.tau as usize);
        let sample = |((estimate, marginal), labels): ((JointEstimate, Option<Vec<f64>>), _)| {
            if let Some(marginal) = marginal {
                scores.add(&marginal, labels, self.rule.num_classes);
            }
            errors.add(&estimate, &self.counts, self.differ);
            estimate.log_likelihood
        };
        finished.into_iter().zip(labels).map(sample).collect()
    }
}

impl Sample {
    /// The joint estimate, and the mean over draws at each row where it is asked for.
    fn finish(self) -> (JointEstimate, Option<Vec<f64>>) {
        let estimate = match self.estimate {
            Estimate::MonteCarlo(estimate) => estimate.finish(),
            Estimate::Partition(estimate) => estimate.finish(),
        };
        (estimate, self.marginal.map(|marginal| marginal.finish()))
    }
}
