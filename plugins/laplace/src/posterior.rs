//! A Gaussian around the trained weights of the last layer, whose precision is the curvature of the loss there.

use jointly_nets::cholesky::Cholesky;
use jointly_sdk::{choices, softmax};

choices! {
    /// The part of the curvature that is kept.
    pub(crate) enum Structure {
        /// The full matrix.
        Full = "full",
        /// A Kronecker product of one matrix for the features and one for the classes.
        Kronecker = "kronecker",
        /// The diagonal only.
        Diagonal = "diagonal",
    }
}

/// The largest number of weights whose full curvature is stored: a Cholesky factor of 8 MiB, computed in 2^28
/// multiplications.
pub(crate) const MOST_FULL: usize = 1024;

/// A factorisation of the precision, from which weights are drawn.
///
/// # Formula
///
/// The weights are w_kj, class by class and feature by feature. With phi_t the features of example t and p_t its class
/// probabilities, the generalised Gauss-Newton matrix of the cross-entropy, which is its Fisher information, is
///
///   H = sum_t (diag(p_t) - p_t p_t^T) (x) phi_t phi_t^T
///
/// and the precision is H + s I, with s that of the prior. The diagonal structure keeps only its diagonal. The
/// Kronecker structure approximates H by G (x) A with G the mean over t of diag(p_t) - p_t p_t^T and A = sum_t phi_t
/// phi_t^T, and the precision by (G + sqrt(s)/c I) (x) (A + c sqrt(s) I), where c^2 is the ratio of the mean
/// diagonals of A and G (Martens and Grosse 2015; Ritter et al. 2018).
#[derive(Debug)]
pub(crate) enum Posterior {
    Full(Cholesky),
    Kronecker {
        classes: Cholesky,
        features: Cholesky,
    },
    /// The standard deviations.
    Diagonal(Vec<f64>),
}

/// The features and logits of the examples at the trained weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Examples<'a> {
    /// The features, `width` per row, with a one for the bias.
    pub(crate) features: &'a [f32],
    pub(crate) width: usize,
    /// The logits, `classes` per row.
    pub(crate) logits: &'a [f32],
    pub(crate) classes: usize,
}

impl Examples<'_> {
    /// Returns the features and the class probabilities of each example.
    fn rows(&self) -> impl Iterator<Item = (&[f32], Vec<f32>)> {
        self.features.chunks_exact(self.width).zip(self.logits.chunks_exact(self.classes)).map(|(features, logits)| {
            let mut probs = logits.to_vec();
            softmax(&mut probs);
            (features, probs)
        })
    }
}

/// The reason why there is no posterior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A number is not finite.
    NotFinite,
    /// The precision is not positive definite to working precision: the prior's part is lost in the rounding of the
    /// curvature's.
    NotPositiveDefinite,
}

impl Posterior {
    /// Computes the posterior.
    ///
    /// # Errors
    ///
    /// The precision has no Cholesky factor.
    pub(crate) fn new(structure: Structure, examples: Examples<'_>, prior_precision: f64) -> Result<Self, Fault> {
        match structure {
            Structure::Full => full(examples, prior_precision),
            Structure::Kronecker => kronecker(examples, prior_precision),
            Structure::Diagonal => diagonal(examples, prior_precision),
        }
    }

    /// Turns independent standard normal numbers, one per weight, into a draw of the weights' deviation from the
    /// trained ones.
    pub(crate) fn correlate(&self, normals: &mut [f64]) {
        match self {
            Self::Full(precision) => precision.solve_transposed(normals),
            Self::Kronecker { classes, features } => {
                let width = features.size();
                normals.chunks_exact_mut(width).for_each(|row| features.solve_transposed(row));
                let mut column = vec![0.0; classes.size()];
                for j in 0..width {
                    column.iter_mut().zip(normals[j..].iter().step_by(width)).for_each(|(to, from)| *to = *from);
                    classes.solve_transposed(&mut column);
                    normals[j..].iter_mut().step_by(width).zip(&column).for_each(|(to, from)| *to = *from);
                }
            }
            Self::Diagonal(deviations) => normals.iter_mut().zip(deviations).for_each(|(z, sd)| *z *= sd),
        }
    }
}

