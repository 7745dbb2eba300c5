//! Estimation options at one tau, and the memory that estimation takes.

use crate::Evaluation;
use jointly_core::estimate::{Cells, ExactSum, KMeans, Partition, Planes};
use jointly_core::{Partitioning, Seed};

/// Estimation options of the tau-samples of one tau.
#[derive(Clone, Debug)]
pub(crate) struct Rule<'a> {
    /// The problem's stream name.
    pub(crate) problem: &'a str,
    pub(crate) seed: Seed,
    pub(crate) tau: u32,
    pub(crate) num_classes: usize,
    pub(crate) partition: Partitioning,
    pub(crate) planes: u32,
    pub(crate) clip: bool,
    pub(crate) partition_above: u32,
    /// Whether marginals are scored too.
    pub(crate) marginals: bool,
}

impl Rule<'_> {
    /// Takes the options of an evaluation; the caller fills in the rest.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        Self {
            problem: "",
            seed: Seed::Public(0),
            tau: 0,
            num_classes: 0,
            partition: evaluation.partition,
            planes: evaluation.planes,
            clip: evaluation.clip,
            partition_above: evaluation.partition_above,
            marginals: false,
        }
    }

    /// Returns the cells that partition the draws at tau-sample `n`, if any do.
    pub(super) fn cells(&self, n: u32) -> Option<Cells> {
        let &Self { seed, problem, tau, num_classes, planes, .. } = self;
        match self.partition {
            _ if !self.partitions() => None,
            Partitioning::Planes => Some(Planes::sample(seed, problem, tau, n, num_classes, planes).into()),
            Partitioning::KMeans => Some(KMeans::new(seed, problem, tau, n, num_classes, planes).into()),
            Partitioning::Jackknife => None,
        }
    }

    fn partitions(&self) -> bool {
        self.tau > self.partition_above && self.partition != Partitioning::Jackknife
    }

    /// Returns the number of probabilities of one function at one tau-sample.
    pub(crate) fn probs(&self) -> usize {
        self.tau as usize * self.num_classes
    }

    /// Returns an upper bound on the bytes of one tau-sample's estimates, for `functions` distinct functions.
    pub(crate) fn bytes(&self, functions: u64) -> u64 {
        let estimate = if self.partitions() {
            Partition::bytes(self.tau, self.probs() as u64, self.partition, self.planes, functions)
        } else {
            // The log-likelihoods, a sorted copy of them, and the weights.
            functions * (2 * size_of::<(f64, u64)>() + size_of::<f64>()) as u64
        };
        let marginals = if self.marginals { size_of::<ExactSum>() as u64 } else { 0 };
        estimate.saturating_add((self.probs() as u64).saturating_mul(marginals))
    }

    /// Returns the bytes of one tau-sample's estimates and of one function's probabilities at it.
    pub(crate) fn sample_bytes(&self, functions: u64) -> u64 {
        self.bytes(functions).saturating_add((self.probs() as u64).saturating_mul(size_of::<f32>() as u64))
    }

    /// Returns the bytes of the inputs and labels of one tau-sample.
    pub(crate) fn input_bytes(&self, input_dim: u32) -> u64 {
        (u64::from(self.tau) * (u64::from(input_dim) + 1)).saturating_mul(size_of::<f32>() as u64)
    }
}
