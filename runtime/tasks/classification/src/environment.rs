//! The testbed's environments: random networks that turn an input into class probabilities.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use jointly_core::matrix::Matrix;
use jointly_core::stream::{Stream, TRUNCATION};
use jointly_core::task::Task;

/// Rows that move through a layer together: enough SIMD lanes to keep the adders busy on every CPU.
const LANES: usize = 16;

/// The distribution from which an environment's weights are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Initialization {
    /// Gaussian truncated at 2 standard deviations and not rescaled, times 1 / sqrt(fan-in).
    #[default]
    Testbed,
    /// Glorot initialization: Gaussian with standard deviation sqrt(2 / (fan-in + fan-out)).
    Glorot,
}

impl Initialization {
    /// The name of this initialization in `--initialization`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Testbed => "reference",
            Self::Glorot => "glorot",
        }
    }
}

/// The distribution of a random environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnvironmentSpec {
    /// Number of features of an input, at least 1; inputs are N(0, I).
    pub input_dim: u32,
    /// Number of classes, at least 2.
    pub num_classes: u32,
    /// Divides the logits: a low temperature is a strong signal.
    pub temperature: f64,
    /// Number of units of each hidden layer.
    pub hidden: Vec<u32>,
    /// The distribution of the weights.
    pub initialization: Initialization,
}

/// The size of one layer of an environment's network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerSize {
    pub(crate) inputs: usize,
    pub(crate) units: usize,
    /// Whether the biases are drawn; otherwise they are 0.
    pub(crate) biased: bool,
}

impl EnvironmentSpec {
    /// Returns the description of the environment that agents receive.
    pub fn task(&self) -> Task {
        Task {
            temperature: Some(self.temperature as f32),
            hidden_layers: Some(self.hidden.len() as u32),
            ..Task::new(self.input_dim, self.num_classes)
        }
    }

    /// Returns the layers in order; only the first has biases.
    ///
    /// # Panics
    /// Under the same conditions as [`Environment::sample`].
    pub(crate) fn layers(&self) -> impl Iterator<Item = LayerSize> {
        assert!(self.input_dim >= 1, "an environment needs an input");
        assert!(self.num_classes >= 2, "an environment needs two classes");
        assert!(self.temperature > 0.0, "the temperature must be positive");
        assert!(self.hidden.iter().all(|&units| units >= 1), "a layer needs a unit");
        let outputs = self.hidden.iter().chain([&self.num_classes]);
        let inputs = [&self.input_dim].into_iter().chain(&self.hidden);
        let size =
            |(i, (&inputs, &units))| LayerSize { inputs: inputs as usize, units: units as usize, biased: i == 0 };
        inputs.zip(outputs).enumerate().map(size)
    }
}

/// The standard deviation of a bias: the factor of its standard normal deviate.
pub(crate) fn bias_scale(fan_in: usize) -> f64 {
    1.0 / (fan_in as f64).sqrt()
}

/// A sampled environment: a network of ReLU units under a softmax.
///
/// # Formula
/// `h_0 = x`, `h_i = max(0, W_i h_{i-1} + b_i)`, and P(y = k | x) is the softmax of
/// `(W_L h_{L-1} + b_L) / temperature`. The first layer's biases are N(0, 1 / input-dim), all others are 0. Osband et
/// al., "The Neural Testbed", section 4.1.
#[derive(Clone, Debug)]
pub struct Environment {
    layers: Vec<Layer>,
    temperature: f64,
}

#[derive(Clone, Debug)]
struct Layer {
    inputs: usize,
    /// One row of `inputs` weights for each unit.
    weights: Vec<f32>,
    biases: Vec<f32>,
}

impl Environment {
    /// Draws an environment layer by layer: first the weights unit by unit, then the biases.
    ///
    /// # Panics
    /// When the spec has no inputs, fewer than 2 classes, an empty layer or a temperature that is not positive.
    pub fn sample(spec: &EnvironmentSpec, stream: &mut Stream) -> Self {
        let layer = |LayerSize { inputs, units, biased }| {
            let weights = (0..units * inputs).map(|_| spec.initialization.weight(inputs, units, stream)).collect();
            let scale = bias_scale(inputs);
            let mut bias = || if biased { (stream.normal() * scale) as f32 } else { 0.0 };
            Layer { inputs, weights, biases: (0..units).map(|_| bias()).collect() }
        };
        Self { layers: spec.layers().map(layer).collect(), temperature: spec.temperature }
    }

    /// Builds the environment with these parameters, in the order in which [`sample`](Self::sample) draws them.
    pub(crate) fn of_parameters(spec: &EnvironmentSpec, mut parameters: &[f32]) -> Self {
        let mut take = |count| {
            let (taken, rest) = parameters.split_at(count);
            parameters = rest;
            taken.to_vec()
        };
        let layer = |LayerSize { inputs, units, biased }| Layer {
            inputs,
            weights: take(units * inputs),
            biases: if biased { take(units) } else { vec![0.0; units] },
        };
        Self { layers: spec.layers().map(layer).collect(), temperature: spec.temperature }
    }

