//! The predictive moments of a belief at n rows: mean and covariance of the function, variance of the noise.

mod functions;

use thiserror::Error;

pub use functions::SampledFunctions;

use super::correlation::correlation_matrix;
use super::dense::Dense;

/// The largest difference of two mirrored covariances that rounding explains, relative to the largest variance.
const SYMMETRY: f64 = 1e-6;

/// Why moments, or the samples to estimate them from, are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MomentsError {
    /// A list or matrix has the wrong size.
    #[error("{what} holds {found} values, not {expected}")]
    Shape {
        /// The list or matrix.
        what: &'static str,
        /// The size that follows from the other sizes.
        expected: usize,
        /// The size found.
        found: usize,
    },
    /// No function was sampled.
    #[error("moments need at least one draw")]
    NoDraws,
    /// An infinity or a NaN.
    #[error("{what} of row {row} is not finite")]
    NotFinite {
        /// The name of the list.
        what: &'static str,
        /// The row.
        row: usize,
    },
    /// A variance or standard deviation below zero.
    #[error("{what} of row {row} is negative: {value}")]
    Negative {
        /// The name of the list.
        what: &'static str,
        /// The row.
        row: usize,
        /// The value.
        value: f64,
    },
    /// The covariance differs from its mirror image by more than rounding explains.
    #[error("the covariances at ({row}, {col}) and its mirror image differ: {above} and {below}")]
    Asymmetric {
        /// Row of the pair's upper member.
        row: usize,
        /// The column of the upper member.
        col: usize,
        /// The value above the diagonal.
        above: f64,
        /// The value below the diagonal.
        below: f64,
    },
}

/// The predictive moments of a belief at n rows.
///
/// A target is y = f(x) + noise: f has `mean` and `covariance`, and the noise is independent between rows with
/// `noise_variance`. A belief without uncertainty has variances of zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    mean: Vec<f64>,
    covariance: Dense,
    noise_variance: Vec<f64>,
}

impl Moments {
    /// Checks moments that an agent returns. Mirrored covariances that differ only by rounding are replaced by their
    /// mean.
    ///
    /// # Errors
    /// When sizes differ, a value is not finite, a variance is negative, or mirrored covariances differ by more than
    /// 1e-6 of the largest variance.
    pub fn new(mean: Vec<f64>, mut covariance: Dense, noise_variance: Vec<f64>) -> Result<Self, MomentsError> {
        let n = mean.len();
        let sizes = [
            ("the covariance", n * n, covariance.values().len()),
            ("a row of the covariance", n, covariance.cols()),
            ("the noise variance", n, noise_variance.len()),
        ];
        if let Some((what, expected, found)) = sizes.into_iter().find(|(_, expected, found)| expected != found) {
            return Err(MomentsError::Shape { what, expected, found });
        }
        finite("the mean", &mean)?;
        not_negative("the noise variance", &noise_variance)?;
        if let Some(place) = covariance.values().iter().position(|x| !x.is_finite()) {
            return Err(MomentsError::NotFinite { what: "the covariance", row: place / n });
        }
        let variances = covariance.diagonal();
        not_negative("the variance", &variances)?;
        let tolerance = SYMMETRY * variances.iter().copied().fold(0.0, f64::max);
        for row in 0..n {
            for col in row + 1..n {
                let (above, below) = (covariance[(row, col)], covariance[(col, row)]);
                if (above - below).abs() > tolerance {
                    return Err(MomentsError::Asymmetric { row, col, above, below });
                }
                covariance[(row, col)] = above + 0.5 * (below - above);
            }
        }
        covariance.mirror();
        Ok(Self { mean, covariance, noise_variance })
    }

    /// Returns the number n of rows.
    pub fn rows(&self) -> usize {
        self.mean.len()
    }

    /// Returns the mean of f, and so of the target, at each row.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the covariance of f between rows, n x n, symmetric.
    pub fn covariance(&self) -> &Dense {
        &self.covariance
    }

    /// Returns the variance of the noise at each row.
    pub fn noise_variance(&self) -> &[f64] {
        &self.noise_variance
    }

    /// Returns the variance of f at each row.
    pub fn variance(&self) -> Vec<f64> {
        self.covariance.diagonal()
    }

    /// Returns the variance of the target at each row: that of f plus that of the noise.
    pub fn target_variance(&self) -> Vec<f64> {
        self.variance().iter().zip(&self.noise_variance).map(|(f, noise)| f + noise).collect()
    }

    /// Returns the correlation of f between rows: the paper's rho, equation 1.
    pub fn correlation(&self) -> Dense {
        correlation_matrix(&self.covariance)
    }

    /// Returns the covariance of the targets: that of f with the noise added to its diagonal.
    pub fn target_covariance(&self) -> Dense {
        let mut covariance = self.covariance.clone();
        for (i, noise) in self.noise_variance.iter().enumerate() {
            covariance[(i, i)] += noise;
        }
        covariance
    }

    /// Returns the correlation of the targets between rows, which includes the noise.
    pub fn target_correlation(&self) -> Dense {
        correlation_matrix(&self.target_covariance())
    }

    /// Returns the moments of y = `location` + `scale` z, where these are the moments of z: undoes standardisation.
    ///
    /// # Panics
    /// When `scale` is not positive.
    #[must_use]
    pub fn in_units(&self, location: f64, scale: f64) -> Self {
        assert!(scale > 0.0, "units have a positive scale");
        let square = scale * scale;
        let mut covariance = self.covariance.clone();
        for value in covariance.values_mut() {
            *value *= square;
        }
        Self {
            mean: self.mean.iter().map(|mean| location + scale * mean).collect(),
            covariance,
            noise_variance: self.noise_variance.iter().map(|noise| noise * square).collect(),
        }
    }

    /// Returns the moments at the chosen rows, in the given order.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self {
            mean: rows.iter().map(|&i| self.mean[i]).collect(),
            covariance: self.covariance.block(rows, rows),
            noise_variance: rows.iter().map(|&i| self.noise_variance[i]).collect(),
        }
    }
}

pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), MomentsError> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(MomentsError::NotFinite { what, row }),
        None => Ok(()),
    }
}

pub(super) fn not_negative(what: &'static str, values: &[f64]) -> Result<(), MomentsError> {
    finite(what, values)?;
    match values.iter().position(|&x| x < 0.0) {
        Some(row) => Err(MomentsError::Negative { what, row, value: values[row] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
