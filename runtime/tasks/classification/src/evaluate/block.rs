//! A block of consecutive tau-samples whose estimates are filled together, function by function.

use std::ops::Range;

use jointly_core::Partitioning;
use jointly_core::estimate::{DrawError, JointEstimate, MarginalMean, MonteCarlo, Partition, joint_log_likelihood};
use jointly_core::metric::MarginalScores;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use crate::rule::Rule;

/// The estimates of a block of consecutive tau-samples.
///
/// Each tau-sample is estimated separately, on the threads of the calling pool. Results are added up in the order of
/// the tau-samples, so that the number of threads changes no bit.
pub(crate) struct Block<'a> {
    rule: &'a Rule<'a>,
    labels: &'a [u32],
    samples: Vec<Sample>,
    /// The number of draws that share each function.
    counts: Vec<u64>,
    /// The first function's probabilities at all rows, kept until another function differs; at most one function of one
    /// call.
    first: Vec<f32>,
    differ: bool,
}

/// The estimates of one tau-sample.
struct Sample {
    estimate: Estimate,
    /// Present where the rule scores marginals too.
    marginal: Option<MarginalMean>,
}

enum Estimate {
    MonteCarlo(MonteCarlo),
    Jackknife(MonteCarlo),
    Partition(Box<Partition>),
}

impl<'a> Block<'a> {
    /// Creates estimates without draws; `labels` are those of all rows of the tau-samples.
    pub(crate) fn new(rule: &'a Rule<'a>, samples: Range<u32>, labels: &'a [u32]) -> Self {
        let tau = rule.tau as usize;
        let sample = |(place, n): (usize, u32)| {
            let labels = &labels[place * tau..(place + 1) * tau];
            let estimate = match rule.cells(n) {
                Some(cells) => {
                    Estimate::Partition(Box::new(Partition::new(cells, labels, rule.num_classes, rule.clip)))
                }
                None if rule.partition == Partitioning::Jackknife => Estimate::Jackknife(MonteCarlo::new()),
                None => Estimate::MonteCarlo(MonteCarlo::new()),
            };
            Sample { estimate, marginal: rule.marginals.then(|| MarginalMean::new(rule.probs())) }
        };
        let samples = samples.into_par_iter().enumerate().map(sample).collect();
        Self { rule, labels, samples, counts: Vec::new(), first: Vec::new(), differ: false }
    }

    /// Adds functions, each evaluated at all rows of the tau-samples; `counts[m]` draws share function m.
    pub(crate) fn add(&mut self, probs: &[f32], counts: &[u64]) {
        let width = self.rule.probs();
        let stride = width * self.samples.len();
        assert_eq!(probs.len(), stride * counts.len(), "probabilities of every function at every row");
        self.compare(probs, stride);
        self.counts.extend_from_slice(counts);
        let labels = self.labels.par_chunks_exact(self.rule.tau as usize);
        let num_classes = self.rule.num_classes;
        // Each tau-sample takes all functions in turn, so that its estimate stays in the cache.
        self.samples.par_iter_mut().zip(labels).enumerate().for_each(|(n, (sample, labels))| {
            for (m, &count) in counts.iter().enumerate() {
                let start = m * stride + n * width;
                let function = &probs[start..start + width];
                match &mut sample.estimate {
                    Estimate::MonteCarlo(estimate) | Estimate::Jackknife(estimate) => {
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

    /// Checks whether any function differs from the first.
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

    /// Returns the agent's joint log-likelihood of each tau-sample; adds its marginals to `scores` and the contribution
    /// of each draw to `errors`.
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
    /// Returns the joint estimate and, where the rule asks for it, the mean over draws at each row.
    fn finish(self) -> (JointEstimate, Option<Vec<f64>>) {
        let estimate = match self.estimate {
            Estimate::MonteCarlo(estimate) => estimate.finish(),
            Estimate::Jackknife(estimate) => estimate.finish_jackknife(),
            Estimate::Partition(estimate) => estimate.finish(),
        };
        (estimate, self.marginal.map(|marginal| marginal.finish()))
    }
}