/// Returns element (k, l) of diag(p) - p p^T.
///
/// # Formula
///
/// -p_k p_l off the diagonal, and p_k sum_{l != k} p_l on it, which equals p_k (1 - p_k) if the probabilities sum to
/// one. In this form rows sum to zero however the probabilities are rounded. Any other row sum would add curvature
/// that the loss does not have, and a negative one would make the matrix indefinite.
fn curvature(probs: &[f32], k: usize, l: usize) -> f64 {
    let p = f64::from(probs[k]);
    if k == l {
        let others = probs.iter().enumerate().filter(|(other, _)| *other != k);
        p * others.map(|(_, q)| f64::from(*q)).sum::<f64>()
    } else {
        -p * f64::from(probs[l])
    }
}

/// Factorises a symmetric matrix.
fn factor(matrix: Vec<f64>, size: usize) -> Result<Cholesky, Fault> {
    let finite = matrix.iter().all(|element| element.is_finite());
    let fault = if finite { Fault::NotPositiveDefinite } else { Fault::NotFinite };
    Cholesky::new(matrix, size).ok_or(fault)
}

/// Adds `weight` phi phi^T to a block of a matrix with rows `stride` apart.
fn add_outer(block: &mut [f64], stride: usize, weight: f64, features: &[f32]) {
    for (row, value) in block.chunks_mut(stride).zip(features) {
        let weight = weight * f64::from(*value);
        if weight != 0.0 {
            row.iter_mut().zip(features).for_each(|(sum, other)| *sum += weight * f64::from(*other));
        }
    }
}

fn add_diagonal(matrix: &mut [f64], size: usize, value: f64) {
    for diagonal in matrix.iter_mut().step_by(size + 1) {
        *diagonal += value;
    }
}

fn full(examples: Examples<'_>, prior_precision: f64) -> Result<Posterior, Fault> {
    let (width, classes) = (examples.width, examples.classes);
    let size = width * classes;
    let mut precision = vec![0.0; size * size];
    for (features, probs) in examples.rows() {
        for k in 0..classes {
            for l in 0..=k {
                let block = &mut precision[k * width * size + l * width..][..(width - 1) * size + width];
                add_outer(block, size, curvature(&probs, k, l), features);
            }
        }
    }
    add_diagonal(&mut precision, size, prior_precision);
    factor(precision, size).map(Posterior::Full)
}

fn kronecker(examples: Examples<'_>, prior_precision: f64) -> Result<Posterior, Fault> {
    let (width, classes) = (examples.width, examples.classes);
    let mut left = vec![0.0; classes * classes];
    let mut right = vec![0.0; width * width];
    let share = 1.0 / (examples.logits.len() / classes).max(1) as f64;
    for (features, probs) in examples.rows() {
        add_outer(&mut right, width, 1.0, features);
        for (at, sum) in left.iter_mut().enumerate() {
            *sum += share * curvature(&probs, at / classes, at % classes);
        }
    }
    let mean_diagonal = |matrix: &[f64], size: usize| matrix.iter().step_by(size + 1).sum::<f64>() / size as f64;
    let balance = (mean_diagonal(&right, width) / mean_diagonal(&left, classes)).sqrt();
    // Without curvature only the prior remains, however its precision is divided between the factors.
    let flat = !(balance > 0.0 && balance.is_finite());
    if flat {
        left.fill(0.0);
    }
    let balance = if flat { 1.0 } else { balance };
    let root = prior_precision.sqrt();
    add_diagonal(&mut left, classes, root / balance);
    add_diagonal(&mut right, width, root * balance);
    Ok(Posterior::Kronecker { classes: factor(left, classes)?, features: factor(right, width)? })
}

