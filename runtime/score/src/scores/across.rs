//! Scores over all of an agent's problems that no single problem has.

use jointly_core::Summary;

/// A score over all of an agent's problems, with its standard error.
#[derive(Clone, Copy, Debug)]
pub struct Across {
    mean: f64,
    stderr: f64,
}

impl Across {
    /// Returns the mean of independent scores with their errors.
    pub(super) fn mean(scores: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let count = scores.clone().count() as f64;
        let squares: f64 = scores.clone().map(|(_, stderr)| stderr * stderr).sum();
        Self { mean: scores.map(|(score, _)| score).sum::<f64>() / count, stderr: squares.sqrt() / count }
    }

    pub(super) fn summary(self, problems: usize) -> Summary {
        let non_finite = if self.mean.is_finite() { 0 } else { problems };
        Summary { mean: self.mean, stderr: self.stderr, problems, clusters: problems, non_finite }
    }
}
