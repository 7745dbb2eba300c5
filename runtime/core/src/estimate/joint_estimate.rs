//! The estimate of one tau-sample's joint likelihood.

/// An estimated joint likelihood, and the weight of each function in it.
///
/// # Formula
/// Write p for the estimated likelihood as a function of the weights of the M draws, 1/M each. The weight `w_m` of
/// function m is 1 plus its influence on log p: one more draw that names it would change log p by about (`w_m` - 1) /
/// M. `w_m` is `L_m` / p in the [Monte Carlo estimate](super::MonteCarlo), where `L_m` is the labels' likelihood under
/// the function; [`Partition`](super::Partition) gives its own formula. The mean of the weights over draws is 1, except
/// for the effect of smoothing.
#[derive(Clone, Debug, PartialEq)]
pub struct JointEstimate {
    /// log p in nats: -inf if the labels have probability 0 under all draws, NaN without draws.
    pub log_likelihood: f64,
    /// `w_m` of each function, in the order in which they were added; NaN if log p is not finite.
    pub weights: Vec<f64>,
    /// V = (1/M) sum over m of (`L_m` / p - 1)^2, where `L_m` is the likelihood of the labels under function m or, in a
    /// partition, in its cell; NaN if log p is not finite.
    pub variance: f64,
}
