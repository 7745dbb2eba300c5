//! The first two moments of the parameters that training passes through, and the normal distribution that they define.

use std::collections::VecDeque;

use jointly_nets::normals::Normals;
use jointly_nets::simd::{Lanes, floats, vectors};
use jointly_sdk::Failure;

/// The running moments of snapshots of the parameters, and the deviations of the last snapshots.
///
/// # Formula
///
/// After snapshot n, theta_n: mean_n = mean_(n-1) + (theta_n - mean_(n-1)) / n, and the sum of squares is s_n = s_(n-1) +
/// (theta_n - mean_(n-1)) (theta_n - mean_n). So s_n / n is the second moment less the square of the mean, without the
/// cancellation of that difference. The deviation of snapshot n is theta_n - mean_n, from the mean at that time.
#[derive(Debug)]
pub(crate) struct Moments {
    count: u32,
    mean: Vec<Lanes>,
    /// The sums of squared deviations from the mean.
    squares: Vec<Lanes>,
    /// The deviations of the last `rank` snapshots.
    columns: VecDeque<Vec<Lanes>>,
    rank: usize,
}

impl Moments {
    /// Makes moments of no snapshots, which keep the deviations of the last `rank`.
    pub(crate) fn new(len: usize, rank: usize) -> Self {
        let zeros = vec![Lanes::splat(0.0); len];
        Self { count: 0, mean: zeros.clone(), squares: zeros, columns: VecDeque::new(), rank }
    }

    /// Adds a snapshot.
    pub(crate) fn add(&mut self, parameters: &[Lanes]) {
        self.count += 1;
        // The oldest column's memory takes the newest deviations.
        let oldest = if self.columns.len() < self.rank { None } else { self.columns.pop_front() };
        let mut column = oldest.unwrap_or_else(|| vec![Lanes::splat(0.0); parameters.len()]);
        let share = Lanes::splat(1.0 / self.count as f32);
        let sums = self.mean.iter_mut().zip(&mut self.squares);
        for ((mean, square), (deviation, value)) in sums.zip(column.iter_mut().zip(parameters)) {
            let before = *value - *mean;
            *mean = before.mul_add(share, *mean);
            *deviation = *value - *mean;
            *square = before.mul_add(*deviation, *square);
        }
        if self.rank > 0 {
            self.columns.push_back(column);
        }
    }

    /// Returns the normal distribution of these moments, with its deviations from the mean multiplied by `scale`.
    ///
    /// # Errors
    ///
    /// A mean or a variance is not finite.
    pub(crate) fn posterior(mut self, scale: f32) -> Result<Posterior, Failure> {
        let finite = |values: &[Lanes]| floats(values).iter().all(|value| value.is_finite());
        if !finite(&self.mean) || !finite(&self.squares) {
            return Err(Failure::Diverged(
                "a mean or a variance over the snapshots is not finite: lower swa-learning-rate".into(),
            ));
        }
        // One snapshot deviates from nothing.
        let low_rank = self.columns.len() > 1;
        let [own, shared] = if low_rank {
            [0.5, 0.5 / (self.columns.len() - 1) as f32].map(f32::sqrt)
        } else {
            self.columns.clear();
            [1.0, 0.0]
        };
        let (count, own) = (Lanes::splat(self.count.max(1) as f32), Lanes::splat(scale * own));
        let scales = self.squares.iter().map(|square| own * (*square / count).sqrt()).collect();
        Ok(Posterior { mean: self.mean, scales, columns: self.columns.into(), shared: scale * shared })
    }
}

/// A normal distribution of the parameters whose covariance is a diagonal plus a matrix of low rank.
///
/// # Formula
///
/// With v the variances over the snapshots and D the K columns of deviations, a draw is mean + scale (sqrt(v / 2) z +
/// D y / sqrt(2 (K - 1))) with z and y standard normal. So the covariance is scale^2 (diag(v) / 2 + D D^T / (2 (K - 1))).
/// Without columns a draw is mean + scale sqrt(v) z, which the paper calls SWAG-Diagonal.
///
/// The method follows Maddox et al. (2019), algorithm 1 and equation 1.
#[derive(Debug)]
pub(crate) struct Posterior {
    pub(crate) mean: Vec<Lanes>,
    /// The standard deviations of the independent part.
    scales: Vec<Lanes>,
    columns: Vec<Vec<Lanes>>,
    /// The factor of the columns.
    shared: f32,
}

