//! Log densities of targets under Gaussian beliefs.

use std::f64::consts::PI;

use thiserror::Error;

use super::cholesky::{Cholesky, CholeskyError};
use super::dense::Dense;
use super::moments::Moments;

/// Why targets have no density under a belief.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DensityError {
    /// There are no targets.
    #[error("there are no targets")]
    Empty,
    /// A target has neither variance nor noise under the belief, and so no density.
    #[error("the target of row {row} has no variance and no noise, so no density")]
    Certain {
        /// The row.
        row: usize,
    },
    /// The correlation matrix of some targets is singular, because without noise the targets determine one another. No
    /// jitter is added: the jitter would determine the density.
    #[error("the targets of rows {rows:?} have no joint density")]
    Degenerate {
        /// The rows.
        rows: Vec<usize>,
        /// The defect of their correlation matrix.
        source: CholeskyError,
    },
    /// A target is not finite.
    #[error("the target of row {row} is not finite")]
    Target {
        /// The row.
        row: usize,
    },
}

/// Computes the mean marginal log density of targets.
///
/// # Formula
/// (1/n) sum over rows i of ln N(`y_i`; `mean_i`, `var_f,i + var_noise,i`), in the units of belief and targets.
///
/// # Errors
/// When there are no targets, a target's variance is 0 or a target is not finite.
///
/// # Panics
/// When the number of targets is not the number of rows.
pub fn marginal_log_likelihood(belief: &Moments, targets: &[f64]) -> Result<f64, DensityError> {
    let marginals = Marginals::new(belief, targets)?;
    let sum: f64 = (0..targets.len()).map(|i| -0.5 * marginals.z[i] * marginals.z[i] - marginals.ln_scale[i]).sum();
    Ok(sum / targets.len() as f64)
}

/// The targets under their marginal distributions.
pub(super) struct Marginals {
    /// (y - mean) / sd.
    pub(super) z: Vec<f64>,
    /// ln(sd sqrt(2 pi)).
    pub(super) ln_scale: Vec<f64>,
}

impl Marginals {
    pub(super) fn new(belief: &Moments, targets: &[f64]) -> Result<Self, DensityError> {
        assert_eq!(belief.rows(), targets.len(), "one target for each row");
        if targets.is_empty() {
            return Err(DensityError::Empty);
        }
        if let Some(row) = targets.iter().position(|y| !y.is_finite()) {
            return Err(DensityError::Target { row });
        }
        let variances = belief.target_variance();
        if let Some(row) = variances.iter().position(|&v| v == 0.0) {
            return Err(DensityError::Certain { row });
        }
        let residuals = targets.iter().zip(belief.mean()).zip(&variances);
        Ok(Self {
            z: residuals.map(|((y, mean), v)| (y - mean) / v.sqrt()).collect(),
            ln_scale: variances.iter().map(|v| 0.5 * (libm::log(2.0 * PI) + libm::log(*v))).collect(),
        })
    }

    /// Returns ln N(y; mean, D C D) of the targets of `rows`, divided by their number, where D holds the sds and C is
    /// `correlation` at these rows.
    pub(super) fn joint(&self, correlation: &Dense, rows: &[usize]) -> Result<f64, DensityError> {
        let factor = Cholesky::exact(&correlation.block(rows, rows))
            .map_err(|source| DensityError::Degenerate { rows: rows.to_vec(), source })?;
        let mut z = Dense::from_fn(rows.len(), 1, |i, _| self.z[rows[i]]);
        factor.half_solve(&mut z);
        let square: f64 = z.values().iter().map(|z| z * z).sum();
        let scales: f64 = rows.iter().map(|&i| self.ln_scale[i]).sum();
        Ok((-0.5 * (square + factor.log_determinant()) - scales) / rows.len() as f64)
    }

    /// Returns the mean of [`joint`](Self::joint) over groups of rows.
    pub(super) fn mean_joint(&self, correlation: &Dense, groups: &[Vec<usize>]) -> Result<f64, DensityError> {
        if groups.is_empty() {
            return Err(DensityError::Empty);
        }
        let mut sum = 0.0;
        for group in groups {
            sum += self.joint(correlation, group)?;
        }
        Ok(sum / groups.len() as f64)
    }
}
