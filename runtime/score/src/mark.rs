//! A mark on a result that is better than the best possible one.

use jointly_core::ScoreName;
use jointly_record::quantity;

/// The stem of the scores in which the environment itself has 0.
pub(crate) const KL: &str = "kl";

/// A mean that is better than the best possible one by more than its error allows.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The score.
    pub score: ScoreName,
    /// The agent's mean.
    pub mean: f64,
    /// The mean that an agent which knew the environment would be expected to have.
    pub best: f64,
    /// The standard error of their difference over the test data alone.
    pub stderr: f64,
}

impl Mark {
    /// Describes the mark in a clause.
    pub fn text(&self) -> String {
        let Self { score, mean, best, stderr } = self;
        let (side, what) = if score.stem() == KL {
            ("below", "0, the environment's own".to_owned())
        } else {
            ("above", format!("{}, what the environment itself expects", quantity::number(*best)))
        };
        let errors = (mean - best).abs() / stderr;
        let far = if errors.is_finite() {
            format!("{} standard errors", quantity::number(errors))
        } else {
            "without any error".to_owned()
        };
        format!("{score} {} is {far} {side} {what}", quantity::number(*mean))
    }
}
