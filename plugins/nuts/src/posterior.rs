//! The posterior of a network's weights, in coordinates in which the prior is standard normal.

use jointly_nets::layout::{layout, stride};
use jointly_nets::loss::{CrossEntropy, Targets};
use jointly_nets::network::Values;
use jointly_nets::penalty::temperature;
use jointly_nets::simd::{LANES, Lanes, floats, floats_mut};
use jointly_nets::start::TRUNCATED_VARIANCE;
use jointly_nets::{FirstBiases, Network, widths};
use jointly_sdk::{Dataset, Rng, Task};

use crate::tree::Target;

/// Minus the log posterior of a network's parameters given examples.
///
/// # Formula
///
/// U(u) = beta sum_t CE(y_t, f(x_t; s u)) + |u|^2 / 2, where s are the standard deviations of the parameters under
/// the prior: r sqrt(0.774 / fan-in) for weights, r / sqrt(d) for the first layer's biases and zero for the other
/// biases; those of the last layer are divided by the temperature. With r = 1 this is the environment's distribution
/// with truncated normal distributions replaced by normal ones.
pub(crate) struct Posterior {
    network: Network,
    /// Standard deviation of each of the network's parameters; zero where it is fixed.
    deviations: Vec<f32>,
    /// The inputs, each row followed by a one.
    inputs: Vec<Lanes>,
    labels: Vec<u32>,
    weights: Vec<f32>,
    values: Values,
    loss: CrossEntropy,
    gradient: Vec<Lanes>,
    classes: usize,
    /// The power of the likelihood.
    pub(crate) beta: f64,
}

impl Posterior {
    /// Creates the posterior under all examples.
    pub(crate) fn new(task: &Task, data: &Dataset, hidden: &[usize], prior_scale: f32) -> Self {
        let widths = widths(task, hidden);
        let mut network = Network::new(&widths, FirstBiases::Zero, &mut Rng::new(0, 0));
        network.parameters.fill(Lanes::splat(0.0));
        let temperature = temperature(task);
        let mut deviations = vec![0.0; network.parameters.len() * LANES];
        let layers = layout(&widths);
        for (l, layer) in layers.iter().enumerate() {
            let scale = if l + 1 == layers.len() { prior_scale / temperature } else { prior_scale };
            let weight = scale * (TRUNCATED_VARIANCE / layer.inputs as f32).sqrt();
            layer.weights().for_each(|at| deviations[at] = weight);
            if l == 0 {
                let bias = scale / (layer.inputs as f32).sqrt();
                layer.biases().for_each(|at| deviations[at] = bias);
            }
        }
        let rows = data.labels.len();
        let row = stride(task.input_dim);
        let mut inputs = vec![Lanes::splat(0.0); rows * row];
        for (t, out) in floats_mut(&mut inputs).chunks_exact_mut(row * LANES).enumerate() {
            out[..task.input_dim].copy_from_slice(data.inputs.row(t));
            out[task.input_dim] = 1.0;
        }
        Self {
            values: Values::new(&network, rows),
            loss: CrossEntropy::new(task.num_classes),
            gradient: network.parameters.clone(),
            network,
            deviations,
            inputs,
            labels: data.labels.clone(),
            weights: vec![1.0; rows],
            classes: task.num_classes,
            beta: 1.0,
        }
    }

    /// Returns the number of coordinates, including fixed ones.
    pub(crate) fn len(&self) -> usize {
        self.deviations.len()
    }

    /// Returns the network at a position.
    pub(crate) fn network(&mut self, at: &[f32]) -> &Network {
        let parameters = floats_mut(&mut self.network.parameters);
        for ((out, u), deviation) in parameters.iter_mut().zip(at).zip(&self.deviations) {
            *out = u * deviation;
        }
        &self.network
    }
}

