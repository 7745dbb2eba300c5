//! What an estimator says of one tau-sample.

/// An estimated joint likelihood, and how much it leans on each function.
///
/// # Formula
/// Write p for the estimated likelihood as a function of the weights that the M draws have, 1/M each. The weight `w_m`
/// of function m is 1 plus its influence on log p: were one more draw to name it, log p would move by about
/// (`w_m` - 1) / M. So `w_m` is L_m / p in the [Monte Carlo estimate](super::MonteCarlo), where `L_m` is the labels'
/// likelihood under the function, and what [`Partition`](super::Partition) says in the other. Their mean over draws is
/// 1 but for smoothing.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEstimate {
    /// log p in nats: -inf where no draw allows the labels, NaN without draws.
    pub log_likelihood: f64,
    /// `w_m` of each function, in the order in which they were added; NaN where log p is not finite.
    pub weights: Vec<f64>,
    /// V = (1/M) sum over m of (`L_m` / p - 1)^2, where `L_m` is the likelihood of the labels under function m or, in a
    /// partition, in its cell; NaN where log p is not finite.
    pub variance: f64,
}