impl Posterior {
    /// Writes parameters that are drawn with these normal numbers.
    pub(crate) fn draw(&self, normals: &mut Normals, out: &mut [Lanes]) {
        let mut own = vec![Lanes::splat(0.0); out.len()];
        let mut shared = vec![Lanes::splat(0.0); vectors(self.columns.len())];
        normals.fill(&mut own);
        normals.fill(&mut shared);
        self.apply(&own, floats(&shared), out);
    }

    /// Writes the parameters for one number for each parameter and one for each column.
    fn apply(&self, own: &[Lanes], shared: &[f32], out: &mut [Lanes]) {
        for ((value, mean), (z, scale)) in out.iter_mut().zip(&self.mean).zip(own.iter().zip(&self.scales)) {
            *value = z.mul_add(*scale, *mean);
        }
        for (column, y) in self.columns.iter().zip(shared) {
            let factor = Lanes::splat(self.shared * y);
            out.iter_mut().zip(column).for_each(|(value, deviation)| *value = deviation.mul_add(factor, *value));
        }
    }

    /// The memory for a draw, in numbers.
    pub(crate) fn numbers(&self) -> usize {
        floats(&self.mean).len()
    }
}

#[cfg(test)]
mod tests {
    use jointly_nets::simd::{LANES, floats_mut};
    use jointly_sdk::Rng;

    use super::*;

    /// Parameters, in vectors and in numbers.
    const VECTORS: usize = 3;
    const LEN: usize = VECTORS * LANES;

    /// Relative tolerance of single precision after some sums.
    const TOLERANCE: f64 = 2e-5;

    /// Returns snapshots of parameters around 3 that are correlated with one another.
    fn snapshots(count: u64) -> Vec<Vec<f32>> {
        let snapshot = |number: u64| {
            let mut rng = Rng::new(5, number);
            let common = rng.normal();
            (0..LEN).map(|i| 3.0 + 0.1 * (rng.normal() + (i % 3) as f32 * common)).collect()
        };
        (0..count).map(snapshot).collect()
    }

    fn moments(snapshots: &[Vec<f32>], rank: usize) -> Moments {
        let mut moments = Moments::new(VECTORS, rank);
        let mut parameters = vec![Lanes::splat(0.0); VECTORS];
        for snapshot in snapshots {
            floats_mut(&mut parameters).copy_from_slice(snapshot);
            moments.add(&parameters);
        }
        moments
    }

    /// Returns the mean over some snapshots, and the second moment less its square, in double precision.
    fn plain(snapshots: &[Vec<f32>]) -> (Vec<f64>, Vec<f64>) {
        let average = |i: usize, power: i32| {
            let sum: f64 = snapshots.iter().map(|snapshot| f64::from(snapshot[i]).powi(power)).sum();
            sum / snapshots.len() as f64
        };
        let means: Vec<f64> = (0..LEN).map(|i| average(i, 1)).collect();
        let variances = (0..LEN).map(|i| average(i, 2) - means[i].powi(2)).collect();
        (means, variances)
    }

    fn assert_close(found: f64, expected: f64, size: f64) {
        assert!((found - expected).abs() <= TOLERANCE * size, "{found} for {expected}");
    }

    #[test]
    fn running_moments_are_those_of_the_plain_formula() {
        for count in [1, 2, 7, 30] {
            let snapshots = snapshots(count);
            let found = moments(&snapshots, 0);
            let (means, variances) = plain(&snapshots);
            for i in 0..LEN {
                assert_close(floats(&found.mean)[i].into(), means[i], 3.0);
                let variance = f64::from(floats(&found.squares)[i]) / count as f64;
                // Up to one hundredth: a deviation of a tenth.
                assert_close(variance, variances[i], 0.1);
            }
        }
    }

