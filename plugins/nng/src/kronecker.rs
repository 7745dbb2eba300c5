//! The distribution of one layer's weights: matrix-variate normal, with a Kronecker product as its precision.

use jointly_nets::cholesky::Cholesky;
use jointly_nets::product::{Target, product};
use jointly_nets::simd::{LANES, Lanes, Left, Right, floats, floats_mut, vectors};

/// The lower bound of the mean of a factor's diagonal when the damping is split, for layers whose units are all cut
/// off.
const LEAST_TRACE: f64 = 1e-10;

/// The quantities, besides the factors, that determine a layer's covariance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Number of examples.
    pub(crate) examples: f64,
    /// One over the variance of the noise.
    pub(crate) noise_precision: f64,
    /// Prior variance of a weight.
    pub(crate) prior_variance: f64,
    /// The damping of the steps: added to the precision over the number of examples, in addition to the prior's part.
    pub(crate) damping: f64,
}

/// The factors of a layer's Fisher matrix, and the matrices derived from them.
///
/// # Formula
///
/// With A the mean of z z^T over examples, where z are the layer's inputs, and S the mean of d d^T / s^2, where d are
/// the derivatives of the output with respect to the pre-activations and s is the noise's standard deviation, the
/// Fisher matrix of an example is approximately A x S. The posterior's precision, N (A x S) + I / eta, is
/// approximated by N (A + pi g I) x (S + g / pi I) with g^2 = 1 / (N eta), and pi^2 the ratio of the means of the
/// diagonals of A and S (Martens and Grosse, 2015, section 6.3). With A' and S' the two factors, weights are
/// M + A'^-1/2 E S'^-1/2 / sqrt(N). M moves along A''^-1 G S''^-1, whose factors have a g^2 that is larger by the
/// damping.
///
/// Zhang, Sun, Duvenaud and Grosse, Noisy natural gradient as variational inference, ICML 2018, section 3.3.
#[derive(Clone, Debug)]
pub(crate) struct Kronecker {
    inputs: usize,
    outputs: usize,
    input_moments: Vec<f64>,
    slope_moments: Vec<f64>,
    /// The matrices A''^-1 and S''^-1.
    inverses: [Vec<f64>; 2],
    /// The transposed inverse factor of A' over the root of N, and the inverse factor of S'.
    roots: [Vec<Lanes>; 2],
}

impl Kronecker {
    /// Creates a layer with `inputs` inputs, including the constant one, and `outputs` units. Until `shape` is called
    /// its weights have no variance.
    pub(crate) fn new(inputs: usize, outputs: usize) -> Self {
        let zeros = |size: usize| vec![Lanes::splat(0.0); size * vectors(size)];
        Self {
            inputs,
            outputs,
            input_moments: Vec::new(),
            slope_moments: Vec::new(),
            inverses: [Vec::new(), Vec::new()],
            roots: [zeros(inputs), zeros(outputs)],
        }
    }

    /// Updates the moving averages of the moments, which keep the share `kept` of their old value.
    pub(crate) fn learn(&mut self, input_moments: Vec<f64>, slope_moments: Vec<f64>, kept: f64) {
        for (average, new) in [(&mut self.input_moments, input_moments), (&mut self.slope_moments, slope_moments)] {
            if average.is_empty() {
                *average = new;
            } else {
                average.iter_mut().zip(new).for_each(|(average, new)| *average = kept * *average + (1.0 - kept) * new);
            }
        }
    }

    /// Recomputes the matrices derived from the factors; returns false if one of them is not positive definite.
    pub(crate) fn shape(&mut self, shape: Shape) -> bool {
        let prior = 1.0 / (shape.examples * shape.prior_variance);
        let (Some(belief), Some(step)) = (self.damped(shape, prior), self.damped(shape, prior + shape.damping)) else {
            return false;
        };
        let [a, s] = belief;
        let scale = 1.0 / shape.examples.sqrt();
        let transposed: Vec<f64> =
            (0..a.len()).map(|at| scale * a[at % self.inputs * self.inputs + at / self.inputs]).collect();
        self.roots = [padded(&transposed, self.inputs), padded(&s, self.outputs)];
        let [a, s] = step;
        self.inverses = [gram(&a, self.inputs), gram(&s, self.outputs)];
        true
    }

