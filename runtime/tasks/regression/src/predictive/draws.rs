//! The values of sampled functions at a block of rows, and the predictions derived from them.

use jointly_core::correlations::{MomentsError, SampledFunctions};
use jointly_core::functions::Functions;
use jointly_core::matrix::Matrix;
use jointly_core::regression::regressor::Belief;

use super::empirical::weighted_quantile;
use super::mixture::{Component, NormalMixture};
use crate::standardize::Standardization;

/// Maximum number of means that one call returns, unless a single function has more rows: 16 MiB. As many noise values
/// come with them.
const CALL: usize = 1 << 22;

/// The distinct functions at the rows of a block.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    rows: usize,
    /// Number of draws that name each function.
    counts: Vec<u64>,
    total: u64,
    /// Element (m, t) is at `m * rows + t`, in the agent's units.
    means: Vec<f32>,
    noise_stds: Vec<f32>,
    shift: f64,
    scale: f64,
}

/// The values of M draws at some rows, in the data's units: element (m, t) is at `m * rows + t` of both lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Number of rows.
    pub rows: usize,
    /// The functions' values, without noise.
    pub means: Vec<f64>,
    /// Standard deviation of the noise for each of these values.
    pub noise_stds: Vec<f64>,
}

/// The moments of a row over draws, in the data's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) function_variance: f64,
    pub(super) noise_variance: f64,
}

impl Draws {
    /// Asks for each function once, at all rows.
    pub(super) fn ask<B: Belief>(
        belief: &mut B,
        functions: &Functions,
        inputs: &Matrix,
        standardization: &Standardization,
    ) -> Result<Self, B::Error> {
        let rows = inputs.rows();
        let (mut means, mut noise_stds) = (Vec::new(), Vec::new());
        for draws in functions.draws.chunks((CALL / rows.max(1)).max(1)) {
            let samples = belief.sample_functions(inputs, draws)?;
            assert_eq!(samples.means().len(), draws.len() * rows, "a value of every draw at every row");
            means.extend_from_slice(samples.means());
            noise_stds.extend_from_slice(samples.noise_stds());
        }
        let (shift, scale) = (standardization.shift(), standardization.scale());
        let (counts, total) = (functions.counts.clone(), functions.total());
        Ok(Self { rows, counts, total, means, noise_stds, shift, scale })
    }

    /// Returns the mean and noise of a function at a row, as the agent gave them.
    pub(super) fn answer(&self, function: usize, row: usize) -> (f32, f32) {
        let at = function * self.rows + row;
        (self.means[at], self.noise_stds[at])
    }

    /// Returns the values of every draw; a function is repeated for each draw that names it.
    pub(super) fn samples(&self, functions: &Functions) -> Samples {
        let values = |of: &[f32], shift: f64| {
            let values = functions.places.iter().flat_map(|&m| &of[m * self.rows..(m + 1) * self.rows]);
            values.map(|&x| shift + self.scale * f64::from(x)).collect()
        };
        Samples { rows: self.rows, means: values(&self.means, self.shift), noise_stds: values(&self.noise_stds, 0.0) }
    }

    /// Returns the functions at all rows as a joint sample, in the data's units.
    pub(super) fn joint(&self) -> Result<SampledFunctions, MomentsError> {
        let functions = SampledFunctions::counted(self.rows, &self.means, &self.noise_stds, &self.counts)?;
        Ok(functions.in_units(self.shift, self.scale))
    }

    /// Returns each function's value, noise and number of draws at a row, in the data's units.
    fn at(&self, row: usize) -> impl Iterator<Item = (f64, f64, u64)> {
        self.counts.iter().enumerate().map(move |(m, &count)| {
            let (mean, noise) = self.answer(m, row);
            (self.shift + self.scale * f64::from(mean), self.scale * f64::from(noise), count)
        })
    }

    pub(super) fn moments(&self, row: usize) -> Moments {
        let total = self.total as f64;
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 { self.at(row).map(|(f, s, n)| of(f, s) * n as f64).sum() };
        let mean = sum(&|f, _| f) / total;
        let squares = sum(&|f, _| (f - mean) * (f - mean));
        let function_variance = if self.counts.len() > 1 { squares / (total - 1.0) } else { 0.0 };
        Moments { mean, function_variance, noise_variance: sum(&|_, s| s * s) / total }
    }

    /// Returns the predictive distribution of an observation at a row.
    pub(super) fn observation(&self, row: usize) -> NormalMixture {
        let total = self.total as f64;
        let component = |(mean, deviation, count)| Component { weight: count as f64 / total, mean, deviation };
        NormalMixture::new(self.at(row).map(component).collect())
    }

    /// Returns the central interval of the sampled functions' values at a row.
    pub(super) fn function_interval(&self, row: usize, level: f64) -> (f64, f64) {
        let mut values: Vec<(f64, u64)> = self.at(row).map(|(f, _, n)| (f, n)).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = |p| weighted_quantile(&values, p);
        (quantile(0.5 - 0.5 * level), quantile(0.5 + 0.5 * level))
    }
}
