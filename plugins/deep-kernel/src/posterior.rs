//! The posterior of a linear function of learnt features, which is a Gaussian process.

use jointly_nets::cholesky::Cholesky;
use jointly_sdk::Rng;

/// Added to a norm, so that features that are all zero stay zero.
const SMALL: f32 = 1e-6;

/// Scales each row of `width` features to unit norm.
pub(crate) fn normalise(features: &mut [f32], width: usize) {
    for row in features.chunks_exact_mut(width) {
        let norm = row.iter().map(|value| value * value).sum::<f32>().sqrt() + SMALL;
        for value in row {
            *value /= norm;
        }
    }
}

/// The posterior of every class's logit about its mean; it is the same for all classes, which are independent.
///
/// # Formula
///
/// With Phi the features of the T examples, Phi_* those of other inputs and s2 the variance of the noise, the
/// covariance at those inputs is
///
///   Phi_* Phi_*^T - Phi_* Phi^T (s2 I + Phi Phi^T)^-1 Phi Phi_*^T = s2 Phi_* (s2 I + Phi^T Phi)^-1 Phi_*^T,
///
/// where the second matrix has one row per feature instead of one per example (Osband et al. 2022, appendix B.9;
/// Woodbury 1950). With s2 I + Phi^T Phi = L L^T and standard normal z, Phi_* v has that covariance for v = s L^-T z.
#[derive(Debug)]
pub(crate) struct Posterior {
    cholesky: Cholesky,
    width: usize,
}

