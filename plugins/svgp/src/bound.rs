//! The variational bound by which a sparse Gaussian process is fitted, with its gradient.

use std::f64::consts::PI;

use jointly_kernels::fit::Recipe;
use jointly_kernels::kernel::gram;
use jointly_kernels::product::{axpy, dot, times_transposed};
use jointly_kernels::{Bound, Cholesky, Kernel, NotPositive, Rows};

/// Added to the variance of the function at inducing points, which may be arbitrarily close together.
pub(crate) const JITTER: f64 = 1e-6;

/// Number of examples processed together; memory holds only this many rows of covariances.
const BLOCK: usize = 512;

/// Bounds of the inducing points, in units of standardised features.
const REACH: Bound = Bound { least: -1e3, most: 1e3 };

/// The learnt parameters.
#[derive(Debug)]
pub(crate) struct Bounded {
    pub(crate) kernel: Box<dyn Kernel>,
    pub(crate) centres: Rows,
    pub(crate) noise: f64,
}

/// The gradient of the bound.
pub(crate) struct Gradient {
    kernel: Vec<f64>,
    noise: f64,
    centres: Rows,
}

/// The covariance of the inducing points, and sums over the examples.
pub(crate) struct Sums {
    /// The Cholesky factor of K + jitter.
    pub(crate) prior: Cholesky,
    /// The Cholesky factor of P = I + S / s2.
    pub(crate) posterior: Cholesky,
    /// The matrix S = sum_n b_n b_n^T.
    products: Rows,
    /// P^-1 sum_n b_n y_n / s2: the posterior mean of the whitened inducing values.
    pub(crate) mean: Vec<f64>,
    /// The sum over n of k(x_n, x_n).
    variances: f64,
}

impl Bounded {
    /// Computes the covariances of a block of examples with the inducing points, one row per example.
    fn covariances(&self, inputs: &Rows, from: usize) -> Rows {
        let to = inputs.rows().min(from + BLOCK);
        let mut out = Rows::zeros(to - from, self.centres.rows());
        for i in from..to {
            self.kernel.values(inputs.row(i), &self.centres, out.row_mut(i - from));
        }
        out
    }

    /// Computes the sums over the examples, with K + jitter = L L^T and b_n = L^-1 k_n.
    pub(crate) fn sums(&self, (inputs, targets): (&Rows, &[f64])) -> Result<Sums, NotPositive> {
        let m = self.centres.rows();
        let mut prior = gram(&*self.kernel, &self.centres);
        (0..m).for_each(|i| prior.row_mut(i)[i] += JITTER);
        let prior = Cholesky::with_jitter(prior)?;
        let mut products = Rows::zeros(m, m);
        let mut mean = vec![0.0; m];
        let mut variances = 0.0;
        for from in (0..inputs.rows()).step_by(BLOCK) {
            let mut rows = self.covariances(inputs, from);
            prior.solve_rows(&mut rows);
            for (i, row) in rows.iter().enumerate() {
                axpy(targets[from + i] / self.noise, row, &mut mean);
                variances += self.kernel.value(inputs.row(from + i), inputs.row(from + i));
            }
            let columns = rows.transposed();
            let part = times_transposed(&columns, &columns);
            (0..m).for_each(|i| axpy(1.0, part.row(i), products.row_mut(i)));
        }
        let one = |i: usize, j: usize| f64::from(u8::from(i == j));
        let posterior = Rows::from_fn(m, m, |i, j| one(i, j) + products.row(i)[j] / self.noise);
        let posterior = Cholesky::with_jitter(posterior)?;
        posterior.solve(&mut mean);
        Ok(Sums { prior, posterior, products, mean, variances })
    }

