//! The kernel defined by a network of kernels, and its random features.

use jointly_kernels::product::dot;
use jointly_kernels::scales::median_distances;
use jointly_kernels::{Bound, Features, Kernel, Linear, RationalQuadratic, Rbf, Rows};
use jointly_sdk::Rng;

use crate::network::{Network, Nodes, PRIMITIVES};

/// The largest number of rows over which the typical size of a node is averaged.
const TYPICAL: usize = 1000;

/// The neural kernel network of Sun et al. (2018) and Wang, Sun and Grosse (2021) for regression: two linear kernels,
/// two squared-exponential and two rational quadratic ones, each with a scale for each feature, combined by a
/// network.
#[derive(Clone, Debug)]
pub struct NeuralKernel {
    lines: [Linear; 2],
    waves: [Rbf; 2],
    quadratics: [RationalQuadratic; 2],
    network: Network,
    /// The primitives' typical variances, which determine the choice of random features.
    typical: [f64; PRIMITIVES],
}

impl NeuralKernel {
    /// Creates the initial kernel. With l the median distances of examples, it has squared-exponential kernels of
    /// scales l / 6 and 2 l / 3, rational quadratic ones of l / 3 with alpha .1 and 1, and linear ones of variance 1.
    /// Starts differ only in the network's weights.
    pub fn new(inputs: &Rows, seed: u64, start: u64) -> Self {
        let scales = median_distances(inputs);
        let scaled = |by: f64| -> Vec<f64> { scales.iter().map(|scale| scale * by).collect() };
        let line = Linear::new(&vec![1.0; inputs.cols()]);
        let mut kernel = Self {
            lines: [line.clone(), line],
            waves: [Rbf::ard(1.0, &scaled(1.0 / 6.0)), Rbf::ard(1.0, &scaled(2.0 / 3.0))],
            quadratics: [0.1, 1.0].map(|alpha| RationalQuadratic::new(1.0, &scaled(1.0 / 3.0), alpha)),
            network: Network::new(seed, start),
            typical: [1.0; PRIMITIVES],
        };
        kernel.settle(inputs);
        kernel
    }

    /// Sets the typical variances to the primitives' mean variances over the inputs; call it once the parameters are
    /// learnt.
    pub fn settle(&mut self, inputs: &Rows) {
        let count = inputs.rows().min(TYPICAL);
        if count == 0 {
            return;
        }
        let mut sums = [0.0; PRIMITIVES];
        for i in 0..count {
            let row = inputs.row(i * inputs.rows() / count);
            let values = self.primitive_values(row, row);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / count as f64);
        }
        self.typical = sums;
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    pub(crate) fn typical(&self) -> &[f64; PRIMITIVES] {
        &self.typical
    }

    pub(crate) fn primitives(&self) -> [&dyn Kernel; PRIMITIVES] {
        let Self { lines, waves, quadratics, .. } = self;
        [&lines[0], &lines[1], &waves[0], &waves[1], &quadratics[0], &quadratics[1]]
    }

    /// Multiplies a random function by that of a primitive: adds its frequency to the wave, or adds a line.
    fn multiply(&self, primitive: usize, feature: &mut Feature, rng: &mut Rng) {
        let mut frequency = vec![0.0; feature.frequency.len()];
        let variance = match primitive {
            line @ 0..2 => {
                feature.lines.push(self.lines[line].line(rng));
                return;
            }
            wave @ 2..4 => {
                self.waves[wave - 2].frequency(rng, &mut frequency);
                self.waves[wave - 2].variance()
            }
            quadratic => {
                self.quadratics[quadratic - 4].frequency(rng, &mut frequency);
                self.quadratics[quadratic - 4].variance()
            }
        };
        feature.scale *= variance.sqrt();
        feature.frequency.iter_mut().zip(frequency).for_each(|(sum, more)| *sum += more);
    }

    pub(crate) fn dim(&self) -> usize {
        self.lines[0].parameters().len()
    }

    fn primitive_values(&self, a: &[f64], b: &[f64]) -> [f64; PRIMITIVES] {
        self.primitives().map(|kernel| kernel.value(a, b))
    }
}

impl Kernel for NeuralKernel {
    /// Returns the parameters of the primitives, one after another, followed by the network's.
    fn parameters(&self) -> Vec<f64> {
        let primitives = self.primitives().into_iter().flat_map(Kernel::parameters);
        primitives.chain(self.network.parameters().iter().copied()).collect()
    }

