//! The log-likelihood of labels under a network, and its gradient.

use jointly_core::dataset::Dataset;

use super::law::{Law, LayerShape};
use super::order::neighbours_together;

/// Rows that move through the network together.
const LANES: usize = 16;
/// The number of partial sums of one parameter's gradient, into which the products of the lanes are folded.
const FOLD: usize = 4;
/// Residuals of class probabilities up to this size contribute no gradient. The sampler stays exact, because any
/// function of the position is valid as the force; and no subnormal numbers occur in the computation.
const CERTAIN: f64 = 1e-7;

/// One value of a unit for each row of a chunk.
type Lanes = [f32; LANES];

/// The labels and the scratch buffers for their log-likelihood.
pub(super) struct Likelihood {
    law: Law,
    temperature: f64,
    chunks: Vec<Chunk>,
    parameters: Vec<f32>,
    /// The gradient with respect to each parameter, in partial sums.
    folded: Vec<[f32; FOLD]>,
    /// The inputs of each layer and, last, the network's outputs.
    units: Vec<Vec<Lanes>>,
    /// The units of each layer's input that are nonzero at any row of the chunk; neighbouring rows turn off the same
    /// units.
    on: Vec<Vec<usize>>,
    deltas: Vec<Lanes>,
    next: Vec<Lanes>,
}

/// A chunk of neighbouring rows; lanes past the last label stay 0.
struct Chunk {
    inputs: Vec<Lanes>,
    labels: Vec<u32>,
}

impl Likelihood {
    pub(super) fn new(law: Law, temperature: f64, data: &Dataset) -> Self {
        let order = neighbours_together(data.inputs().numbers(), LANES);
        let chunks = order.chunks(LANES).map(|rows| {
            let mut inputs = vec![[0.0; LANES]; data.inputs().numbers().cols()];
            for (lane, &row) in rows.iter().enumerate() {
                for (unit, &value) in inputs.iter_mut().zip(data.inputs().numbers().row(row)) {
                    unit[lane] = value;
                }
            }
            Chunk { inputs, labels: rows.iter().map(|&row| data.labels()[row]).collect() }
        });
        let layers = law.layers.len();
        Self {
            chunks: chunks.collect(),
            temperature,
            parameters: Vec::with_capacity(law.len()),
            folded: vec![[0.0; FOLD]; law.len()],
            units: vec![Vec::new(); layers + 1],
            on: vec![Vec::new(); layers],
            deltas: Vec::new(),
            next: Vec::new(),
            law,
        }
    }

    /// Returns the log-likelihood at whitened coordinates, in nats; writes its gradient with respect to them to
    /// `gradient`.
    pub(super) fn evaluate(&mut self, position: &[f64], gradient: &mut [f64]) -> f64 {
        self.law.parameters(position, &mut self.parameters);
        self.folded.fill([0.0; FOLD]);
        let mut sum = 0.0;
        let chunks = std::mem::take(&mut self.chunks);
        for chunk in &chunks {
            self.forward(chunk);
            let (log_likelihood, pulls) = self.explain(chunk);
            sum += log_likelihood;
            if pulls {
                self.backward();
            }
        }
        self.chunks = chunks;
        for (slope, parts) in gradient.iter_mut().zip(&self.folded) {
            *slope = parts.iter().map(|&part| f64::from(part)).sum();
        }
        self.law.whiten(gradient);
        sum
    }

    fn forward(&mut self, chunk: &Chunk) {
        self.units[0].clone_from(&chunk.inputs);
        for (l, layer) in self.law.layers.iter().enumerate() {
            let (before, after) = self.units.split_at_mut(l + 1);
            let (inputs, outputs) = (&before[l], &mut after[0]);
            let on = &mut self.on[l];
            on.clear();
            on.extend((0..inputs.len()).filter(|&i| l == 0 || inputs[i].iter().any(|&x| x != 0.0)));
            layer.forward(&self.parameters, inputs, on, outputs);
            if l + 1 < self.law.layers.len() {
                for unit in outputs.iter_mut().flatten() {
                    *unit = if *unit > 0.0 { *unit } else { 0.0 };
                }
            }
        }
    }

