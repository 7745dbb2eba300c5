//! A mark on a result that is better than the best possible one.

use jointly_core::ScoreName;
use jointly_record::quantity;

/// The stems of the scores in which the environment itself has 0.
pub(crate) const KLS: [&str; 3] = ["kl", "joint_kl", "marginal_kl"];

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
    /// Of a KL whose tau-samples are counted, the sum of the agent's log-likelihoods minus the environment's, in nats: for
    /// an agent that does not know the labels, the probability of t nats or more is at most exp(-t).
    pub nats: Option<f64>,
}

impl Mark {
    /// Describes the mark in a clause.
    pub fn text(&self) -> String {
        let Self { score, mean, best, stderr, nats } = self;
        if let Some(nats) = nats {
            let tens = nats / std::f64::consts::LN_10;
            let odds = if tens.is_finite() { format!("1 in 1e{}", tens.floor()) } else { "none".to_owned() };
            return format!(
                "{score} {} is below 0, the environment's own, for which the odds are at most {odds}",
                quantity::number(*mean)
            );
        }
        let (side, what) = if KLS.contains(&score.stem()) {
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
