//! Correlations from covariances, with a rule for variances of zero.

use super::dense::Dense;

/// Returns correlations between two sets of points from their covariances and variances.
///
/// # Formula
/// `rho_ij = cov_ij / (sd_i sd_j)`, clipped to [-1, 1]; 0 if either variance is 0, because a constant is uncorrelated
/// with everything. `covariance` is n x m with a row for each of `row_variances` and a column for each of
/// `col_variances`.
///
/// # Panics
/// When the shapes differ.
pub fn correlation_block(covariance: &Dense, row_variances: &[f64], col_variances: &[f64]) -> Dense {
    let (n, m) = (covariance.rows(), covariance.cols());
    assert_eq!((n, m), (row_variances.len(), col_variances.len()), "a variance for each row and column");
    let rows: Vec<f64> = row_variances.iter().map(|v| v.sqrt()).collect();
    let cols: Vec<f64> = col_variances.iter().map(|v| v.sqrt()).collect();
    Dense::from_fn(n, m, |i, j| correlation(covariance[(i, j)], rows[i], cols[j]))
}

/// Returns the correlation matrix of one set of points, with 1 on its diagonal whatever the variance.
///
/// # Formula
/// As [`correlation_block`]; `rho_ii = 1`. Only the upper half of `covariance` is read.
///
/// # Panics
/// When the matrix is not square.
pub fn correlation_matrix(covariance: &Dense) -> Dense {
    assert_eq!(covariance.rows(), covariance.cols(), "a covariance matrix is square");
    let sds: Vec<f64> = covariance.diagonal().iter().map(|v| v.sqrt()).collect();
    let rho = |i, j| if i == j { 1.0 } else { correlation(covariance[(i, j)], sds[i], sds[j]) };
    Dense::symmetric(covariance.rows(), rho)
}

fn correlation(covariance: f64, a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 {
        // Divides one after the other, because the product of two tiny deviations could vanish.
        (covariance / a / b).clamp(-1.0, 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correlation_has_no_units() {
        let covariance = Dense::new(2, 2, vec![4.0, -3.0, -3.0, 9.0]).unwrap();
        assert_eq!(correlation_matrix(&covariance).values(), [1.0, -0.5, -0.5, 1.0]);
        assert_eq!(correlation_block(&covariance, &[4.0, 9.0], &[4.0, 9.0])[(1, 0)], -0.5);
    }

    #[test]
    fn what_never_varies_is_correlated_with_nothing_but_itself() {
        let covariance = Dense::new(2, 2, vec![0.0, 0.0, 0.0, 9.0]).unwrap();
        assert_eq!(correlation_matrix(&covariance).values(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(correlation_block(&covariance, &[0.0, 9.0], &[0.0, 9.0]).values(), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn rounding_never_passes_one_and_the_smallest_variances_are_variances() {
        let tiny = f64::from_bits(1);
        for v in [0.1, 0.3, 1e-300, tiny, 1e300] {
            for sign in [1.0, -1.0] {
                let covariance = Dense::new(2, 2, vec![v, sign * v, sign * v, v]).unwrap();
                let rho = correlation_matrix(&covariance)[(0, 1)] * sign;
                assert!(rho <= 1.0 && rho > 1.0 - 1e-12, "{v:e}: {rho}");
            }
        }
        let beyond = Dense::new(2, 2, vec![1.0, 1.5, 1.5, 1.0]).unwrap();
        assert_eq!(correlation_matrix(&beyond)[(0, 1)], 1.0);
    }
}