    /// Computes the lower bound of the log evidence at the optimal distribution of the inducing values, and its
    /// gradient.
    ///
    /// # Formula
    ///
    /// With k_n the covariances of example n with the inducing points, K + jitter = L L^T their own covariance,
    /// b_n = L^-1 k_n, S = sum_n b_n b_n^T, P = I + S / s2, u = sum_n b_n y_n and c = P^-1 u / s2, the bound of
    /// Titsias (2009) is
    ///
    ///   F = -(n log(2 pi s2) + log |P| + (|y|^2 - u . c) / s2 + (sum_n k(x_n, x_n) - tr S) / s2) / 2.
    ///
    /// With w = L^-T c, H = L^-T P^-1 L^-1 + w w^T and J = L^-T L^-1, its derivatives are
    /// (J k_n - H k_n + w y_n) / s2 with respect to k_n, -1 / (2 s2) with respect to k(x_n, x_n), and
    /// (J - H - L^-T S L^-1 / s2) / 2 with respect to K. The derivative with respect to s2 is
    /// (-n + tr(P^-1 S) / s2 + |y - (b_n . c)_n|^2 / s2 + (sum_n k(x_n, x_n) - tr S) / s2) / (2 s2).
    ///
    /// # Errors
    ///
    /// The covariance of the inducing points is not positive definite.
    pub(crate) fn bound(
        &self,
        (inputs, targets): (&Rows, &[f64]),
        by_centres: bool,
    ) -> Result<(f64, Gradient), NotPositive> {
        let sums = self.sums((inputs, targets))?;
        let (m, n, noise) = (self.centres.rows(), targets.len() as f64, self.noise);
        let trace: f64 = (0..m).map(|i| sums.products.row(i)[i]).sum();
        let squares = dot(targets, targets);
        // u = s2 P c.
        let explained = noise * dot(&sums.mean, &sums.mean) + quadratic(&sums.products, &sums.mean);
        let missed = sums.variances - trace;
        let value = -0.5
            * (n * libm::log(2.0 * PI * noise) + sums.posterior.log_det() + (squares - explained + missed) / noise);

        let mut weights = sums.mean.clone();
        sums.prior.solve_upper(&mut weights);
        // Row i of L^-T.
        let outer = sums.prior.inverse_factor();
        let inverse = sums.posterior.inverse();
        let one = |i: usize, j: usize| f64::from(u8::from(i == j));
        let between = |middle: &Rows| times_transposed(&times_transposed(&outer, middle), &outer);
        let cross = between(&Rows::from_fn(m, m, |i, j| one(i, j) - inverse.row(i)[j]));
        // J - H.
        let cross = Rows::from_fn(m, m, |i, j| cross.row(i)[j] - weights[i] * weights[j]);
        let inner = between(&sums.products);

        let mut gradient = Gradient {
            kernel: vec![0.0; self.kernel.parameters().len()],
            noise: 0.0,
            centres: Rows::zeros(m, self.centres.cols()),
        };
        for (i, a) in self.centres.iter().enumerate() {
            for (j, b) in self.centres.iter().enumerate() {
                let by = 0.5 * (cross.row(i)[j] - inner.row(i)[j] / noise);
                let value = self.kernel.value(a, b);
                self.kernel.add_gradient_at(value, a, b, by, &mut gradient.kernel);
                if by_centres {
                    // Both inputs of the pair are learnt; the other one is handled at (j, i).
                    self.kernel.add_input_gradient_at(value, a, b, 2.0 * by, gradient.centres.row_mut(i));
                }
            }
        }
        let mut residuals = 0.0;
        for from in (0..inputs.rows()).step_by(BLOCK) {
            let rows = self.covariances(inputs, from);
            let by = times_transposed(&rows, &cross);
            for (i, (row, by)) in rows.iter().zip(by.iter()).enumerate() {
                let (x, y) = (inputs.row(from + i), targets[from + i]);
                residuals += (y - dot(row, &weights)).powi(2);
                self.kernel.add_gradient(x, x, -0.5 / noise, &mut gradient.kernel);
                for (j, centre) in self.centres.iter().enumerate() {
                    let by = (by[j] + weights[j] * y) / noise;
                    self.kernel.add_gradient_at(row[j], centre, x, by, &mut gradient.kernel);
                    if by_centres {
                        self.kernel.add_input_gradient_at(row[j], centre, x, by, gradient.centres.row_mut(j));
                    }
                }
            }
        }
        // tr(P^-1 S) / s2 = tr(I - P^-1).
        let fitted = (0..m).map(|i| 1.0 - inverse.row(i)[i]).sum::<f64>();
        gradient.noise = 0.5 * (fitted - n + (residuals + missed) / noise) / noise;
        Ok((value, gradient))
    }
}

/// Computes x . A x.
fn quadratic(matrix: &Rows, x: &[f64]) -> f64 {
    matrix.iter().zip(x).map(|(row, x_i)| x_i * dot(row, x)).sum()
}

/// The layout of the learnt parameters for the optimiser: the kernel's parameters, the noise's, and the inducing
/// points.
pub(crate) struct Parameters {
    kernel: usize,
    train_inducing: bool,
}

impl Parameters {
    pub(crate) fn new(at: &Bounded, train_inducing: bool) -> Self {
        Self { kernel: at.kernel.parameters().len(), train_inducing }
    }

    pub(crate) fn start(&self, at: &Bounded, recipe: &Recipe) -> Vec<f64> {
        let mut start = at.kernel.parameters();
        start.push(recipe.noise_parameter(at.noise));
        if self.train_inducing {
            start.extend(at.centres.to_vec());
        }
        start
    }

