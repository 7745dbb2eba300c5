//! Scores of one agent on one problem, in a form that survives a journal to the bit.

use serde::{Deserialize, Serialize};

mod real;

/// A mean over the N tau-samples of one problem, with its standard error.
///
/// Both are `NaN`-aware: two scores are equal when their bits are. In JSON a number that is not finite is a string,
/// "inf", "-inf" or "nan".
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Score {
    /// The mean.
    #[serde(with = "real")]
    pub mean: f64,
    /// The standard error; NaN where there is but one tau-sample or the mean is not finite.
    #[serde(with = "real")]
    pub stderr: f64,
}

/// What one agent scored on one problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemScores {
    /// The joint score at each tau, in the problem's [`Metric`](crate::Metric), nats a tau-sample.
    pub joint: Vec<(u32, Score)>,
    /// Accuracy of the marginal predictions on the rows of the first tau.
    #[serde(with = "real")]
    pub accuracy: f64,
    /// Expected calibration error of the marginal predictions on the rows of the first tau.
    #[serde(with = "real")]
    pub ece: f64,
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.mean.to_bits() == other.mean.to_bits() && self.stderr.to_bits() == other.stderr.to_bits()
    }
}

impl Eq for Score {}

impl Score {
    /// Mean and standard error of `values`, added in order.
    ///
    /// # Formula
    /// mean = (1/N) sum `x_n`; stderr = sqrt(sum (`x_n` - mean)^2 / (N - 1) / N), NaN when N is 1 or a value is not
    /// finite. No values give NaN for both.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
        let stderr = (squares / (count - 1.0) / count).sqrt();
        Self { mean: canonical(mean), stderr: if mean.is_finite() { canonical(stderr) } else { f64::NAN } }
    }
}

/// All NaNs as one, since their sign differs by CPU; and no negative zero, which a sum from -0.0 can leave.
fn canonical(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x + 0.0 }
}
