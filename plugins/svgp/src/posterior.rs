//! The posterior of a sparse Gaussian process.

use jointly_kernels::kernel::{cross, gram};
use jointly_kernels::product::{axpy, dot, times_transposed};
use jointly_kernels::{Pathwise, Rows, finite_gaussian, finite_samples, widths_agree};
use jointly_sdk::{Failure, FunctionSamples, Gaussian, Matrix, Rng};

use crate::bound::{Bounded, JITTER, Sums};

/// The function given the optimal distribution of the inducing values.
///
/// # Formula
///
/// Inducing values are L v with K + jitter = L L^T; the optimal distribution of v is normal with mean c and
/// covariance P^-1 (Titsias 2009, in the whitened form of Hensman et al. 2015). With b = L^-1 k_* at an input, the
/// function has mean b . c and covariance k_** - b . b' + b . P^-1 b'. A draw's coefficients of [`Pathwise`] are L^-T
/// (v - L^-1 (g + e)), with g the prior function's values at the inducing points and e the jitter's.
#[derive(Debug)]
pub(crate) struct Posterior {
    at: Bounded,
    sums: Sums,
    paths: Pathwise,
}

impl std::fmt::Debug for Sums {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sums").field("mean", &self.mean).finish_non_exhaustive()
    }
}

impl Posterior {
    /// Computes the posterior after the examples; draws use `features` random features.
    pub(crate) fn new(at: Bounded, examples: (&Rows, &[f64]), features: usize, seed: u64) -> Result<Self, Failure> {
        let sums = at.sums(examples)?;
        sums.prior.log_jitter("the covariance of the inducing points");
        sums.posterior.log_jitter("the precision of the inducing values");
        let paths = Pathwise::new(&*at.kernel, features, seed);
        Ok(Self { at, sums, paths })
    }

    #[cfg(test)]
    pub(crate) fn at(&self) -> &Bounded {
        &self.at
    }

    pub(crate) fn sample_functions(&self, inputs: &Matrix, draws: &[u64]) -> Result<FunctionSamples, Failure> {
        widths_agree(inputs, self.at.centres.cols())?;
        let update = |rng: &mut Rng, mut prior: Vec<f64>| {
            for g in &mut prior {
                *g += JITTER.sqrt() * f64::from(rng.normal());
            }
            self.sums.prior.solve_lower(&mut prior);
            let mut coefficients: Vec<f64> = prior.iter().map(|_| f64::from(rng.normal())).collect();
            self.sums.posterior.solve_upper(&mut coefficients);
            axpy(1.0, &self.sums.mean, &mut coefficients);
            axpy(-1.0, &prior, &mut coefficients);
            self.sums.prior.solve_upper(&mut coefficients);
            coefficients
        };
        let values = self.paths.sample(&*self.at.kernel, &self.at.centres, &Rows::of(inputs), draws, &update);
        let noise_stds = vec![self.at.noise.sqrt() as f32; values.len()];
        finite_samples(FunctionSamples { means: values.into_iter().map(|value| value as f32).collect(), noise_stds })
    }

    pub(crate) fn gaussian(&self, inputs: &Matrix) -> Result<Gaussian, Failure> {
        widths_agree(inputs, self.at.centres.cols())?;
        let inputs = Rows::of(inputs);
        let mut known = cross(&*self.at.kernel, &inputs, &self.at.centres);
        self.sums.prior.solve_rows(&mut known);
        let mean = known.iter().map(|row| dot(row, &self.sums.mean)).collect();
        let explained = times_transposed(&known, &known);
        self.sums.posterior.solve_rows(&mut known);
        let left = times_transposed(&known, &known);
        let mut covariance = gram(&*self.at.kernel, &inputs).to_vec();
        for (k, (explained, left)) in covariance.iter_mut().zip(explained.iter().flatten().zip(left.iter().flatten())) {
            *k += left - explained;
        }
        finite_gaussian(Gaussian { mean, covariance, noise_variance: vec![self.at.noise; inputs.rows()] })
    }
}