    /// Computes the inverse factors of A and S, with the damping split between them.
    fn damped(&self, shape: Shape, damping: f64) -> Option<[Vec<f64>; 2]> {
        let slopes: Vec<f64> = self.slope_moments.iter().map(|moment| moment * shape.noise_precision).collect();
        let mean = |matrix: &[f64], size: usize| {
            ((0..size).map(|i| matrix[i * size + i]).sum::<f64>() / size as f64).max(LEAST_TRACE)
        };
        let pi = (mean(&self.input_moments, self.inputs) / mean(&slopes, self.outputs)).sqrt();
        let factor = |matrix: &[f64], size: usize, damping: f64| {
            let mut matrix = matrix.to_vec();
            (0..size).for_each(|i| matrix[i * size + i] += damping);
            Cholesky::new(matrix, size).map(|factor| factor.inverse_factor())
        };
        let root = damping.sqrt();
        Some([factor(&self.input_moments, self.inputs, root * pi)?, factor(&slopes, self.outputs, root / pi)?])
    }

    /// Computes the natural gradient A''^-1 G S''^-1.
    pub(crate) fn precondition(&self, gradient: &[f64]) -> Vec<f64> {
        let [a, s] = &self.inverses;
        let (inputs, outputs) = (self.inputs, self.outputs);
        let left = multiply(a, gradient, (inputs, inputs, outputs));
        multiply(&left, s, (inputs, outputs, outputs))
    }

    /// Adds noise with the posterior's covariance to the mean's rows, which are padded to whole vectors. `room` is a
    /// scratch buffer.
    pub(crate) fn add_noise(&self, normals: &[Lanes], weights: &mut [Lanes], room: &mut Vec<Lanes>) {
        let [left, right] = &self.roots;
        let width = vectors(self.outputs);
        room.resize(self.inputs * width, Lanes::splat(0.0));
        let target = Target { out: room, stride: width, rows: self.inputs, width };
        let rows = Left::rows(floats(left), vectors(self.inputs) * LANES);
        product(rows, Right { values: normals, stride: width }, self.inputs, None, target, |sum, _| sum);
        let target = Target { out: weights, stride: width, rows: self.inputs, width };
        let rows = Left::rows(floats(room), width * LANES);
        product(rows, Right { values: right, stride: width }, self.outputs, None, target, |sum, mean| mean + sum);
    }
}

/// Pads the rows of a matrix to whole vectors.
fn padded(matrix: &[f64], size: usize) -> Vec<Lanes> {
    let width = vectors(size);
    let mut out = vec![Lanes::splat(0.0); size * width];
    for (out, row) in floats_mut(&mut out).chunks_exact_mut(width * LANES).zip(matrix.chunks_exact(size)) {
        out.iter_mut().zip(row).for_each(|(out, value)| *out = *value as f32);
    }
    out
}

/// Computes T^T T of a lower-triangular T.
fn gram(factor: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for (k, row) in factor.chunks_exact(size).enumerate() {
        for (i, value) in row[..=k].iter().enumerate() {
            out[i * size..][..=k].iter_mut().zip(&row[..=k]).for_each(|(out, other)| *out += value * other);
        }
    }
    out
}