    /// Returns the covariance of the formula, from the snapshots alone.
    fn covariance(snapshots: &[Vec<f32>], rank: usize) -> Vec<f64> {
        let (_, variances) = plain(snapshots);
        let last = snapshots.len() - rank.min(snapshots.len());
        // The deviation of a snapshot is from the mean over it and those before it.
        let columns: Vec<Vec<f64>> = (last..snapshots.len())
            .map(|n| {
                let (means, _) = plain(&snapshots[..=n]);
                (0..LEN).map(|i| f64::from(snapshots[n][i]) - means[i]).collect()
            })
            .collect();
        let half = if rank > 0 { 0.5 } else { 1.0 };
        let entry = |i: usize, j: usize| {
            let own = if i == j { half * variances[i] } else { 0.0 };
            let shared: f64 = columns.iter().map(|column| column[i] * column[j]).sum();
            own + if rank > 0 { shared / (2.0 * (columns.len() - 1) as f64) } else { 0.0 }
        };
        (0..LEN * LEN).map(|at| entry(at / LEN, at % LEN)).collect()
    }

    #[test]
    fn draws_have_the_covariance_of_the_formula() {
        let scale = 1.7f32;
        for (count, rank) in [(12, 5), (12, 2), (12, 12), (4, 20), (12, 0)] {
            let snapshots = snapshots(count);
            let posterior = moments(&snapshots, rank).posterior(scale).unwrap();
            // A draw is an affine map of standard normal numbers. The unit vectors give the columns of its matrix A, and
            // A A^T is the covariance.
            let mut out = vec![Lanes::splat(0.0); VECTORS];
            let mut found = vec![0.0; LEN * LEN];
            for unit in 0..LEN + posterior.columns.len() {
                let (mut own, mut shared) = (vec![Lanes::splat(0.0); VECTORS], vec![0.0; posterior.columns.len()]);
                match unit.checked_sub(LEN) {
                    None => floats_mut(&mut own)[unit] = 1.0,
                    Some(column) => shared[column] = 1.0,
                }
                posterior.apply(&own, &shared, &mut out);
                let pairs = floats(&out).iter().zip(floats(&posterior.mean));
                let column: Vec<f64> = pairs.map(|(value, mean)| f64::from(*value) - f64::from(*mean)).collect();
                for at in 0..LEN * LEN {
                    found[at] += column[at / LEN] * column[at % LEN];
                }
            }
            let expected = covariance(&snapshots, rank);
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(*found, expected * f64::from(scale).powi(2), 0.1);
            }
        }
    }

    #[test]
    fn draws_are_normal_with_that_mean_and_covariance() {
        const DRAWS: u64 = 20_000;
        let snapshots = snapshots(10);
        let posterior = moments(&snapshots, 4).posterior(1.0).unwrap();
        let expected = covariance(&snapshots, 4);
        let mut sums = vec![0.0; LEN * LEN];
        let mut out = vec![Lanes::splat(0.0); VECTORS];
        for draw in 0..DRAWS {
            posterior.draw(&mut Normals::new(&mut Rng::new(8, draw)), &mut out);
            let gaps = floats(&out).iter().zip(floats(&posterior.mean));
            let gaps: Vec<f64> = gaps.map(|(value, mean)| f64::from(value - mean)).collect();
            (0..LEN * LEN).for_each(|at| sums[at] += gaps[at / LEN] * gaps[at % LEN]);
        }
        for at in 0..LEN * LEN {
            let [own, other] = [at / LEN, at % LEN].map(|i| expected[i * LEN + i]);
            // Five standard errors of a mean of products of two correlated normal numbers.
            let error = 5.0 * ((own * other + expected[at].powi(2)) / DRAWS as f64).sqrt();
            assert!((sums[at] / DRAWS as f64 - expected[at]).abs() < error, "{at}");
        }
    }

    #[test]
    fn one_snapshot_has_no_spread() {
        let snapshots = snapshots(1);
        for rank in [0, 5] {
            let posterior = moments(&snapshots, rank).posterior(1.0).unwrap();
            let mut out = vec![Lanes::splat(0.0); VECTORS];
            posterior.draw(&mut Normals::new(&mut Rng::new(8, 0)), &mut out);
            assert_eq!(floats(&out), &snapshots[0][..]);
        }
    }
}
