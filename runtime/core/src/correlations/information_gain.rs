//! The expected information gain of pool points under a belief: total (TIG), marginal (MIG), and greedy batches
//! (BatchMIG).

mod batch;
mod log_product;
mod pool_test;
mod residual;
mod resolution;

pub use batch::{Batch, batch_information_gain};
pub use pool_test::{PoolCovariance, PoolTest};
use residual::Residual;
pub use resolution::RESOLUTION;

use super::moments::{MomentsError, not_negative};

/// Computes the total information gain of observing each point, in nats.
///
/// # Formula
/// TIG(x) = ln(1 + `var_f(x)` / `var_noise(x)`) / 2, the mutual information of y(x) and f; 0 if f(x) is certain, and
/// infinite if only the noise is 0. Wang, Sun and Grosse (2021), equation 4; MacKay (1992).
///
/// # Errors
/// When a variance is negative or not finite, or the lists differ in length.
pub fn total_information_gain(variance: &[f64], noise_variance: &[f64]) -> Result<Vec<f64>, MomentsError> {
    let (expected, found) = (variance.len(), noise_variance.len());
    if expected != found {
        return Err(MomentsError::Shape { what: "the noise variance", expected, found });
    }
    not_negative("the variance", variance)?;
    not_negative("the noise variance", noise_variance)?;
    let gain = |(&f, &noise): (&f64, &f64)| if f == 0.0 { 0.0 } else { 0.5 * libm::log1p(f / noise) };
    Ok(variance.iter().zip(noise_variance).map(gain).collect())
}

/// Computes the marginal information gain of each pool point about the test points, in nats per test point.
///
/// # Formula
/// MIG(x) = mean over test points u of -ln(1 - rho^2) / 2, rho^2 = cov(f(x), f(u))^2 / (`var_f(u)` (`var_f(x)` +
/// `var_noise(x)`)): the mutual information of y(x) and f(u). The gain is 0 for a test point without variance and for a
/// pool point with neither variance nor noise; 1 - rho^2 is at least [`RESOLUTION`], so that points that determine one
/// another have a finite gain. Without test points all gains are 0. Wang, Sun and Grosse (2021), equation 5.
pub fn marginal_information_gain(belief: &PoolTest) -> Vec<f64> {
    let tests = belief.test_points().max(1) as f64;
    Residual::new(belief).gains().into_iter().map(|gain| gain / tests).collect()
}

/// Returns the `count` points with the largest gains, best first, ties by index; all points if there are fewer.
///
/// Points of equal gain, including infinite gains, are ordered by `then`. So TIG with one noise level for all points
/// chooses the points with the largest variance, whatever that level is.
///
/// # Panics
/// When the lists differ in length.
pub fn most_informative(gains: &[f64], then: &[f64], count: usize) -> Vec<usize> {
    assert_eq!(gains.len(), then.len(), "a second key for each gain");
    let mut order: Vec<usize> = (0..gains.len()).collect();
    order.sort_by(|&i, &j| gains[j].total_cmp(&gains[i]).then(then[j].total_cmp(&then[i])));
    order.truncate(count);
    order
}

#[cfg(test)]
mod tests;