    /// Returns the chunk's log-likelihood; writes its gradient with respect to the outputs to `deltas`, and returns
    /// whether any entry is nonzero.
    fn explain(&mut self, chunk: &Chunk) -> (f64, bool) {
        let outputs = &self.units[self.law.layers.len()];
        self.deltas.clear();
        self.deltas.resize(outputs.len(), [0.0; LANES]);
        let (mut sum, mut pulls) = (0.0, false);
        for (lane, &label) in chunk.labels.iter().enumerate() {
            let logit = |k: usize| f64::from(outputs[k][lane]) / self.temperature;
            let label = label as usize;
            let max = (0..outputs.len()).map(logit).fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = (0..outputs.len()).map(|k| libm::exp(logit(k) - max)).sum();
            let log_normalizer = max + libm::log(total);
            sum += logit(label) - log_normalizer;
            for (k, delta) in self.deltas.iter_mut().enumerate() {
                let p = libm::exp(logit(k) - log_normalizer);
                let gap = f64::from(u8::from(k == label)) - p;
                if gap.abs() > CERTAIN {
                    delta[lane] = (gap / self.temperature) as f32;
                    pulls = true;
                }
            }
        }
        (sum, pulls)
    }

    fn backward(&mut self) {
        let mut live: Vec<usize> = (0..self.deltas.len()).collect();
        for (l, layer) in self.law.layers.iter().enumerate().rev() {
            let (inputs, on) = (&self.units[l], &self.on[l]);
            layer.add_gradient(inputs, on, &self.deltas, &live, &mut self.folded);
            if l > 0 {
                layer.backward(&self.parameters, inputs, on, &self.deltas, &live, &mut self.next);
                std::mem::swap(&mut self.deltas, &mut self.next);
                live.clone_from(on);
            }
        }
    }
}

impl LayerShape {
    fn weights<'a>(&self, parameters: &'a [f32], unit: usize) -> &'a [f32] {
        &parameters[self.weights + unit * self.inputs..][..self.inputs]
    }

    /// Computes each unit as a sum over the active inputs, in order.
    fn forward(&self, parameters: &[f32], inputs: &[Lanes], on: &[usize], outputs: &mut Vec<Lanes>) {
        outputs.clear();
        for unit in 0..self.units {
            let weights = self.weights(parameters, unit);
            let mut sums = [self.biases.map_or(0.0, |biases| parameters[biases + unit]); LANES];
            for &i in on {
                add_scaled(&mut sums, weights[i], &inputs[i]);
            }
            outputs.push(sums);
        }
    }

    /// Computes the gradient with respect to the active inputs; it is 0 where an input is not positive.
    fn backward(
        &self,
        parameters: &[f32],
        inputs: &[Lanes],
        on: &[usize],
        deltas: &[Lanes],
        live: &[usize],
        before: &mut Vec<Lanes>,
    ) {
        before.clear();
        before.resize(self.inputs, [0.0; LANES]);
        for &i in on {
            let mut sums = [0.0; LANES];
            for &unit in live {
                add_scaled(&mut sums, parameters[self.weights + unit * self.inputs + i], &deltas[unit]);
            }
            for ((slope, sum), input) in before[i].iter_mut().zip(sums).zip(&inputs[i]) {
                *slope = if *input > 0.0 { sum } else { 0.0 };
            }
        }
    }

    fn add_gradient(
        &self,
        inputs: &[Lanes],
        on: &[usize],
        deltas: &[Lanes],
        live: &[usize],
        folded: &mut [[f32; FOLD]],
    ) {
        for &unit in live {
            let delta = &deltas[unit];
            let weights = &mut folded[self.weights + unit * self.inputs..][..self.inputs];
            for &i in on {
                fold(&mut weights[i], delta, &inputs[i]);
            }
            if let Some(biases) = self.biases {
                fold(&mut folded[biases + unit], delta, &[1.0; LANES]);
            }
        }
    }
}