impl Posterior {
    /// Computes the posterior after examples with these features, `width` per row, which are finite. Returns `None`
    /// if the noise is lost in the rounding of the features' products.
    pub(crate) fn new(features: &[f32], width: usize, noise_variance: f64) -> Option<Self> {
        let mut precision = vec![0.0; width * width];
        for row in features.chunks_exact(width) {
            for (i, value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                // The Cholesky factorisation reads only the lower triangle.
                let sums = &mut precision[i * width..][..=i];
                sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += f64::from(*value) * f64::from(*other));
            }
        }
        for diagonal in precision.iter_mut().step_by(width + 1) {
            *diagonal += noise_variance;
        }
        Some(Self { cholesky: Cholesky::new(precision, width)?, width })
    }

    /// Writes `factor` L^-T z for each class, with z drawn from `rng`.
    pub(crate) fn draw(&self, rng: &mut Rng, factor: f64, deviations: &mut [f32]) {
        let mut solution = vec![0.0; self.width];
        for deviations in deviations.chunks_exact_mut(self.width) {
            solution.fill_with(|| f64::from(rng.normal()));
            self.cholesky.solve_transposed(&mut solution);
            deviations.iter_mut().zip(&solution).for_each(|(out, value)| *out = (factor * value) as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tolerance of covariances of order one, from features in single precision.
    const TOLERANCE: f64 = 1e-6;

    const WIDTH: usize = 4;
    const DRAWS: u64 = 20_000;

    fn features(rows: usize, stream: u64) -> Vec<f32> {
        let mut rng = Rng::new(5, stream);
        let mut features: Vec<f32> = (0..rows * WIDTH).map(|_| rng.normal()).collect();
        normalise(&mut features, WIDTH);
        features
    }

    fn inner(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }

    /// Solves a system by elimination without pivoting, which a positive definite matrix allows.
    fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
        let n = right.len();
        for i in 0..n {
            for j in i + 1..n {
                let factor = matrix[j * n + i] / matrix[i * n + i];
                (i..n).for_each(|k| matrix[j * n + k] -= factor * matrix[i * n + k]);
                right[j] -= factor * right[i];
            }
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| matrix[i * n + k] * right[k]).sum();
            right[i] = (right[i] - known) / matrix[i * n + i];
        }
        right
    }

    /// Computes the covariance from the matrix with one row per example.
    fn direct(examples: &[f32], a: &[f32], b: &[f32], noise_variance: f64) -> f64 {
        let rows: Vec<&[f32]> = examples.chunks(WIDTH).collect();
        let noise = |i: usize, j: usize| if i == j { noise_variance } else { 0.0 };
        let pairs = (0..rows.len()).flat_map(|i| (0..rows.len()).map(move |j| (i, j)));
        let matrix = pairs.map(|(i, j)| noise(i, j) + inner(rows[i], rows[j])).collect();
        let solution = solve(matrix, rows.iter().map(|row| inner(row, b)).collect());
        inner(a, b) - rows.iter().zip(solution).map(|(row, x)| inner(row, a) * x).sum::<f64>()
    }

    /// Computes the covariance from the smaller matrix, as the inner product of L^-1 times the features.
    fn small(posterior: &Posterior, a: &[f32], b: &[f32], noise_variance: f64) -> f64 {
        // Row j of L^-1 is the solution for the j-th unit vector.
        let image = |row: &[f32], j: usize| {
            let mut unit = [0.0; WIDTH];
            unit[j] = 1.0;
            posterior.cholesky.solve_transposed(&mut unit);
            row.iter().zip(unit).map(|(phi, x)| f64::from(*phi) * x).sum::<f64>()
        };
        noise_variance * (0..WIDTH).map(|j| image(a, j) * image(b, j)).sum::<f64>()
    }

    #[test]
    fn both_forms_of_the_covariance_are_equal() {
        for (examples, noise_variance) in [(0, 0.04), (1, 0.4), (3, 2.0), (9, 0.04), (30, 0.4)] {
            let examples = features(examples, 0);
            let posterior = Posterior::new(&examples, WIDTH, noise_variance).unwrap();
            let others = features(5, 1);
            for a in others.chunks(WIDTH) {
                for b in others.chunks(WIDTH) {
                    let (direct, small) =
                        (direct(&examples, a, b, noise_variance), small(&posterior, a, b, noise_variance));
                    assert!((direct - small).abs() < TOLERANCE, "{direct} {small}");
                }
            }
        }
    }

    #[test]
    fn draws_have_that_covariance() {
        let (examples, others, noise_variance) = (features(6, 0), features(3, 1), 0.4);
        let posterior = Posterior::new(&examples, WIDTH, noise_variance).unwrap();
        let mut sums = [[0.0; 6]; 6];
        for draw in 0..DRAWS {
            let mut deviations = [0.0; 2 * WIDTH];
            posterior.draw(&mut Rng::new(9, draw), noise_variance.sqrt(), &mut deviations);
            let value = |at: usize| inner(&others[at % 3 * WIDTH..][..WIDTH], &deviations[at / 3 * WIDTH..][..WIDTH]);
            let values: [f64; 6] = std::array::from_fn(value);
            for (i, sums) in sums.iter_mut().enumerate() {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += values[i] * value);
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                let row = |at: usize| &others[at % 3 * WIDTH..][..WIDTH];
                let covariance = |i: usize, j: usize| direct(&examples, row(i), row(j), noise_variance);
                // Classes are independent.
                let expected = if i / 3 == j / 3 { covariance(i, j) } else { 0.0 };
                let variance = covariance(i, i) * covariance(j, j) + expected * expected;
                let error = (sum / DRAWS as f64 - expected).abs();
                assert!(error < 5.0 * (variance / DRAWS as f64).sqrt(), "{i} {j}: {error}");
            }
        }
    }

    #[test]
    fn features_are_scaled_to_unit_norm_and_zeros_stay() {
        let mut features = [3.0, 4.0, 0.0, 0.0];
        normalise(&mut features, 2);
        assert!((f64::from(features[0]) - 0.6).abs() < TOLERANCE && (f64::from(features[1]) - 0.8).abs() < TOLERANCE);
        assert_eq!(features[2..], [0.0, 0.0]);
    }
}