    fn bounds(&self) -> Vec<Bound> {
        self.primitives().into_iter().flat_map(Kernel::bounds).chain(Network::bounds()).collect()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        let Self { lines: [a, b], waves: [c, d], quadratics: [e, f], network, .. } = self;
        let primitives: [&mut dyn Kernel; PRIMITIVES] = [a, b, c, d, e, f];
        let mut rest = parameters;
        for kernel in primitives {
            let (own, others) = rest.split_at(kernel.parameters().len());
            kernel.set_parameters(own);
            rest = others;
        }
        network.set_parameters(rest);
    }

    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        self.network.forward(&self.primitive_values(a, b)).value
    }

    fn add_gradient_at(&self, _: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let values = self.primitive_values(a, b);
        let nodes = self.network.forward(&values);
        let (mut primitives, network) = to.split_at_mut(to.len() - self.network.parameters().len());
        let by = self.network.backward(&values, &nodes, weight, Some(network));
        let dim = a.len();
        let lens = [dim, dim, dim + 1, dim + 1, dim + 2, dim + 2];
        for (((kernel, value), by), len) in self.primitives().into_iter().zip(values).zip(by).zip(lens) {
            let (own, others) = primitives.split_at_mut(len);
            kernel.add_gradient_at(value, a, b, by, own);
            primitives = others;
        }
    }

    fn add_input_gradient_at(&self, _: f64, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        let values = self.primitive_values(a, b);
        let nodes = self.network.forward(&values);
        let by = self.network.backward(&values, &nodes, weight, None);
        for ((kernel, value), by) in self.primitives().into_iter().zip(values).zip(by) {
            kernel.add_input_gradient_at(value, a, b, by, to);
        }
    }

    fn add_gradient(&self, a: &[f64], b: &[f64], weight: f64, to: &mut [f64]) {
        // The gradient needs the values of the nodes, not the kernel's value.
        self.add_gradient_at(0.0, a, b, weight, to);
    }

    fn features(&self, count: usize, rng: &mut Rng) -> Box<dyn Features> {
        Box::new(Composed::new(self, count, rng))
    }
}

/// Random features whose mean product is the network's kernel.
///
/// # Formula
///
/// If f and g are independent random functions with E[f(a) f(b)] = k(a, b) and E[g(a) g(b)] = h(a, b), their product
/// has the kernel k h; and if j is chosen with probability p_j, sqrt(w_j / p_j) f_j has the kernel sum_j w_j k_j. So,
/// from the output back to the primitives, each sum is replaced by one of its terms (its bias by 1) and each product
/// by two independent functions, of which there are at most four. The product of stationary kernels is stationary,
/// and its random frequency is the sum of theirs. A pair of features is thus a product of random lines times the
/// cosine, and the sine, of one wave. Terms are chosen by their typical size, which gives features similar
/// magnitudes. A sum with normal weights is a function of the Gaussian process with the kernel of these features,
/// which converges to the network's as their number grows.
#[derive(Debug)]
struct Composed {
    pairs: Vec<Feature>,
}

/// The power of their typical size by which terms of the first layer are chosen.
const POWER: f64 = 0.5;

/// Random lines times a random wave; without a frequency the cosine is 1 and the sine 0.
#[derive(Debug)]
struct Feature {
    scale: f64,
    lines: Vec<Vec<f64>>,
    frequency: Vec<f64>,
}

impl Composed {
    fn new(kernel: &NeuralKernel, count: usize, rng: &mut Rng) -> Self {
        let typical = kernel.network().forward(kernel.typical());
        let pairs = (count / 2).max(1);
        let scale = (pairs as f64).recip().sqrt();
        let feature = |rng: &mut Rng| {
            let mut feature = Feature { scale, lines: Vec::new(), frequency: vec![0.0; kernel.dim()] };
            feature.sum(kernel, &typical, (2, 0), rng);
            feature
        };
        Self { pairs: (0..pairs).map(|_| feature(rng)).collect() }
    }
}

impl Feature {
    /// Multiplies by a random function of an output of a sum layer.
    fn sum(&mut self, kernel: &NeuralKernel, typical: &Nodes, (layer, output): (usize, usize), rng: &mut Rng) {
        let weights = kernel.network().weights(layer, output);
        let inputs: &[f64] = match layer {
            0 => kernel.typical(),
            1 => &typical.second,
            _ => &typical.fourth,
        };
        // The bias is the weight of the constant 1.
        let sizes = weights.iter().zip(inputs.iter().chain([&1.0])).map(|(w, x)| w * x);
        // The small terms are often those of fine functions, which examples determine less well than others.
        let sizes: Vec<f64> = sizes.map(|size| if layer == 0 { libm::pow(size, POWER) } else { size }).collect();
        let whole: f64 = sizes.iter().sum();
        let mut left = f64::from(rng.uniform()) * whole;
        let possible = || sizes.iter().enumerate().filter(|(_, size)| **size > 0.0);
        let mut chosen = possible().next_back().map_or(inputs.len(), |(i, _)| i);
        for (i, size) in possible() {
            if left < *size {
                chosen = i;
                break;
            }
            left -= size;
        }
        self.scale *= (weights[chosen] * whole / sizes[chosen]).sqrt();
        if chosen == inputs.len() {
            return;
        }
        if layer == 0 {
            kernel.multiply(chosen, self, rng);
            return;
        }
        for factor in [2 * chosen, 2 * chosen + 1] {
            self.sum(kernel, typical, (layer - 1, factor), rng);
        }
    }

    fn at(&self, input: &[f64]) -> [f64; 2] {
        let product = self.lines.iter().fold(self.scale, |product, line| product * dot(line, input));
        let (sin, cos) = libm::sincos(dot(&self.frequency, input));
        [product * cos, product * sin]
    }
}

impl Features for Composed {
    fn len(&self) -> usize {
        2 * self.pairs.len()
    }

    fn at(&self, input: &[f64], out: &mut [f64]) {
        out.as_chunks_mut::<2>().0.iter_mut().zip(&self.pairs).for_each(|(out, feature)| *out = feature.at(input));
    }
}
