//! The mean of sampled functions at each input: the agent's marginal predictions.

use super::exact_sum::ExactSum;

/// The mean over draws of the class probabilities at each of several rows.
///
/// # Formula
/// `p_{r,k}` = (1/M) sum over m of `p_{m,r,k}`, where the sum is exact: neither the order of the draws nor their
/// repetition changes a bit. Functions and means are R x K row-major, with probabilities in [0, 1]. Osband et al., "The
/// Neural Testbed", algorithm 3 at tau 1, for each class and not only the label.
#[derive(Clone, Debug)]
pub struct MarginalMean {
    sums: Vec<ExactSum>,
    draws: u64,
}

impl MarginalMean {
    /// Makes a mean of `len` probabilities, R times K, without draws yet.
    pub fn new(len: usize) -> Self {
        Self { sums: vec![ExactSum::default(); len], draws: 0 }
    }

    /// Adds a function that `count` draws name; `probs` are its probabilities at all rows, R x K row-major.
    ///
    /// # Panics
    /// When `probs` has another length than the mean.
    pub fn add(&mut self, probs: &[f32], count: u64) {
        assert_eq!(probs.len(), self.sums.len(), "a function's probabilities at every row");
        self.draws += count;
        for (sum, &p) in self.sums.iter_mut().zip(probs) {
            sum.add(p, count);
        }
    }

    /// Returns the means, R x K row-major; NaN without draws.
    pub fn finish(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum.value() / self.draws as f64).collect()
    }
}
