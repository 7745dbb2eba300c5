//! The network: trainable random features of a kernel, and a Gaussian distribution over the weights that sum them.

use jointly_kernels::Rows;
use jointly_nets::product::{Target, product};
use jointly_nets::simd::{LANES, Lanes, Left, Right, floats, floats_mut, vectors};
use jointly_nets::softplus::{inverse_softplus, logistic, softplus};
use jointly_sdk::Rng;

/// The layout of the parameters, as offsets in numbers; each part starts at a vector boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Number of features of an input.
    pub(crate) dim: usize,
    /// Number of frequencies, each of which yields a cosine and a sine.
    pub(crate) units: usize,
}

impl Layout {
    /// Returns the number of random features, cosines and sines.
    pub(crate) fn features(self) -> usize {
        2 * self.units
    }

    /// Returns the number of values from a row of the frequencies to the next.
    pub(crate) fn unit_stride(self) -> usize {
        vectors(self.units) * LANES
    }

    /// Returns the number of values from a row of random features to the next.
    pub(crate) fn feature_stride(self) -> usize {
        vectors(self.features()) * LANES
    }

    /// Offset of the logarithm of the noise's standard deviation.
    pub(crate) const LOG_NOISE: usize = 0;

    /// Offset of the logarithm of the features' variance v.
    pub(crate) const LOG_VARIANCE: usize = LANES;

    /// Offset of the constant that is added to the mean.
    pub(crate) const BIAS: usize = 2 * LANES;

    /// Offset of the logarithms of the length scales of the features.
    pub(crate) const LOG_SCALES: usize = 3 * LANES;

    /// Offset of the logarithms of the prior's variance and length scales.
    pub(crate) fn prior(self) -> usize {
        Layout::LOG_SCALES + vectors(self.dim) * LANES
    }

    /// Offset of the means of the weights.
    pub(crate) fn means(self) -> usize {
        self.prior() + vectors(self.dim + 1) * LANES
    }

    /// Offset of the frequencies, one row for each feature of an input.
    pub(crate) fn frequencies(self) -> usize {
        self.means() + self.feature_stride()
    }

    /// Offset of the transposed lower-triangular root of the weights' covariance, whose diagonal is a softplus.
    pub(crate) fn root(self) -> usize {
        self.frequencies() + self.dim * self.unit_stride()
    }

    /// Returns the length of all parameters.
    pub(crate) fn len(self) -> usize {
        self.root() + self.features() * self.feature_stride()
    }
}

/// The parameters that Adam updates.
///
/// # Formula
///
/// At an input x the features are sqrt(v / n) cos(w_u . x / l) and sqrt(v / n) sin(w_u . x / l) for u = 1 ... n,
/// where x is divided by the length scales l feature by feature. For normal w_u the mean of their products is a
/// squared-exponential kernel of variance v (Rahimi and Recht, 2008). The function is their sum with weights N(m, L
/// L^T), plus a constant.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    pub(crate) layout: Layout,
    pub(crate) parameters: Vec<Lanes>,
}

/// The network evaluated at rows of inputs.
#[derive(Debug)]
pub(crate) struct Evaluated {
    rows: usize,
    /// The inputs over the length scales.
    scaled: Vec<f32>,
    /// The features, a row for each input.
    features: Vec<Lanes>,
    /// The features times L; the products of its rows are the covariance.
    pub(crate) roots: Rows,
    /// The means of the function.
    pub(crate) means: Vec<f64>,
}

impl Network {
    /// Creates the untrained network with these length scales, prior and noise.
    pub(crate) fn new(layout: Layout, scales: &[f64], prior: (f64, &[f64]), noise: f32, rng: &mut Rng) -> Self {
        let mut parameters = vec![Lanes::splat(0.0); layout.len() / LANES];
        let values = floats_mut(&mut parameters);
        values[Layout::LOG_NOISE] = libm::logf(noise);
        let logs = |to: &mut [f32], from: &[f64]| {
            to.iter_mut().zip(from).for_each(|(to, scale)| *to = libm::log(*scale) as f32);
        };
        logs(&mut values[Layout::LOG_SCALES..], scales);
        values[layout.prior()] = libm::log(prior.0) as f32;
        logs(&mut values[layout.prior() + 1..], prior.1);
        for row in 0..layout.dim {
            let from = layout.frequencies() + row * layout.unit_stride();
            values[from..from + layout.units].fill_with(|| rng.normal());
        }
        for i in 0..layout.features() {
            values[layout.root() + i * layout.feature_stride() + i] = inverse_softplus(1.0);
        }
        Self { layout, parameters }
    }

