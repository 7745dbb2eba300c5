//! The joint moments of pool points and test points under a belief.

use std::ops::Range;

use crate::correlations::correlation::correlation_block;
use crate::correlations::dense::Dense;
use crate::correlations::moments::{Moments, MomentsError, SampledFunctions, not_negative};

/// Rows of the covariance of f between pool points. BatchMIG reads only the rows of the points that it chooses, so the
/// whole matrix need not be in memory.
pub trait PoolCovariance {
    /// Writes the covariance of pool point `i` with each pool point, including itself.
    fn row(&self, i: usize, out: &mut [f64]);
}

/// A covariance matrix whose first rows and columns are the pool's.
impl PoolCovariance for Dense {
    fn row(&self, i: usize, out: &mut [f64]) {
        out.copy_from_slice(&Dense::row(self, i)[..out.len()]);
    }
}

/// Sampled functions at rows that begin with the pool's.
impl PoolCovariance for SampledFunctions {
    fn row(&self, i: usize, out: &mut [f64]) {
        self.covariance_row(i, out);
    }
}

/// The joint moments of pool points and test points under a belief: covariances of f between them, and the variances of
/// each.
#[derive(Clone, Debug)]
pub struct PoolTest {
    cross: Dense,
    pool_variance: Vec<f64>,
    pool_noise: Vec<f64>,
    test_variance: Vec<f64>,
}

impl PoolTest {
    /// Checks the moments: `cross` is the covariance of f, pool x test; the variances are those of f at pool and test
    /// points, and of the noise at pool points.
    ///
    /// # Errors
    /// When sizes differ, a value is not finite or a variance is negative.
    pub fn new(
        cross: Dense,
        pool_variance: Vec<f64>,
        pool_noise: Vec<f64>,
        test_variance: Vec<f64>,
    ) -> Result<Self, MomentsError> {
        let sizes = [
            ("the pool's variance", cross.rows(), pool_variance.len()),
            ("the pool's noise variance", cross.rows(), pool_noise.len()),
            ("the test points' variance", cross.cols(), test_variance.len()),
        ];
        if let Some((what, expected, found)) = sizes.into_iter().find(|(_, expected, found)| expected != found) {
            return Err(MomentsError::Shape { what, expected, found });
        }
        for i in 0..cross.rows() {
            if cross.row(i).iter().any(|x| !x.is_finite()) {
                return Err(MomentsError::NotFinite { what: "the covariance of pool and test points", row: i });
            }
        }
        not_negative("the pool's variance", &pool_variance)?;
        not_negative("the pool's noise variance", &pool_noise)?;
        not_negative("the test points' variance", &test_variance)?;
        Ok(Self { cross, pool_variance, pool_noise, test_variance })
    }

    /// Extracts them from moments whose first `pool` rows are the pool and whose other rows are the test points.
    ///
    /// # Panics
    /// When there are fewer than `pool` rows.
    pub fn of_moments(moments: &Moments, pool: usize) -> Self {
        let (pool, test): (Vec<usize>, Vec<usize>) = (0..moments.rows()).partition(|&i| i < pool);
        let variance = moments.variance();
        Self {
            cross: moments.covariance().block(&pool, &test),
            pool_variance: pool.iter().map(|&i| variance[i]).collect(),
            pool_noise: moments.noise_variance()[..pool.len()].to_vec(),
            test_variance: test.iter().map(|&i| variance[i]).collect(),
        }
    }

    /// Computes them from sampled functions, given the rows of the pool and of the test points.
    ///
    /// # Panics
    /// When a row does not exist.
    pub fn of_functions(functions: &SampledFunctions, pool: Range<usize>, test: Range<usize>) -> Self {
        let variance = functions.variance();
        Self {
            cross: functions.covariance(pool.clone(), test.clone()),
            pool_variance: variance[pool.clone()].to_vec(),
            pool_noise: functions.noise_variance()[pool].to_vec(),
            test_variance: variance[test].to_vec(),
        }
    }

    /// Returns the number of pool points.
    pub fn pool_points(&self) -> usize {
        self.cross.rows()
    }

    /// Returns the number of test points.
    pub fn test_points(&self) -> usize {
        self.cross.cols()
    }

    /// Returns the covariance of f, pool x test.
    pub fn cross(&self) -> &Dense {
        &self.cross
    }

    /// Returns the variance of f at each pool point.
    pub fn pool_variance(&self) -> &[f64] {
        &self.pool_variance
    }

    /// Returns the variance of the noise at each pool point.
    pub fn pool_noise(&self) -> &[f64] {
        &self.pool_noise
    }

    /// Returns the variance of f at each test point.
    pub fn test_variance(&self) -> &[f64] {
        &self.test_variance
    }

    /// Returns the correlation of f, pool x test, without noise.
    pub fn correlation(&self) -> Dense {
        correlation_block(&self.cross, &self.pool_variance, &self.test_variance)
    }
}