/// Computes the product of matrices of (rows, depth) and (depth, cols).
fn multiply(left: &[f64], right: &[f64], (rows, depth, cols): (usize, usize, usize)) -> Vec<f64> {
    let mut out = vec![0.0; rows * cols];
    for (out, left) in out.chunks_exact_mut(cols).zip(left.chunks_exact(depth)) {
        for (value, right) in left.iter().zip(right.chunks_exact(cols)) {
            out.iter_mut().zip(right).for_each(|(out, other)| *out += value * other);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use jointly_nets::normals::Normals;
    use jointly_sdk::Rng;

    use super::*;

    const TOLERANCE: f64 = 1e-9;
    const SHAPE: Shape = Shape { examples: 20.0, noise_precision: 4.0, prior_variance: 0.5, damping: 0.3 };
    const INPUTS: usize = 4;
    const OUTPUTS: usize = 3;

    /// Computes the second moments of ten random vectors.
    fn moments(size: usize, draw: u64) -> Vec<f64> {
        let mut rng = Rng::new(1, draw);
        let mut out = vec![0.0; size * size];
        for _ in 0..10 {
            let row: Vec<f64> = (0..size).map(|_| f64::from(rng.normal())).collect();
            (0..size * size).for_each(|at| out[at] += row[at / size] * row[at % size] / 10.0);
        }
        out
    }

    fn layer() -> Kronecker {
        let mut layer = Kronecker::new(INPUTS, OUTPUTS);
        layer.learn(moments(INPUTS, 0), moments(OUTPUTS, 1), 0.9);
        assert!(layer.shape(SHAPE));
        layer
    }

    /// Computes (A + pi g I) x (S + g / pi I), whose row and column (i, j) is at `i * OUTPUTS + j`.
    fn dense(damping: f64) -> Vec<f64> {
        let (a, s) = (moments(INPUTS, 0), moments(OUTPUTS, 1).iter().map(|s| 4.0 * s).collect::<Vec<_>>());
        let mean = |m: &[f64], size: usize| (0..size).map(|i| m[i * size + i]).sum::<f64>() / size as f64;
        let pi = (mean(&a, INPUTS) / mean(&s, OUTPUTS)).sqrt();
        let g = damping.sqrt();
        let size = INPUTS * OUTPUTS;
        let unit = |i: usize, k: usize| f64::from(u8::from(i == k));
        (0..size * size)
            .map(|at| {
                let ((i, j), (k, m)) =
                    ((at / size / OUTPUTS, at / size % OUTPUTS), (at % size / OUTPUTS, at % size % OUTPUTS));
                (a[i * INPUTS + k] + pi * g * unit(i, k)) * (s[j * OUTPUTS + m] + g / pi * unit(j, m))
            })
            .collect()
    }

    #[test]
    fn a_step_is_the_dense_natural_gradient() {
        let mut rng = Rng::new(3, 0);
        let gradient: Vec<f64> = (0..INPUTS * OUTPUTS).map(|_| f64::from(rng.normal())).collect();
        let step = layer().precondition(&gradient);
        // 1 / (N eta) = 0.1, plus the damping.
        let size = INPUTS * OUTPUTS;
        let back = multiply(&dense(0.1 + 0.3), &step, (size, size, 1));
        for (found, expected) in back.iter().zip(&gradient) {
            assert!((found - expected).abs() < TOLERANCE, "{found} and {expected}");
        }
    }

    #[test]
    fn noise_has_the_covariance_of_the_dense_precision() {
        const DRAWS: usize = 40_000;
        let layer = layer();
        let size = INPUTS * OUTPUTS;
        let mut normals = Normals::new(&mut Rng::new(5, 0));
        let (mut noise, mut room) = (vec![Lanes::splat(0.0); INPUTS], Vec::new());
        let mut sums = vec![0.0; size * size];
        for _ in 0..DRAWS {
            normals.fill(&mut noise);
            let mut weights = vec![Lanes::splat(0.0); INPUTS];
            layer.add_noise(&noise, &mut weights, &mut room);
            let rows = floats(&weights).chunks_exact(LANES);
            assert!(rows.clone().all(|row| row[OUTPUTS..].iter().all(|padding| *padding == 0.0)));
            let drawn: Vec<f64> = rows.flat_map(|row| &row[..OUTPUTS]).map(|value| f64::from(*value)).collect();
            (0..size * size).for_each(|at| sums[at] += drawn[at / size] * drawn[at % size] / DRAWS as f64);
        }
        // N (A' x S') times the covariance is the identity matrix.
        let unit = multiply(&dense(0.1), &sums, (size, size, size));
        for (at, found) in unit.iter().enumerate() {
            let expected = f64::from(u8::from(at / size == at % size));
            assert!((20.0 * found - expected).abs() < 0.1, "{at}: {}", 20.0 * found);
        }
    }

    #[test]
    fn units_that_are_all_cut_off_have_the_priors_variance_where_nothing_is_read() {
        let mut layer = Kronecker::new(2, 2);
        layer.learn(vec![0.0, 0.0, 0.0, 1.0], vec![0.0; 4], 0.9);
        assert!(layer.shape(Shape { damping: 0.0, ..SHAPE }));
        // The product of the dampings is 1 / (N eta), so the product of the squared inverse factors over N is eta.
        let [left, right] = &layer.roots;
        let variance = (floats(left)[0] * floats(right)[0]).powi(2);
        assert!((variance - 0.5).abs() < 1e-4, "{variance}");
        layer.learn(vec![f64::NAN; 4], vec![0.0; 4], 0.9);
        assert!(!layer.shape(SHAPE));
    }

    #[test]
    fn averages_keep_their_share() {
        let mut layer = Kronecker::new(1, 1);
        layer.learn(vec![2.0], vec![4.0], 0.75);
        layer.learn(vec![6.0], vec![0.0], 0.75);
        assert_eq!((layer.input_moments[0], layer.slope_moments[0]), (3.0, 3.0));
    }
}