    /// Returns `len` parameters from `from` on.
    pub(crate) fn part(&self, from: usize, len: usize) -> &[f32] {
        &floats(&self.parameters)[from..from + len]
    }

    /// Returns one parameter.
    pub(crate) fn at(&self, at: usize) -> f32 {
        floats(&self.parameters)[at]
    }

    fn vectors(&self, from: usize, len: usize) -> &[Lanes] {
        &self.parameters[from / LANES..(from + len) / LANES]
    }

    /// Returns the transposed root with the softplus applied to its diagonal.
    pub(crate) fn root(&self) -> Vec<Lanes> {
        let (size, stride) = (self.layout.features(), self.layout.feature_stride());
        let mut root = self.vectors(self.layout.root(), size * stride).to_vec();
        for (i, row) in floats_mut(&mut root).chunks_exact_mut(stride).enumerate() {
            row[i] = softplus(row[i]);
        }
        root
    }

    /// Computes the features at rows of inputs, of `layout.dim` numbers each, and the inputs over the length scales.
    fn features(&self, inputs: &[f32]) -> (Vec<Lanes>, Vec<f32>) {
        let Layout { dim, units } = self.layout;
        let rows = inputs.len() / dim;
        let inverse: Vec<f32> = self.part(Layout::LOG_SCALES, dim).iter().map(|log| libm::expf(-log)).collect();
        let scaled: Vec<f32> = inputs.iter().zip(inverse.iter().cycle()).map(|(x, inverse)| x * inverse).collect();
        let (unit_stride, feature_stride) = (self.layout.unit_stride(), self.layout.feature_stride());
        let mut phases = vec![Lanes::splat(0.0); rows * unit_stride / LANES];
        let right = self.vectors(self.layout.frequencies(), dim * unit_stride);
        let width = unit_stride / LANES;
        let target = Target { out: &mut phases, stride: width, rows, width };
        product(Left::rows(&scaled, dim), Right { values: right, stride: width }, dim, None, target, |sum, _| sum);
        let amplitude = (libm::expf(self.at(Layout::LOG_VARIANCE)) / units as f32).sqrt();
        let mut features = vec![Lanes::splat(0.0); rows * feature_stride / LANES];
        let phases = floats(&phases).chunks_exact(unit_stride);
        for (row, phases) in floats_mut(&mut features).chunks_exact_mut(feature_stride).zip(phases) {
            let (cosines, sines) = row.split_at_mut(units);
            for ((cosine, sine), phase) in cosines.iter_mut().zip(sines).zip(phases) {
                let (sin, cos) = libm::sincosf(*phase);
                (*cosine, *sine) = (amplitude * cos, amplitude * sin);
            }
        }
        (features, scaled)
    }

    /// Evaluates the network at rows of inputs, of `layout.dim` numbers each. The result for a row does not depend on
    /// the other rows.
    pub(crate) fn evaluate(&self, inputs: &[f32]) -> Evaluated {
        let rows = inputs.len() / self.layout.dim;
        let (features, scaled) = self.features(inputs);
        let (size, stride) = (self.layout.features(), self.layout.feature_stride());
        // The root is stored transposed; the product needs it row by row.
        let root = transposed(&self.root(), size, stride);
        let mut roots = vec![Lanes::splat(0.0); rows * stride / LANES];
        triangular(&features, &root, &mut roots, (rows, size, stride), Triangle::Lower);
        let roots = Rows::from_fn(rows, size, |i, j| f64::from(floats(&roots)[i * stride + j]));
        let means = self.sums(&features, self.part(self.layout.means(), size));
        Evaluated { rows, scaled, features, roots, means }
    }