fn add_scaled(sums: &mut Lanes, scale: f32, values: &Lanes) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += scale * value;
    }
}

/// Adds the products of two units at all rows to partial sums.
fn fold(sums: &mut [f32; FOLD], a: &Lanes, b: &Lanes) {
    for (a, b) in a.chunks_exact(FOLD).zip(b.chunks_exact(FOLD)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::estimate::joint_log_likelihood;
    use jointly_core::matrix::Matrix;
    use jointly_core::stream::{Stream, stream};
    use jointly_core::task::Task;

    use super::*;
    use crate::environment::{Environment, EnvironmentSpec, Initialization};

    /// Rounding of a sum of single-precision logits, relative to the temperature.
    const ROUNDING: f64 = 1e-4;
    /// The error of a difference quotient of width 1e-3 in single precision, relative to the largest slope.
    const QUOTIENT: f64 = 0.02;

    fn case(hidden: Vec<u32>, num_classes: u32, rows: usize, source: &mut Stream) -> (EnvironmentSpec, Dataset) {
        let initialization = Initialization::Testbed;
        let spec = EnvironmentSpec { input_dim: 2, num_classes, temperature: 0.5, hidden, initialization };
        let inputs = Matrix::new(rows, 2, (0..rows * 2).map(|_| source.normal() as f32).collect()).unwrap();
        let labels = (0..rows).map(|_| (source.uniform() * f64::from(num_classes)) as u32).collect();
        (spec, Dataset::new(&Task::new(2, num_classes), inputs, labels).unwrap())
    }

    fn cases(mut test: impl FnMut(EnvironmentSpec, Dataset, &mut Stream)) {
        let mut source = stream(0, "test", "likelihood", 0);
        // Rows that do not fill the lanes, no rows, no hidden layer, more classes.
        for (hidden, num_classes, rows) in [(vec![7, 9], 2, 37), (vec![50, 50], 2, 5), (vec![], 3, 20), (vec![4], 5, 0)]
        {
            let (spec, data) = case(hidden, num_classes, rows, &mut source);
            test(spec, data, &mut source);
        }
    }

    #[test]
    fn it_is_that_of_the_environment() {
        cases(|spec, data, source| {
            let law = Law::of(&spec);
            let position = law.sample(source);
            let mut parameters = Vec::new();
            law.parameters(&position, &mut parameters);
            let probs = Environment::of_parameters(&spec, &parameters).class_probs(data.inputs().numbers());
            let expected = joint_log_likelihood(&probs, data.labels(), spec.num_classes as usize);
            let mut gradient = vec![0.0; law.len()];
            let found = Likelihood::new(law, spec.temperature, &data).evaluate(&position, &mut gradient);
            assert!((found - expected).abs() < ROUNDING, "{found}, not {expected}");
        });
    }

    #[test]
    fn its_gradient_is_that_of_differences() {
        const WIDTH: f64 = 1e-3;
        cases(|spec, data, source| {
            let law = Law::of(&spec);
            let mut position = law.sample(source);
            let mut likelihood = Likelihood::new(law.clone(), spec.temperature, &data);
            let (mut gradient, mut unused) = (vec![0.0; law.len()], vec![0.0; law.len()]);
            likelihood.evaluate(&position, &mut gradient);
            let largest = gradient.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
            for i in (0..law.len()).step_by(3) {
                let place = position[i];
                let mut at = |x: f64| {
                    position[i] = x;
                    likelihood.evaluate(&position, &mut unused)
                };
                let slope = (at(place + WIDTH) - at(place - WIDTH)) / (2.0 * WIDTH);
                position[i] = place;
                assert!((slope - gradient[i]).abs() <= QUOTIENT * largest, "{i}: {slope}, not {}", gradient[i]);
            }
        });
    }
}
