//! Least squares by orthogonalisation of the columns.

use jointly_kernels::product::{axpy, dot};
use jointly_kernels::{Cholesky, Rows};
use jointly_sdk::Failure;

use super::{Fitted, Noise};
use crate::design::Design;

/// A column depends on earlier ones if at most this share of its length is left after projecting them out; features
/// have the precision of an `f32`.
const DEPENDENT: f64 = 1e-7;

/// Computes the least-squares weights and the estimate of the noise.
///
/// # Formula
///
/// X = Q R by modified Gram-Schmidt, twice (Bjorck 1994); the weights solve R w = Q^T y, X^T X = R^T R, and the
/// estimate of the noise's variance is |y - X w|^2 / (n - p).
///
/// # Errors
///
/// There are no more examples than weights, or a column depends on others.
pub(super) fn fit(rows: &Rows, targets: &[f64], design: &Design) -> Result<Fitted, Failure> {
    let (n, p) = (rows.rows(), rows.cols());
    if n <= p {
        return Err(Failure::Unsupported(format!(
            "least squares with {n} examples and {p} weights: it needs more examples than weights; method=bayesian does \
             without"
        )));
    }
    let mut columns = rows.transposed();
    // The matrix R^T, filled row by row.
    let mut factor = Rows::zeros(p, p);
    let mut left = targets.to_vec();
    let mut projected = vec![0.0; p];
    for (j, projected) in projected.iter_mut().enumerate() {
        let mut column = columns.row(j).to_vec();
        let whole = dot(&column, &column).sqrt();
        for _ in 0..2 {
            for i in 0..j {
                let part = dot(columns.row(i), &column);
                axpy(-part, columns.row(i), &mut column);
                factor.row_mut(j)[i] += part;
            }
        }
        let norm = dot(&column, &column).sqrt();
        if norm <= DEPENDENT * whole {
            return Err(Failure::Unsupported(format!(
                "least squares where {} is a combination of those before it; method=bayesian does with it",
                design.name(j)
            )));
        }
        for value in &mut column {
            *value /= norm;
        }
        factor.row_mut(j)[j] = norm;
        for _ in 0..2 {
            let part = dot(&column, &left);
            axpy(-part, &column, &mut left);
            *projected += part;
        }
        columns.row_mut(j).copy_from_slice(&column);
    }
    let degrees = (n - p) as f64;
    let variance = dot(&left, &left) / degrees;
    let factor = Cholesky::of_factor(factor);
    factor.solve_upper(&mut projected);
    Ok(Fitted { weights: projected, factor, noise: Noise::Estimate { variance, degrees } })
}