    /// Computes, for each row of features, the constant plus the sum of the features with these weights.
    fn sums(&self, features: &[Lanes], weights: &[f32]) -> Vec<f64> {
        let bias = f64::from(self.at(Layout::BIAS));
        let rows = floats(features).chunks_exact(self.layout.feature_stride());
        let sum = |row: &[f32]| row.iter().zip(weights).map(|(h, w)| f64::from(*h) * f64::from(*w)).sum::<f64>();
        rows.map(|row| bias + sum(row)).collect()
    }

    /// Returns the weights m + L z, with the transposed root of [`root`](Self::root).
    pub(crate) fn draw(&self, root: &[Lanes], z: &[f32]) -> Vec<f32> {
        let (size, stride) = (self.layout.features(), self.layout.feature_stride());
        let mut weights = self.part(self.layout.means(), size).to_vec();
        for (i, (row, z)) in floats(root).chunks_exact(stride).zip(z).enumerate() {
            weights[i..].iter_mut().zip(&row[i..size]).for_each(|(weight, l)| *weight += l * z);
        }
        weights
    }

    /// Computes the values at rows of inputs of the functions with weights m + L z, one list for each z.
    pub(crate) fn functions(&self, inputs: &[f32], normals: &[Vec<f32>]) -> Vec<f32> {
        let (features, _) = self.features(inputs);
        let root = self.root();
        let mut out = Vec::with_capacity(normals.len() * inputs.len() / self.layout.dim);
        for z in normals {
            out.extend(self.sums(&features, &self.draw(&root, z)).into_iter().map(|value| value as f32));
        }
        out
    }

    /// Computes the values at rows of inputs of many functions, side by side in `width` vectors; `weights` has a row for each
    /// feature, with one number for each function. A value does not depend on other rows and functions.
    pub(crate) fn weighted(&self, inputs: &[f32], weights: &[Lanes], width: usize) -> Vec<Lanes> {
        let (features, _) = self.features(inputs);
        let (rows, bias) = (inputs.len() / self.layout.dim, Lanes::splat(self.at(Layout::BIAS)));
        let mut out = vec![Lanes::splat(0.0); rows * width];
        let left = Left::rows(floats(&features), self.layout.feature_stride());
        let target = Target { out: &mut out, stride: width, rows, width };
        product(left, Right { values: weights, stride: width }, self.layout.features(), None, target, |sum, _| {
            sum + bias
        });
        out
    }