impl Target for Posterior {
    fn energy(&mut self, at: &[f32], gradient: &mut [f32]) -> f64 {
        self.network(at);
        let rows = self.labels.len();
        let stride_in = stride(self.network.inputs()) * LANES;
        let stride_out = stride(self.classes) * LANES;
        let mut energy: f64 = at.iter().map(|u| 0.5 * f64::from(*u) * f64::from(*u)).sum();
        gradient.copy_from_slice(at);
        if rows > 0 {
            self.network.forward(floats(&self.inputs), stride_in, rows, &mut self.values);
            let logits = self.values.outputs();
            energy += self.beta * cross_entropy(logits, stride_out, &self.labels, self.classes);
            let targets = Targets { labels: &self.labels, weights: &self.weights, offsets: &[] };
            self.loss.differentiate(logits, stride_out, targets);
            self.network.backward(floats(&self.inputs), stride_in, rows, &mut self.values, &mut self.gradient);
            let beta = self.beta as f32;
            for ((out, slope), deviation) in gradient.iter_mut().zip(floats(&self.gradient)).zip(&self.deviations) {
                *out += beta * slope * deviation;
            }
        }
        energy
    }

    fn momentum(&self, rng: &mut Rng, momentum: &mut [f32]) {
        for (out, deviation) in momentum.iter_mut().zip(&self.deviations) {
            *out = if *deviation > 0.0 { rng.normal() } else { 0.0 };
        }
    }
}

/// Computes the sum over rows of log sum_k e^z_k minus the label's logit.
fn cross_entropy(logits: &[f32], stride: usize, labels: &[u32], classes: usize) -> f64 {
    let rows = logits.chunks_exact(stride).zip(labels);
    rows.map(|(row, label)| {
        let row = &row[..classes];
        let most = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let sum: f64 = row.iter().map(|z| (f64::from(*z) - most).exp()).sum();
        sum.ln() + most - f64::from(row[*label as usize])
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use jointly_sdk::Matrix;

    use super::*;

    /// Step of a central difference, a compromise between curvature and rounding.
    const STEP: f32 = 1e-2;
    /// Tolerance of such a difference quotient of a sum over a few examples, in single precision.
    const TOLERANCE: f64 = 2e-2;

    fn posterior(rows: usize) -> Posterior {
        let mut rng = Rng::new(3, 0);
        let inputs = (0..2 * rows).map(|_| rng.normal()).collect();
        let labels = (0..rows as u32).map(|row| row % 3).collect();
        let data = Dataset { inputs: Matrix::new(rows, 2, inputs).unwrap(), labels };
        let task = Task { temperature: Some(0.5), ..Task::new(2, 3) };
        Posterior::new(&task, &data, &[7, 5], 1.0)
    }

    fn position(posterior: &Posterior) -> Vec<f32> {
        let mut at = vec![0.0; posterior.len()];
        posterior.momentum(&mut Rng::new(5, 0), &mut at);
        at
    }

    #[test]
    fn the_gradient_is_that_of_the_energy() {
        let mut posterior = posterior(9);
        posterior.beta = 0.7;
        let at = position(&posterior);
        let mut gradient = vec![0.0; at.len()];
        posterior.energy(&at, &mut gradient);
        for i in (0..at.len()).filter(|i| posterior.deviations[*i] > 0.0).collect::<Vec<_>>() {
            let mut beside = |step: f32| {
                let mut at = at.clone();
                at[i] += step;
                posterior.energy(&at, &mut vec![0.0; at.len()])
            };
            let slope = (beside(STEP) - beside(-STEP)) / (2.0 * f64::from(STEP));
            assert!(
                (slope - f64::from(gradient[i])).abs() < TOLERANCE * (1.0 + slope.abs()),
                "{i}: {slope} {}",
                gradient[i]
            );
        }
    }

    #[test]
    fn without_examples_it_is_the_prior() {
        let mut posterior = posterior(0);
        let at = position(&posterior);
        let mut gradient = vec![0.0; at.len()];
        let energy = posterior.energy(&at, &mut gradient);
        assert_eq!(gradient, at);
        assert_eq!(energy, at.iter().map(|u| 0.5 * f64::from(*u) * f64::from(*u)).sum::<f64>());
    }

    #[test]
    fn what_the_environments_law_has_at_zero_has_no_momentum() {
        let posterior = posterior(1);
        let moved = position(&posterior).iter().filter(|u| **u != 0.0).count();
        assert_eq!(moved, 2 * 7 + 7 + 7 * 5 + 5 * 3);
    }

    #[test]
    fn cross_entropy_of_known_logits() {
        let logits = [0.0, 3f32.ln(), 9.0, 1e4, 0.0, 9.0];
        let expected = 4f64.ln() - 3f64.ln() + 1e4;
        assert!((cross_entropy(&logits, 3, &[1, 1], 2) - expected).abs() < 1e-6);
    }
}
