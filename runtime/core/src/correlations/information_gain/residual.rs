//! The residual covariances after some pool points are chosen, and the gain of each other point.

use super::log_product::{FACTORS, LANES, LogProduct};
use super::pool_test::PoolTest;
use super::resolution::RESOLUTION;

/// Covariances and variances given the targets at the chosen pool points; they do not depend on the values of these
/// targets.
pub(super) struct Residual {
    /// The number of blocks in a row of `cross`.
    stride: usize,
    /// Pool x test, row by row: the covariance of f(x) and f(u) divided by the prior sd of f(u), 0 beyond the last test
    /// point.
    cross: Vec<[f64; LANES]>,
    tests: Vec<TestBlock>,
    /// Variance of f at each pool point.
    variance: Vec<f64>,
    noise: Vec<f64>,
    /// Variance of the target at each pool point before any point was chosen.
    prior: Vec<f64>,
}

/// A block of eight test points.
#[derive(Clone)]
struct TestBlock {
    /// The row of `cross` of the point chosen last, divided by the sd of its target.
    chosen: [f64; LANES],
    /// The share of each prior variance that is left, at least [`RESOLUTION`].
    left: [f64; LANES],
    /// 1 / left; 0 for a known point.
    weight: [f64; LANES],
    /// The smallest share of the remaining variance that the next choice may leave; 1 for a known point.
    floor: [f64; LANES],
}

impl Residual {
    pub(super) fn new(belief: &PoolTest) -> Self {
        let stride = belief.test_points().div_ceil(LANES);
        let mut cross = vec![[0.0; LANES]; stride * belief.pool_points()];
        let sds: Vec<f64> = belief.test_variance().iter().map(|v| v.sqrt()).collect();
        for i in 0..belief.pool_points() {
            let row = cross[i * stride..(i + 1) * stride].as_flattened_mut();
            for ((value, covariance), sd) in row.iter_mut().zip(belief.cross().row(i)).zip(&sds) {
                *value = if *sd > 0.0 { covariance / sd } else { 0.0 };
            }
        }
        let mut tests = vec![TestBlock::known(); stride];
        for (u, sd) in sds.iter().enumerate() {
            if *sd > 0.0 {
                tests[u / LANES].leave(u % LANES, 1.0);
            }
        }
        let (variance, noise) = (belief.pool_variance().to_vec(), belief.pool_noise().to_vec());
        let prior = variance.iter().zip(&noise).map(|(f, noise)| f + noise).collect();
        Self { stride, cross, tests, variance, noise, prior }
    }

    /// Returns the variance of the target at pool point `i`, or `None` if only rounding error remains.
    pub(super) fn target_variance(&self, i: usize) -> Option<f64> {
        let variance = self.variance[i] + self.noise[i];
        (variance > RESOLUTION * self.prior[i]).then_some(variance)
    }

    /// Returns the information gain of the target at each pool point, summed over the test points, in nats.
    pub(super) fn gains(&mut self) -> Vec<f64> {
        self.subtract(None)
    }

    /// Updates the covariances after the choice of pool point `i`. `factor` is its row of the incremental Cholesky
    /// factor: the covariance of f with each pool point given the earlier choices, divided by the sd of its target.
    /// Returns the same as [`gains`](Self::gains).
    pub(super) fn choose(&mut self, i: usize, factor: &[f64]) -> Vec<f64> {
        let sd = self.target_variance(i).expect("a target that varies").sqrt();
        let row = &self.cross[i * self.stride..(i + 1) * self.stride];
        for (test, row) in self.tests.iter_mut().zip(row) {
            for (lane, value) in row.iter().enumerate() {
                let chosen = value / sd;
                test.chosen[lane] = chosen;
                test.leave(lane, test.left[lane] - chosen * chosen);
            }
        }
        for (variance, factor) in self.variance.iter_mut().zip(factor) {
            *variance = (*variance - factor * factor).max(0.0);
        }
        self.subtract(Some(factor))
    }

    /// Makes one pass over `cross`, by far the largest part, that both subtracts the last choice and sums up the gains
    /// of the remainder.
    fn subtract(&mut self, factor: Option<&[f64]>) -> Vec<f64> {
        let scales: Vec<f64> =
            (0..self.prior.len()).map(|i| self.target_variance(i).map_or(0.0, |variance| 1.0 / variance)).collect();
        if self.stride == 0 {
            return vec![0.0; scales.len()];
        }
        let rows = self.cross.chunks_exact_mut(self.stride).zip(scales).enumerate();
        rows.map(|(i, (row, scale))| subtract_row(row, &self.tests, factor.map_or(0.0, |f| f[i]), scale)).collect()
    }
}

impl TestBlock {
    /// Returns a block of eight known points.
    fn known() -> Self {
        Self { chosen: [0.0; LANES], left: [RESOLUTION; LANES], weight: [0.0; LANES], floor: [1.0; LANES] }
    }

    fn leave(&mut self, lane: usize, left: f64) {
        let known = left <= RESOLUTION;
        self.left[lane] = if known { RESOLUTION } else { left };
        self.weight[lane] = if known { 0.0 } else { 1.0 / left };
        self.floor[lane] = if known { 1.0 } else { RESOLUTION / left };
    }
}

/// Subtracts `factor` times the last choice from a pool point's row, and sums -ln(1 - rho^2) / 2 over the result;
/// `scale` is 1 divided by the variance of the point's target.
fn subtract_row(row: &mut [[f64; LANES]], tests: &[TestBlock], factor: f64, scale: f64) -> f64 {
    let mut product = LogProduct::new();
    for (row, tests) in row.chunks_mut(FACTORS).zip(tests.chunks(FACTORS)) {
        let mut products = [1.0; LANES];
        for (values, test) in row.iter_mut().zip(tests) {
            for lane in 0..LANES {
                let value = values[lane] - factor * test.chosen[lane];
                values[lane] = value;
                let left = 1.0 - value * value * test.weight[lane] * scale;
                products[lane] *= if left > test.floor[lane] { left } else { test.floor[lane] };
            }
        }
        product.multiply(products);
    }
    0.5 * (0.0 - product.ln())
}