    /// Computes the gradient with respect to the parameters from those with respect to the means and the roots; the
    /// entries for noise and prior are zero.
    pub(crate) fn pull_back(&self, evaluated: &Evaluated, by_means: &[f64], by_roots: &Rows) -> Vec<Lanes> {
        let layout = self.layout;
        let Layout { dim, units } = layout;
        let (size, stride, unit_stride) = (layout.features(), layout.feature_stride(), layout.unit_stride());
        let Evaluated { rows, scaled, features, .. } = evaluated;
        let rows = *rows;
        let mut gradient = vec![Lanes::splat(0.0); layout.len() / LANES];

        let mut slopes = vec![Lanes::splat(0.0); rows * stride / LANES];
        for (out, row) in floats_mut(&mut slopes).chunks_exact_mut(stride).zip(by_roots.iter()) {
            out.iter_mut().zip(row).for_each(|(out, slope)| *out = *slope as f32);
        }
        // Gradient with respect to the root: slopes^T features, restricted to the triangle, with the diagonal through
        // the softplus.
        let root = &mut gradient[layout.root() / LANES..];
        outer(&slopes, features, root, (rows, size, stride));
        let raw = self.part(layout.root(), size * stride);
        for (i, (row, raw)) in floats_mut(root).chunks_exact_mut(stride).zip(raw.chunks_exact(stride)).enumerate() {
            row[..i].fill(0.0);
            row[size..].fill(0.0);
            row[i] *= logistic(raw[i]);
        }
        // Gradient with respect to the features: slopes times the transposed root, plus the part from the means.
        let mut by_features = vec![Lanes::splat(0.0); rows * stride / LANES];
        triangular(&slopes, &self.root(), &mut by_features, (rows, size, stride), Triangle::Upper);
        let weights = self.part(layout.means(), size);
        let mut by_weights = vec![0.0f64; size];
        for ((out, row), slope) in floats_mut(&mut by_features)
            .chunks_exact_mut(stride)
            .zip(floats(features).chunks_exact(stride))
            .zip(by_means)
        {
            for ((out, weight), (sum, h)) in out.iter_mut().zip(weights).zip(by_weights.iter_mut().zip(row)) {
                *out += *slope as f32 * weight;
                *sum += slope * f64::from(*h);
            }
        }
        // Gradient with respect to the phases, whose cosines and sines are the features.
        let mut by_phases = vec![Lanes::splat(0.0); rows * unit_stride / LANES];
        let mut by_log_variance = 0.0;
        let both = floats(&by_features).chunks_exact(stride).zip(floats(features).chunks_exact(stride));
        for (out, (slopes, row)) in floats_mut(&mut by_phases).chunks_exact_mut(unit_stride).zip(both) {
            for u in 0..units {
                out[u] = slopes[units + u] * row[u] - slopes[u] * row[units + u];
            }
            by_log_variance += 0.5 * slopes[..size].iter().zip(row).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        }
        let width = unit_stride / LANES;
        let from = layout.frequencies() / LANES;
        let target = Target { out: &mut gradient[from..from + dim * width], stride: width, rows: dim, width };
        product(
            Left::columns(scaled, dim),
            Right { values: &by_phases, stride: width },
            rows,
            None,
            target,
            |sum, _| sum,
        );
        let out = floats_mut(&mut gradient);
        for d in 0..dim {
            let row = layout.frequencies() + d * unit_stride;
            let sum: f32 = (0..units).map(|u| self.at(row + u) * out[row + u]).sum();
            out[Layout::LOG_SCALES + d] = -sum;
        }
        out[Layout::LOG_VARIANCE] = by_log_variance as f32;
        out[Layout::BIAS] = by_means.iter().sum::<f64>() as f32;
        let means = layout.means();
        out[means..means + size].iter_mut().zip(&by_weights).for_each(|(out, sum)| *out = *sum as f32);
        gradient
    }
}

/// The triangle of a square matrix that holds its nonzero entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Triangle {
    Lower,
    Upper,
}

/// The number of vectors of columns of a triangular matrix that are multiplied together.
const BAND: usize = 8;

/// Computes `out` = `left` times the triangular `right`, of `size` rows and columns, skipping blocks of zeros.
fn triangular(
    left: &[Lanes],
    right: &[Lanes],
    out: &mut [Lanes],
    (rows, size, stride): (usize, usize, usize),
    triangle: Triangle,
) {
    let width = stride / LANES;
    for from in (0..width).step_by(BAND) {
        let to = width.min(from + BAND);
        let terms = match triangle {
            Triangle::Lower => (from * LANES).min(size)..size,
            Triangle::Upper => 0..size.min(to * LANES),
        };
        let right = Right { values: &right[terms.start * width + from..], stride: width };
        let target = Target { out: &mut out[from..], stride: width, rows, width: to - from };
        let left = Left::rows(&floats(left)[terms.start..], stride);
        product(left, right, terms.len(), None, target, |sum, _| sum);
    }
}

/// Computes `out` = `left`^T `right`; entries left of the diagonal are only partly computed.
fn outer(left: &[Lanes], right: &[Lanes], out: &mut [Lanes], (rows, size, stride): (usize, usize, usize)) {
    let width = stride / LANES;
    for from in (0..width).step_by(BAND) {
        let first = from * LANES;
        let count = size.min(first + BAND * LANES).saturating_sub(first);
        if count == 0 {
            continue;
        }
        let target = Target { out: &mut out[first * width + from..], stride: width, rows: count, width: width - from };
        let right = Right { values: &right[from..], stride: width };
        product(Left::columns(&floats(left)[first..], stride), right, rows, None, target, |sum, _| sum);
    }
}

/// Transposes a square matrix.
fn transposed(matrix: &[Lanes], size: usize, stride: usize) -> Vec<Lanes> {
    let mut out = vec![Lanes::splat(0.0); matrix.len()];
    jointly_nets::simd::transpose(matrix, size, size, &mut out[..size * stride / LANES]);
    out
}
