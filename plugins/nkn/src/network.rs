//! Sums and products of kernels, in layers.

use jointly_kernels::{Bound, Stream};

/// Number of input kernels.
pub(crate) const PRIMITIVES: usize = 6;
/// Inputs and outputs of the three sum layers; between them lie layers of pairwise products.
pub(crate) const SUMS: [(usize, usize); 3] = [(PRIMITIVES, 8), (4, 4), (2, 1)];
/// Number of weights and biases in total.
pub(crate) const PARAMETERS: usize = 8 * 7 + 4 * 5 + 3;
/// The initial value of every bias.
const BIAS: f64 = 0.01;

/// The network of Sun et al. (2018) for regression, as in their code.
///
/// # Formula
///
/// Six kernels; eight sums of them; the four products of neighbours; four sums; two products; their sum. All weights
/// and biases are positive, which keeps every node a kernel. The parameters are their logarithms: layer after layer,
/// output after output, the weights and then the bias. (Their code uses softplus instead of the exponential, which
/// changes the path to an optimum but not the optimum.)
#[derive(Clone, Debug)]
pub(crate) struct Network {
    logs: Vec<f64>,
    /// The weights of each output followed by its bias.
    weights: [Vec<f64>; 3],
}

/// The values of all nodes for a pair of inputs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nodes {
    /// The first layer's outputs.
    first: [f64; 8],
    /// The products of neighbours in `first`.
    pub(crate) second: [f64; 4],
    third: [f64; 4],
    /// The products of neighbours in `third`.
    pub(crate) fourth: [f64; 2],
    /// The value of the kernel.
    pub(crate) value: f64,
}

impl Network {
    /// Creates a network whose weights are uniform between 1 / (2 m) and 3 / (2 m) for a sum of m terms.
    pub(crate) fn new(seed: u64, start: u64) -> Self {
        let mut rng = Stream::Weights.rng(seed, start);
        let mut logs = Vec::with_capacity(PARAMETERS);
        for (inputs, outputs) in SUMS {
            for _ in 0..outputs {
                logs.extend((0..inputs).map(|_| libm::log((0.5 + f64::from(rng.uniform())) / inputs as f64)));
                logs.push(libm::log(BIAS));
            }
        }
        let mut network = Self { logs: Vec::new(), weights: [Vec::new(), Vec::new(), Vec::new()] };
        network.set_parameters(&logs);
        network
    }

    pub(crate) fn parameters(&self) -> &[f64] {
        &self.logs
    }

    pub(crate) fn bounds() -> Vec<Bound> {
        vec![Bound::logs(1e-8, 1e3); PARAMETERS]
    }

    pub(crate) fn set_parameters(&mut self, logs: &[f64]) {
        self.logs = logs.to_vec();
        let mut from = 0;
        for (weights, (inputs, outputs)) in self.weights.iter_mut().zip(SUMS) {
            let len = (inputs + 1) * outputs;
            *weights = logs[from..from + len].iter().map(|log| libm::exp(*log)).collect();
            from += len;
        }
    }

    /// Returns the weights of an output of a sum layer, with its bias last.
    pub(crate) fn weights(&self, layer: usize, output: usize) -> &[f64] {
        let len = SUMS[layer].0 + 1;
        &self.weights[layer][output * len..][..len]
    }

    fn sum(&self, layer: usize, output: usize, inputs: &[f64]) -> f64 {
        let weights = self.weights(layer, output);
        let (bias, weights) = weights.split_last().expect("a bias");
        weights.iter().zip(inputs).map(|(weight, input)| weight * input).sum::<f64>() + bias
    }

    /// Computes the values of all nodes.
    pub(crate) fn forward(&self, primitives: &[f64; PRIMITIVES]) -> Nodes {
        let mut nodes = Nodes::default();
        nodes.first = std::array::from_fn(|i| self.sum(0, i, primitives));
        nodes.second = std::array::from_fn(|i| nodes.first[2 * i] * nodes.first[2 * i + 1]);
        nodes.third = std::array::from_fn(|i| self.sum(1, i, &nodes.second));
        nodes.fourth = std::array::from_fn(|i| nodes.third[2 * i] * nodes.third[2 * i + 1]);
        nodes.value = self.sum(2, 0, &nodes.fourth);
        nodes
    }

    /// Returns the derivatives with respect to the primitives, times a weight; adds those with respect to the
    /// parameters to `to`.
    pub(crate) fn backward(
        &self,
        primitives: &[f64; PRIMITIVES],
        nodes: &Nodes,
        weight: f64,
        to: Option<&mut [f64]>,
    ) -> [f64; PRIMITIVES] {
        let mut scratch = [0.0; PARAMETERS];
        let to = to.unwrap_or(&mut scratch);
        let (first, rest) = to.split_at_mut(8 * (PRIMITIVES + 1));
        let (second, third) = rest.split_at_mut(4 * 5);
        let by_fourth: [f64; 2] = self.back(2, &[weight], &nodes.fourth, third);
        let by_third: [f64; 4] = apart(&by_fourth, &nodes.third);
        let by_second: [f64; 4] = self.back(1, &by_third, &nodes.second, second);
        let by_first: [f64; 8] = apart(&by_second, &nodes.first);
        self.back(0, &by_first, primitives, first)
    }

    /// Propagates derivatives back through a sum layer.
    fn back<const N: usize>(&self, layer: usize, by: &[f64], inputs: &[f64; N], to: &mut [f64]) -> [f64; N] {
        let mut out = [0.0; N];
        for (output, (by, to)) in by.iter().zip(to.chunks_exact_mut(N + 1)).enumerate() {
            let weights = self.weights(layer, output);
            for i in 0..N {
                out[i] += by * weights[i];
                to[i] += by * weights[i] * inputs[i];
            }
            to[N] += by * weights[N];
        }
        out
    }
}

/// Propagates derivatives back through a layer of pairwise products.
fn apart<const N: usize>(by: &[f64], factors: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| by[i / 2] * factors[i ^ 1])
}
