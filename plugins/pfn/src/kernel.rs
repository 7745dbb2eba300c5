//! The covariance of the testbed's environments.

use jointly_kernels::Rows;
use jointly_kernels::product::dot;
use jointly_kernels::relu::rectified;

/// The variance of a standard normal truncated at two standard deviations.
const VARIANCE: f64 = 0.773_741;

/// Inputs, and the covariances between them of the two logits' difference times the temperature.
///
/// The difference is that of a sampled environment in the limit of wide layers: a Gaussian process with mean zero.
///
/// # Formula
///
/// Weights have the variance v over their fan-in, with v = .774, first biases the variance 1 / d, and all others are
/// zero. With C(x, x') = (v x x' + 1) / d and J(A, B, C) = E[max(a, 0) max(b, 0)] for normal a, b with the variances A,
/// B and the covariance C (Cho and Saul 2009), the covariance after a hidden layer is v J, and that of the difference
/// is twice that after the second.
#[derive(Debug)]
pub(crate) struct Kernel {
    inputs: Rows,
    /// The variance of every input before the first rectifier.
    own: Vec<f64>,
}

impl Kernel {
    /// Keeps inputs for which covariances will be asked.
    pub(crate) fn of(inputs: Rows) -> Self {
        let own = inputs.iter().map(|x| first(x, x)).collect();
        Self { inputs, own }
    }

    /// The number of inputs.
    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// Returns the covariances of these inputs, in rows, with the other ones, in columns.
    pub(crate) fn with(&self, other: &Self) -> Rows {
        Rows::from_fn(self.len(), other.len(), |i, j| {
            let c = first(self.inputs.row(i), other.inputs.row(j));
            let (a, b) = (self.own[i], other.own[j]);
            // J(A, A, A) is A / 2.
            let second = |variance| VARIANCE * variance / 2.0;
            2.0 * VARIANCE * of_layer(VARIANCE * of_layer(c, a, b), second(a), second(b))
        })
    }
}

/// Returns the covariance before the first rectifier.
fn first(x: &[f64], y: &[f64]) -> f64 {
    (VARIANCE * dot(x, y) + 1.0) / x.len() as f64
}

/// Returns E[max(u, 0) max(v, 0)] for normal u and v with the variances a and b and the covariance c.
fn of_layer(c: f64, a: f64, b: f64) -> f64 {
    rectified(c, (a * b - c * c).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use jointly_nets::predict::outputs;
    use jointly_nets::{FirstBiases, Network, Stream};

    use super::*;

    #[test]
    fn covariances_are_those_of_wide_networks() {
        const NETWORKS: usize = 4000;
        let rows = [[0.3_f32, -1.0, 0.7], [1.5, 0.2, -0.4], [-0.3, 1.0, -0.7]];
        let kernel = Kernel::of(Rows::from_fn(3, 3, |i, j| f64::from(rows[i][j])));
        let (covariances, mut sums) = (kernel.with(&kernel), [[0.0; 3]; 3]);
        for draw in 0..NETWORKS as u64 {
            let network = Network::new(&[3, 100, 100, 2], FirstBiases::Normal, &mut Stream::Prior.rng(1, draw));
            let logits = outputs(&network, rows.as_flattened());
            let difference = |row: usize| f64::from(logits[2 * row + 1] - logits[2 * row]);
            for (i, sums) in sums.iter_mut().enumerate() {
                for (j, sum) in sums.iter_mut().enumerate() {
                    *sum += difference(i) * difference(j) / NETWORKS as f64;
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                let expected = covariances.row(i)[j];
                // Five standard errors of a product of normals; networks of this width are nearly normal.
                let error = (2.0 * covariances.row(i)[i] * covariances.row(j)[j] / NETWORKS as f64).sqrt();
                assert!((sum - expected).abs() < 5.0 * error, "{i} {j}: {sum} {expected}");
            }
        }
    }

    #[test]
    fn by_hand() {
        // Variance of the first layer (.774 + 1) / 1; each rectifier halves it, each layer multiplies it by .774.
        let kernel = Kernel::of(Rows::from_fn(1, 1, |_, _| 1.0));
        assert!((kernel.with(&kernel).row(0)[0] - 0.773_741 * 0.773_741 * 1.773_741 / 2.0).abs() < 1e-12);
        // The correlation 0 gives the covariance root(A B) / (2 pi).
        assert!((of_layer(0.0, 4.0, 9.0) - 6.0 / (2.0 * PI)).abs() < 1e-12);
    }
}
