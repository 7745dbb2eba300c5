//! Greedy BatchMIG by a Cholesky factor that grows by one row with each chosen point.

use super::pool_test::{PoolCovariance, PoolTest};
use super::residual::Residual;
use crate::correlations::moments::{MomentsError, finite};

/// A batch of pool points, chosen one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The indices of the points, in the order in which they were chosen.
    pub chosen: Vec<usize>,
    /// The batch marginal information gain of the first point, the first two points, and so on, in nats per test point.
    pub information: Vec<f64>,
}

/// Chooses `size` pool points greedily by their joint information about the test points; all points if there are fewer.
///
/// # Formula
/// BatchMIG(B) = mean over test points u of -ln(1 - c' (C + N)^-1 c / `var_f(u)`) / 2, where C is the covariance of f
/// between the points of B, N the diagonal of their noise and c their covariances with f(u): the mutual information of
/// the targets at B and f(u). Each step adds the unchosen point that maximises it, ties by index. Wang, Sun and Grosse
/// (2021), equation 6 and algorithm 3.
///
/// # Method
/// The incremental Cholesky factor of C + N, its half solution for the pool and its half solution for pool x test are
/// subtracted as they grow, so each step is one pass over a residual pool x test matrix: `size` x pool x test
/// operations in all. Only the rows of chosen points are read from `pool`. A batch of one is the point with the largest
/// [MIG](super::marginal_information_gain), to the bit.
///
/// # Degenerate beliefs
/// A point whose target is determined by the chosen ones (a duplicate without noise, a certain point without noise)
/// adds 0, and so does a certain test point. For a test point that the batch determines, the remaining variance counts
/// as [`RESOLUTION`](super::RESOLUTION) of its variance. If no point has a gain, points are chosen by index.
///
/// # Errors
/// When a row of `pool` holds a value that is not finite.
pub fn batch_information_gain(
    belief: &PoolTest,
    pool: &impl PoolCovariance,
    size: usize,
) -> Result<Batch, MomentsError> {
    let points = belief.pool_points();
    let tests = belief.test_points().max(1) as f64;
    let mut residual = Residual::new(belief);
    let mut gains = residual.gains();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut free = vec![true; points];
    let mut total = 0.0;
    let mut batch = Batch { chosen: Vec::new(), information: Vec::new() };
    for _ in 0..size.min(points) {
        let best = largest(&gains, &free);
        free[best] = false;
        total += gains[best];
        batch.chosen.push(best);
        batch.information.push(total / tests);
        let Some(variance) = residual.target_variance(best) else { continue };
        let mut row = vec![0.0; points];
        pool.row(best, &mut row);
        finite("the covariance with a chosen point", &row)?;
        for earlier in &factor {
            let multiple = earlier[best];
            for (value, earlier) in row.iter_mut().zip(earlier) {
                *value -= multiple * earlier;
            }
        }
        let sd = variance.sqrt();
        for value in &mut row {
            *value /= sd;
        }
        gains = residual.choose(best, &row);
        factor.push(row);
    }
    Ok(batch)
}

/// Returns the first free point with the largest gain.
fn largest(gains: &[f64], free: &[bool]) -> usize {
    let mut best = None;
    for (i, &gain) in gains.iter().enumerate() {
        if free[i] && best.is_none_or(|best: usize| gain > gains[best]) {
            best = Some(i);
        }
    }
    best.expect("a batch is no larger than the pool")
}
