//! Random features: finitely many functions whose sum with normal weights is a sample from a Gaussian process.

use std::fmt;

use jointly_sdk::Rng;

use crate::product::dot;
use crate::rows::Rows;

/// Functions f_1 ... f_M such that the sum of the products f_m(a) f_m(b) is the kernel on average.
#[expect(clippy::len_without_is_empty, reason = "there are features")]
pub trait Features: fmt::Debug {
    /// The number of features M.
    fn len(&self) -> usize;

    /// Writes the values of the features at an input.
    fn at(&self, input: &[f64], out: &mut [f64]);
}

/// Cosines and sines of random frequencies. Each frequency gives a pair, so that the sum of squares equals the variance
/// everywhere.
///
/// # Formula
///
/// With w_m drawn from the spectral density of a stationary kernel of variance s, and P frequencies, the features are
/// sqrt(s / P) cos(w_m . x) and sqrt(s / P) sin(w_m . x) (Rahimi and Recht 2008).
#[derive(Debug)]
pub struct Fourier {
    frequencies: Rows,
    scale: f64,
}

impl Fourier {
    /// Draws `count / 2` frequencies, at least one; `frequency` writes each.
    pub fn new(
        (count, dim): (usize, usize),
        variance: f64,
        rng: &mut Rng,
        frequency: impl Fn(&mut Rng, &mut [f64]),
    ) -> Self {
        let pairs = (count / 2).max(1);
        let mut frequencies = Rows::zeros(pairs, dim);
        for m in 0..pairs {
            frequency(rng, frequencies.row_mut(m));
        }
        Self { frequencies, scale: (variance / pairs as f64).sqrt() }
    }
}

impl Features for Fourier {
    fn len(&self) -> usize {
        2 * self.frequencies.rows()
    }

    fn at(&self, input: &[f64], out: &mut [f64]) {
        for (out, frequency) in out.as_chunks_mut::<2>().0.iter_mut().zip(self.frequencies.iter()) {
            let (sin, cos) = libm::sincos(dot(frequency, input));
            *out = [self.scale * cos, self.scale * sin];
        }
    }
}