    /// Returns class probabilities, rows x K: the `f32` numbers from which labels are sampled and log-likelihoods
    /// computed.
    ///
    /// # Panics
    /// When the number of columns of `inputs` is not the environment's number of inputs.
    pub fn class_probs(&self, inputs: &Matrix) -> Vec<f32> {
        let mut probs = Vec::with_capacity(inputs.rows() * self.classes());
        self.each_row(inputs, |logits| {
            softmax(logits);
            probs.extend(logits.iter().map(|&p| p as f32));
        });
        probs
    }

    /// Returns, at each row, the input of the softmax for class 1 less that for class 0.
    ///
    /// # Panics
    /// Under the same conditions as [`class_probs`](Self::class_probs).
    pub fn log_odds(&self, inputs: &Matrix) -> Vec<f64> {
        let mut odds = Vec::with_capacity(inputs.rows());
        self.each_row(inputs, |logits| odds.push(logits[1] - logits[0]));
        odds
    }

    fn classes(&self) -> usize {
        self.layers[self.layers.len() - 1].biases.len()
    }

    /// Calls `take` with the inputs of the softmax at each row in turn.
    ///
    /// # Panics
    /// Under the same conditions as [`class_probs`](Self::class_probs).
    pub(crate) fn each_row(&self, inputs: &Matrix, mut take: impl FnMut(&mut [f64])) {
        assert_eq!(inputs.cols(), self.layers[0].inputs, "inputs have the environment's dimension");
        let mut units = Vec::new();
        let mut next = Vec::new();
        let mut logits = vec![0.0; self.classes()];
        for rows in inputs.values().chunks(LANES * inputs.cols()) {
            let live = rows.len() / inputs.cols();
            units.clear();
            units.resize(inputs.cols(), [0.0; LANES]);
            for (lane, row) in rows.chunks_exact(inputs.cols()).enumerate() {
                for (unit, &value) in units.iter_mut().zip(row) {
                    unit[lane] = value;
                }
            }
            for (i, layer) in self.layers.iter().enumerate() {
                layer.forward(&units, &mut next, i + 1 < self.layers.len());
                std::mem::swap(&mut units, &mut next);
            }
            for lane in 0..live {
                for (logit, unit) in logits.iter_mut().zip(&units) {
                    *logit = f64::from(unit[lane]) / self.temperature;
                }
                take(&mut logits);
            }
        }
    }
}

impl Initialization {
    fn weight(self, fan_in: usize, fan_out: usize, stream: &mut Stream) -> f32 {
        let weight = match self {
            // Multiplying by the scale would round differently and change the environments.
            Self::Testbed => stream.truncated_normal() / (fan_in as f64).sqrt(),
            Self::Glorot => stream.normal() * (2.0 / (fan_in + fan_out) as f64).sqrt(),
        };
        weight as f32
    }

    /// The factor of a weight's standard normal deviate.
    pub(crate) fn scale(self, fan_in: usize, fan_out: usize) -> f64 {
        match self {
            Self::Testbed => 1.0 / (fan_in as f64).sqrt(),
            Self::Glorot => (2.0 / (fan_in + fan_out) as f64).sqrt(),
        }
    }

    /// The bound on the absolute value of a weight's standard normal deviate, if it is truncated.
    pub(crate) fn truncation(self) -> Option<f64> {
        match self {
            Self::Testbed => Some(TRUNCATION),
            Self::Glorot => None,
        }
    }
}

impl Layer {
    /// Computes each unit as a sum over its inputs in order, for `LANES` rows at a time.
    fn forward(&self, inputs: &[[f32; LANES]], outputs: &mut Vec<[f32; LANES]>, relu: bool) {
        outputs.clear();
        for (weights, &bias) in self.weights.chunks_exact(self.inputs).zip(&self.biases) {
            let mut sums = [bias; LANES];
            for (input, &weight) in inputs.iter().zip(weights) {
                for (sum, &value) in sums.iter_mut().zip(input) {
                    *sum += weight * value;
                }
            }
            if relu {
                for sum in &mut sums {
                    *sum = if *sum > 0.0 { *sum } else { 0.0 };
                }
            }
            outputs.push(sums);
        }
    }
}

/// Computes the softmax in place, shifted by the largest logit so that nothing overflows.
fn softmax(logits: &mut [f64]) {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for logit in logits.iter_mut() {
        *logit = libm::exp(*logit - max);
        total += *logit;
    }
    for logit in logits {
        *logit /= total;
    }
}

#[cfg(test)]
mod tests;