fn diagonal(examples: Examples<'_>, prior_precision: f64) -> Result<Posterior, Fault> {
    let mut precision = vec![prior_precision; examples.width * examples.classes];
    for (features, probs) in examples.rows() {
        for (k, row) in precision.chunks_exact_mut(examples.width).enumerate() {
            let weight = curvature(&probs, k, k);
            row.iter_mut().zip(features).for_each(|(sum, value)| *sum += weight * f64::from(*value).powi(2));
        }
    }
    let finite = precision.iter().all(|precision| precision.is_finite());
    // A sum of squares plus a positive prior precision is positive.
    let deviations = || precision.iter().map(|precision| precision.sqrt().recip()).collect();
    if finite { Ok(Posterior::Diagonal(deviations())) } else { Err(Fault::NotFinite) }
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Rng;

    use super::*;

    /// Tolerance of second differences of a loss of order one, in double precision with steps of 1e-3.
    const CURVATURE_TOLERANCE: f64 = 1e-5;
    const TOLERANCE: f64 = 1e-9;

    const WIDTH: usize = 3;
    const CLASSES: usize = 3;
    const SIZE: usize = WIDTH * CLASSES;
    const PRIOR: f64 = 0.7;

    struct Case {
        features: Vec<f32>,
        weights: Vec<f64>,
        logits: Vec<f32>,
    }

    impl Case {
        fn new(rows: usize) -> Self {
            let mut rng = Rng::new(2, rows as u64);
            let mut features: Vec<f32> = (0..rows * WIDTH).map(|_| rng.normal()).collect();
            features.chunks_mut(WIDTH).for_each(|row| row[WIDTH - 1] = 1.0);
            let weights: Vec<f64> = (0..SIZE).map(|_| f64::from(rng.normal())).collect();
            let mut case = Self { features, weights, logits: Vec::new() };
            case.logits = case.logits_at(&case.weights).into_iter().map(|logit| logit as f32).collect();
            case
        }

        fn logits_at(&self, weights: &[f64]) -> Vec<f64> {
            let inner = |phi: &[f32], w: &[f64]| phi.iter().zip(w).map(|(phi, w)| f64::from(*phi) * w).sum();
            self.features.chunks(WIDTH).flat_map(|phi| weights.chunks(WIDTH).map(move |w| inner(phi, w))).collect()
        }

        /// Computes the cross-entropy with all labels 0, minus the logarithm of the prior.
        fn loss(&self, weights: &[f64]) -> f64 {
            let loss = |z: &[f64]| z.iter().map(|z| z.exp()).sum::<f64>().ln() - z[0];
            self.logits_at(weights).chunks(CLASSES).map(loss).sum::<f64>()
                + 0.5 * PRIOR * weights.iter().map(|w| w * w).sum::<f64>()
        }

        /// Computes the second derivatives of the loss by differences; for a linear layer they are the Gauss-Newton
        /// matrix.
        fn hessian(&self) -> Vec<f64> {
            const STEP: f64 = 1e-3;
            let shifted = |i: usize, by: f64, j: usize, further: f64| {
                let mut weights = self.weights.clone();
                weights[i] += by * STEP;
                weights[j] += further * STEP;
                self.loss(&weights)
            };
            let second = |i, j| {
                shifted(i, 1.0, j, 1.0) - shifted(i, 1.0, j, -1.0) - shifted(i, -1.0, j, 1.0)
                    + shifted(i, -1.0, j, -1.0)
            };
            (0..SIZE * SIZE).map(|at| second(at / SIZE, at % SIZE) / (4.0 * STEP * STEP)).collect()
        }

        fn posterior(&self, structure: Structure) -> Posterior {
            let (features, logits) = (&self.features, &self.logits);
            Posterior::new(structure, Examples { features, width: WIDTH, logits, classes: CLASSES }, PRIOR).unwrap()
        }
    }

    /// Computes the covariance of the draws: the sum of the outer products of the unit vectors' images.
    fn covariance(posterior: &Posterior) -> Vec<f64> {
        let mut covariance = vec![0.0; SIZE * SIZE];
        for i in 0..SIZE {
            let mut image = vec![0.0; SIZE];
            image[i] = 1.0;
            posterior.correlate(&mut image);
            covariance.iter_mut().enumerate().for_each(|(at, sum)| *sum += image[at / SIZE] * image[at % SIZE]);
        }
        covariance
    }

    fn assert_inverse(a: &[f64], b: &[f64], tolerance: f64) {
        for i in 0..SIZE {
            for j in 0..SIZE {
                let product: f64 = (0..SIZE).map(|k| a[i * SIZE + k] * b[k * SIZE + j]).sum();
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < tolerance, "{i} {j}: {product}");
            }
        }
    }

    #[test]
    fn full_covariance_is_the_inverse_of_the_losses_second_derivatives() {
        for rows in [0, 1, 8] {
            let case = Case::new(rows);
            assert_inverse(&covariance(&case.posterior(Structure::Full)), &case.hessian(), CURVATURE_TOLERANCE);
        }
    }

    #[test]
    fn diagonal_keeps_the_diagonal() {
        let case = Case::new(8);
        let (covariance, hessian) = (covariance(&case.posterior(Structure::Diagonal)), case.hessian());
        for i in 0..SIZE {
            assert!((covariance[i * SIZE + i] * hessian[i * SIZE + i] - 1.0).abs() < CURVATURE_TOLERANCE);
            assert!((0..SIZE).all(|j| i == j || covariance[i * SIZE + j] == 0.0));
        }
    }

    #[test]
    fn kronecker_is_the_product_of_its_factors() {
        let case = Case::new(8);
        let probs: Vec<Vec<f64>> = case
            .logits_at(&case.weights)
            .chunks(CLASSES)
            .map(|z| {
                let sum: f64 = z.iter().map(|z| z.exp()).sum();
                z.iter().map(|z| z.exp() / sum).collect()
            })
            .collect();
        let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
        let phi = |t: usize, j: usize| f64::from(case.features[t * WIDTH + j]);
        let left = |k: usize, l: usize| probs.iter().map(|p| p[k] * (identity(k, l) - p[l])).sum::<f64>() / 8.0;
        let right = |i: usize, j: usize| (0..8).map(|t| phi(t, i) * phi(t, j)).sum::<f64>();
        let mean = |matrix: &dyn Fn(usize, usize) -> f64, size: usize| {
            (0..size).map(|i| matrix(i, i)).sum::<f64>() / size as f64
        };
        let c = (mean(&right, WIDTH) / mean(&left, CLASSES)).sqrt();
        let precision: Vec<f64> = (0..SIZE * SIZE)
            .map(|at| {
                let (i, j) = (at / SIZE, at % SIZE);
                let (k, l, i, j) = (i / WIDTH, j / WIDTH, i % WIDTH, j % WIDTH);
                (left(k, l) + PRIOR.sqrt() / c * identity(k, l)) * (right(i, j) + PRIOR.sqrt() * c * identity(i, j))
            })
            .collect();
        // The posterior is computed from probabilities in single precision.
        assert_inverse(&covariance(&case.posterior(Structure::Kronecker)), &precision, CURVATURE_TOLERANCE);
    }

    #[test]
    fn without_examples_all_are_the_prior() {
        for structure in [Structure::Full, Structure::Kronecker, Structure::Diagonal] {
            let covariance = covariance(&Case::new(0).posterior(structure));
            for (at, value) in covariance.iter().enumerate() {
                let expected = if at % (SIZE + 1) == 0 { 1.0 / PRIOR } else { 0.0 };
                assert!((value - expected).abs() < TOLERANCE, "{structure:?}");
            }
        }
    }

    #[test]
    fn rows_of_the_curvature_sum_to_zero_however_probabilities_are_rounded() {
        for probs in [&[0.7, 0.300_000_1][..], &[1.0, 1e-9], &[0.9, 0.1, 2e-8], &[1.0, 0.0], &[0.333, 0.333, 0.333]] {
            for k in 0..probs.len() {
                let row = (0..probs.len()).map(|l| curvature(probs, k, l));
                let size: f64 = row.clone().map(f64::abs).sum();
                assert!(row.sum::<f64>().abs() <= 1e-15 * size, "{probs:?}, row {k}");
                assert!(curvature(probs, k, k) >= 0.0);
            }
        }
    }

    #[test]
    fn faults_are_told_apart() {
        let case = Case::new(8);
        let of = |structure, features: &[f32], prior_precision| {
            let logits = &case.logits;
            let examples = Examples { features, width: WIDTH, logits, classes: CLASSES };
            Posterior::new(structure, examples, prior_precision).err()
        };
        let mut broken = case.features.clone();
        broken[4] = f32::NAN;
        for structure in [Structure::Full, Structure::Kronecker, Structure::Diagonal] {
            assert_eq!(of(structure, &case.features, PRIOR), None);
            assert_eq!(of(structure, &broken, PRIOR), Some(Fault::NotFinite));
        }
        // Shifting all classes equally changes no probability: in that direction the curvature is zero, and the prior
        // is lost in rounding.
        for structure in [Structure::Full, Structure::Kronecker] {
            assert_eq!(of(structure, &case.features, 1e-40), Some(Fault::NotPositiveDefinite), "{structure:?}");
        }
        assert_eq!(of(Structure::Diagonal, &case.features, 1e-40), None);
    }
}
