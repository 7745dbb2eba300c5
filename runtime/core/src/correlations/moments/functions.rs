//! Moments of a belief, estimated from sampled functions.

use std::ops::Range;

use super::{Moments, MomentsError};
use crate::correlations::dense::Dense;
use crate::correlations::product::cross_product;

/// Functions sampled from a belief, at n rows: their mean, their deviations from it, and the mean variance of their
/// noise.
///
/// # Formula
/// For m functions with values `f_k(x)` and noise sds `s_k(x)`: mean(x) = (1/m) sum `f_k(x)`, covariance(x, x') = (1/m)
/// sum (`f_k(x)` - mean(x)) (`f_k(x')` - mean(x')), noise variance(x) = (1/m) sum `s_k(x)`^2. Wang, Sun and Grosse,
/// "Beyond Marginal Uncertainty" (2021), section 2.2. With one function all covariances are 0. Where all functions have
/// the same value, the variance is exactly 0.
#[derive(Clone, Debug)]
pub struct SampledFunctions {
    mean: Vec<f64>,
    /// m x n: the deviation of each function from the mean, times the square root of the number of draws that name it.
    deviations: Dense,
    noise_variance: Vec<f64>,
    /// The number of draws.
    draws: u64,
}

impl SampledFunctions {
    /// Estimates moments from `means` and `noise_sds`, each m x n row-major: element (k, i) is function k at row i of
    /// `rows`.
    ///
    /// # Errors
    /// When the lists do not hold whole functions or differ in size, no function is given, a value is not finite or a
    /// standard deviation is negative.
    pub fn new<T: Copy + Into<f64>>(rows: usize, means: &[T], noise_sds: &[T]) -> Result<Self, MomentsError> {
        let functions = means.len().checked_div(rows).unwrap_or(1);
        Self::counted(rows, means, noise_sds, &vec![1; functions])
    }

    /// Does the same as [`new`](Self::new), where function k stands for `counts[k]` equal draws.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn counted<T: Copy + Into<f64>>(
        rows: usize,
        means: &[T],
        noise_sds: &[T],
        counts: &[u64],
    ) -> Result<Self, MomentsError> {
        let (draws, total) = (counts.len(), counts.iter().sum::<u64>());
        if total == 0 {
            return Err(MomentsError::NoDraws);
        }
        for (what, found) in [("the means", means.len()), ("the noise sds", noise_sds.len())] {
            if found != draws * rows {
                return Err(MomentsError::Shape { what, expected: draws * rows, found });
            }
        }
        let mut deviations = Dense::zeros(draws, rows);
        let mut mean_deviation = vec![0.0; rows];
        let mut squares = vec![0.0; rows];
        for (k, &count) in counts.iter().enumerate() {
            let count = count as f64;
            for row in 0..rows {
                let (mean, sd): (f64, f64) = (means[k * rows + row].into(), noise_sds[k * rows + row].into());
                for (what, value) in [("the mean", mean), ("the noise sd", sd)] {
                    if !value.is_finite() {
                        return Err(MomentsError::NotFinite { what, row });
                    }
                }
                if sd < 0.0 {
                    return Err(MomentsError::Negative { what: "the noise sd", row, value: sd });
                }
                // Relative to the first function, so that functions that agree deviate by exactly zero.
                let deviation = mean - means[row].into();
                deviations[(k, row)] = deviation;
                mean_deviation[row] += count * deviation;
                squares[row] += count * (sd * sd);
            }
        }
        for sum in mean_deviation.iter_mut().chain(&mut squares) {
            *sum /= total as f64;
        }
        for (deviation, &count) in deviations.values_mut().chunks_exact_mut(rows.max(1)).zip(counts) {
            let weight = (count as f64).sqrt();
            for (x, mean) in deviation.iter_mut().zip(&mean_deviation) {
                *x = weight * (*x - mean);
            }
        }
        let mean =
            means[..rows].iter().zip(&mean_deviation).map(|(&first, deviation)| first.into() + deviation).collect();
        Ok(Self { mean, deviations, noise_variance: squares, draws: total })
    }

    /// Returns the number m of draws.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    /// Returns the number of functions given, each of which may stand for several draws.
    pub fn functions(&self) -> usize {
        self.deviations.rows()
    }

    /// Returns the functions of y = `location` + `scale` z, where these are functions of z: undoes standardisation.
    ///
    /// # Panics
    /// When `scale` is not positive.
    #[must_use]
    pub fn in_units(mut self, location: f64, scale: f64) -> Self {
        assert!(scale > 0.0, "units have a positive scale");
        for mean in &mut self.mean {
            *mean = location + scale * *mean;
        }
        for deviation in self.deviations.values_mut() {
            *deviation *= scale;
        }
        for variance in &mut self.noise_variance {
            *variance *= scale * scale;
        }
        self
    }

    /// Returns the number n of rows.
    pub fn rows(&self) -> usize {
        self.mean.len()
    }

    /// Returns the mean of the functions at each row.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the mean variance of the noise at each row.
    pub fn noise_variance(&self) -> &[f64] {
        &self.noise_variance
    }

    /// Returns the variance of the functions at each row, with the same bits as the diagonal of their covariance.
    pub fn variance(&self) -> Vec<f64> {
        let mut variance = vec![0.0; self.rows()];
        for function in self.deviations.values().chunks_exact(self.rows().max(1)) {
            for (sum, x) in variance.iter_mut().zip(function) {
                *sum += x * x;
            }
        }
        for sum in &mut variance {
            *sum /= self.draws as f64;
        }
        variance
    }

    /// Returns the covariances between two ranges of rows, in m n n' multiplications for n rows and n' columns; half as
    /// many if the ranges are equal.
    ///
    /// # Panics
    /// When a range exceeds the rows.
    pub fn covariance(&self, rows: Range<usize>, cols: Range<usize>) -> Dense {
        let mut covariance = cross_product(&self.deviations, rows, cols);
        for value in covariance.values_mut() {
            *value /= self.draws as f64;
        }
        covariance
    }

    /// Computes the covariances of one row with the first `out.len()` rows.
    ///
    /// # Panics
    /// When there are no such rows.
    pub fn covariance_row(&self, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        for function in self.deviations.values().chunks_exact(self.rows()) {
            let factor = function[row];
            for (sum, x) in out.iter_mut().zip(function) {
                *sum += factor * x;
            }
        }
        for sum in out {
            *sum /= self.draws as f64;
        }
    }

    /// Returns the moments at all rows.
    pub fn moments(&self) -> Moments {
        Moments {
            mean: self.mean.clone(),
            covariance: self.covariance(0..self.rows(), 0..self.rows()),
            noise_variance: self.noise_variance.clone(),
        }
    }
}
