//! How the tau-samples of one tau are estimated, and what that takes.

use crate::Evaluation;
use jointly_core::Partitioning;
use jointly_core::estimate::{Cells, ExactSum, KMeans, Partition, Planes};

/// How the tau-samples of one tau are estimated.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    /// The problem's stream name.
    pub(crate) problem: &'a str,
    pub(crate) seed: u64,
    pub(crate) tau: u32,
    pub(crate) num_classes: usize,
    pub(crate) partition: Partitioning,
    pub(crate) planes: u32,
    pub(crate) clip: bool,
    pub(crate) partition_above: u32,
    /// Whether the marginals are scored too.
    pub(crate) marginals: bool,
}

impl Rule<'_> {
    /// What an evaluation says; the rest is for the caller to fill in.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        Self {
            problem: "",
            seed: 0,
            tau: 0,
            num_classes: 0,
            partition: evaluation.partition,
            planes: evaluation.planes,
            clip: evaluation.clip,
            partition_above: evaluation.partition_above,
            marginals: false,
        }
    }

    /// What parts the draws at tau-sample `n`.
    pub(super) fn cells(&self, n: u32) -> Cells {
        let &Self { seed, problem, tau, num_classes, planes, .. } = self;
        match self.partition {
            Partitioning::Planes => Planes::sample(seed, problem, tau, n, num_classes, planes).into(),
            Partitioning::KMeans => KMeans::new(seed, problem, tau, n, num_classes, planes).into(),
        }
    }

    pub(super) fn partitions(&self) -> bool {
        self.tau > self.partition_above
    }

    /// Number of probabilities that one function has at one tau-sample.
    pub(crate) fn probs(&self) -> usize {
        self.tau as usize * self.num_classes
    }

    /// Bytes that the estimates of one tau-sample take at most, for this many distinct functions.
    pub(crate) fn bytes(&self, functions: u64) -> u64 {
        let estimate = if self.partitions() {
            Partition::bytes(self.tau, self.probs() as u64, self.partition, self.planes, functions)
        } else {
            // The log-likelihoods, once more in order, and the weights.
            functions * (2 * size_of::<(f64, u64)>() + size_of::<f64>()) as u64
        };
        let marginals = if self.marginals { size_of::<ExactSum>() as u64 } else { 0 };
        estimate.saturating_add((self.probs() as u64).saturating_mul(marginals))
    }

    /// Bytes of the estimates of one tau-sample and of one function's probabilities at it.
    pub(crate) fn sample_bytes(&self, functions: u64) -> u64 {
        self.bytes(functions).saturating_add((self.probs() as u64).saturating_mul(size_of::<f32>() as u64))
    }

    /// Bytes of the inputs and labels of one tau-sample.
    pub(crate) fn input_bytes(&self, input_dim: u32) -> u64 {
        (u64::from(self.tau) * (u64::from(input_dim) + 1)).saturating_mul(size_of::<f32>() as u64)
    }
}