    pub(crate) fn bounds(&self, at: &Bounded) -> Vec<Bound> {
        let mut bounds = at.kernel.bounds();
        bounds.push(Recipe::noise_bound());
        if self.train_inducing {
            bounds.extend(std::iter::repeat_n(REACH, at.centres.rows() * at.centres.cols()));
        }
        bounds
    }

    /// Writes the optimiser's values to `at`; returns the derivative of the noise's variance with respect to its
    /// parameter.
    pub(crate) fn put(&self, at: &mut Bounded, values: &[f64], recipe: &Recipe) -> f64 {
        at.kernel.set_parameters(&values[..self.kernel]);
        let (noise, slope) = recipe.noise(values[self.kernel]);
        at.noise = noise;
        if self.train_inducing {
            let (centres, cols) = (&values[self.kernel + 1..], at.centres.cols());
            at.centres = Rows::from_fn(at.centres.rows(), cols, |i, j| centres[i * cols + j]);
        }
        slope
    }

    /// Writes minus the gradient.
    pub(crate) fn gradient(&self, by: &Gradient, slope: f64, out: &mut [f64]) {
        let centres = if self.train_inducing { by.centres.to_vec() } else { Vec::new() };
        let all = by.kernel.iter().copied().chain([by.noise * slope]).chain(centres);
        out.iter_mut().zip(all).for_each(|(out, by)| *out = -by);
    }
}

#[cfg(test)]
mod tests {
    use jointly_kernels::evidence::log_evidence;
    use jointly_kernels::{Optimizer, Rbf, Relu};

    use super::*;

    /// Tolerance of central differences with a step of 1e-5.
    const DIFFERENCES: f64 = 2e-5;

    fn examples(rows: usize) -> (Rows, Vec<f64>) {
        let inputs = Rows::from_fn(rows, 2, |i, j| ((i * 7 + j * 5 + i * i) % 13) as f64 / 4.0 - 1.5 + 0.01 * i as f64);
        let targets = inputs.iter().map(|row| row[0].sin() - 0.5 * row[1]).collect();
        (inputs, targets)
    }

    fn recipe() -> Recipe {
        Recipe {
            optimizer: Optimizer::Lbfgs,
            steps: 1,
            learning_rate: 0.1,
            min_noise_variance: 1e-5,
            noise_variance: None,
        }
    }

    #[test]
    fn with_all_examples_for_inducing_points_the_bound_is_the_evidence() {
        let (inputs, targets) = examples(9);
        let kernel = Rbf::ard(1.2, &[0.9, 1.6]);
        let evidence = log_evidence(&kernel, (&inputs, &targets), 0.1, &mut [0.0; 4]).unwrap();
        let mut at = Bounded { kernel: Box::new(kernel), centres: inputs.clone(), noise: 0.1 };
        let (bound, _) = at.bound((&inputs, &targets), false).unwrap();
        // Equal except for the jitter.
        assert!(bound <= evidence && evidence - bound < 1e-3, "{bound} {evidence}");
        at.centres = inputs.slice(0, 4);
        assert!(at.bound((&inputs, &targets), false).unwrap().0 < bound);
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        const STEP: f64 = 1e-5;
        let (inputs, targets) = examples(11);
        let kernels: [Box<dyn Kernel>; 2] =
            [Box::new(Rbf::ard(1.2, &[0.9, 1.6])), Box::new(Relu::new([0.4, 1.5], 0.7, &[1.0, 0.5], 2))];
        for kernel in kernels {
            let centres = Rows::from_fn(4, 2, |i, j| 0.7 * (i as f64 - 1.4) + (j * i) as f64 * 0.3);
            let mut at = Bounded { kernel, centres, noise: 0.2 };
            let parameters = Parameters::new(&at, true);
            let start = parameters.start(&at, &recipe());
            assert_eq!(start.len(), parameters.bounds(&at).len());
            let slope = parameters.put(&mut at, &start, &recipe());
            let mut gradient = vec![0.0; start.len()];
            parameters.gradient(&at.bound((&inputs, &targets), true).unwrap().1, slope, &mut gradient);
            for (i, found) in gradient.iter().enumerate() {
                let mut value = |step: f64| {
                    let mut moved = start.clone();
                    moved[i] += step;
                    parameters.put(&mut at, &moved, &recipe());
                    -at.bound((&inputs, &targets), true).unwrap().0
                };
                let expected = (value(STEP) - value(-STEP)) / (2.0 * STEP);
                assert!((found - expected).abs() < DIFFERENCES * (1.0 + expected.abs()), "{i}: {found} {expected}");
            }
        }
    }
}
