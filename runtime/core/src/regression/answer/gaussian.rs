//! Moments of a Gaussian prediction.

use super::{AnswerError, LARGEST, each, length};

/// How far a covariance may be from symmetric, relative to its largest variance; agents round to `f32`.
const SYMMETRY: f64 = 1e-5;
/// The largest variance, the square of the largest mean; sums of such squares do not overflow, whatever the data's
/// units.
const LARGEST_VARIANCE: f64 = LARGEST * LARGEST;

/// Exact moments of a Gaussian prediction of the function and the noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Vec<f64>,
    noise_variance: Vec<f64>,
}

impl Gaussian {
    /// Checks moments at `rows` rows. `covariance` is that of the function, rows x rows, row-major, without noise;
    /// `noise_variance` has one variance for each row.
    ///
    /// It does not check that the covariance is positive semi-definite, which its factorisation does.
    ///
    /// # Errors
    /// When a list has the wrong length, a mean is further from 0 than 1e100 or a covariance than 1e200, a variance is
    /// negative, or the covariance is not symmetric to within 1e-5 of its largest variance.
    pub fn new(
        rows: usize,
        mean: Vec<f64>,
        covariance: Vec<f64>,
        noise_variance: Vec<f64>,
    ) -> Result<Self, AnswerError> {
        length("means", mean.len(), rows)?;
        length("covariances", covariance.len(), rows * rows)?;
        length("noise variances", noise_variance.len(), rows)?;
        each("means", mean.iter().copied(), |x| x.abs() <= LARGEST, "a number within 1e100 of 0")?;
        let second = |x: f64| x.abs() <= LARGEST_VARIANCE;
        each("covariances", covariance.iter().copied(), second, "a number within 1e200 of 0")?;
        each("variances", (0..rows).map(|t| covariance[t * rows + t]), |x| x >= 0.0, "0 or more")?;
        let noise = |x: f64| (0.0..=LARGEST_VARIANCE).contains(&x);
        each("noise variances", noise_variance.iter().copied(), noise, "a number from 0 to 1e200")?;
        let largest = (0..rows).map(|t| covariance[t * rows + t]).fold(0.0, f64::max);
        for row in 0..rows {
            for col in 0..row {
                let (value, transposed) = (covariance[row * rows + col], covariance[col * rows + row]);
                if (value - transposed).abs() > SYMMETRY * largest {
                    return Err(AnswerError::Asymmetric { row, col, value, transposed });
                }
            }
        }
        Ok(Self { mean, covariance, noise_variance })
    }

    /// Returns the mean at each row.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the covariance without observation noise, row-major, rows x rows.
    pub fn covariance(&self) -> &[f64] {
        &self.covariance
    }

    /// Returns the variance of the function at a row, without observation noise.
    pub fn variance(&self, row: usize) -> f64 {
        self.covariance[row * self.mean.len() + row]
    }

    /// Returns the variance of the observation noise at each row.
    pub fn noise_variance(&self) -> &[f64] {
        &self.noise_variance
    }

    /// Returns the prediction of `shift + scale y`.
    #[must_use]
    pub fn rescaled(&self, shift: f64, scale: f64) -> Self {
        let squared = |values: &[f64]| values.iter().map(|x| scale * scale * x).collect();
        Self {
            mean: self.mean.iter().map(|x| shift + scale * x).collect(),
            covariance: squared(&self.covariance),
            noise_variance: squared(&self.noise_variance),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_finite_and_symmetric_and_variances_not_negative() {
        let gaussian = |covariance: [f64; 4]| Gaussian::new(2, vec![0.0; 2], covariance.to_vec(), vec![0.1; 2]);
        assert_eq!(gaussian([1.0, 0.5, 0.5, 2.0]).unwrap().variance(1), 2.0);
        // Correlations of 1, and zero variance, are valid, too.
        assert!(gaussian([1.0; 4]).is_ok() && gaussian([0.0; 4]).is_ok());
        assert!(matches!(gaussian([1.0, 0.5, 0.4, 2.0]), Err(AnswerError::Asymmetric { row: 1, col: 0, .. })));
        assert!(matches!(gaussian([1.0, 0.0, 0.0, -1.0]), Err(AnswerError::Value { index: 1, .. })));
        assert!(matches!(gaussian([1.0, f64::NAN, 0.0, 1.0]), Err(AnswerError::Value { index: 1, .. })));
        assert!(gaussian([1e200, 0.0, 0.0, 1.0]).is_ok() && gaussian([1e201, 0.0, 0.0, 1.0]).is_err());
        let mean = |mean| Gaussian::new(1, vec![mean], vec![1.0], vec![0.0]).map_err(|error| error.to_string());
        assert_eq!(mean(-1e300), Err("means hold -1e300 at 0, expected a number within 1e100 of 0".to_owned()));
        assert!(mean(1e100).is_ok() && mean(f64::NAN).is_err());
    }
}
