//! The prior distribution of an environment's parameters, whitened: each is a scale times a standard normal variable,
//! truncated at walls or not.

use jointly_core::stream::Stream;

use crate::environment::{EnvironmentSpec, LayerSize, bias_scale};

/// The position of one layer in the parameter vector.
#[derive(Clone, Debug)]
pub(super) struct LayerShape {
    pub(super) inputs: usize,
    pub(super) units: usize,
    /// The offset of its weights, stored unit by unit.
    pub(super) weights: usize,
    /// The offset of its biases; None if they are all 0.
    pub(super) biases: Option<usize>,
}

/// The prior of all parameters, in the order in which [`Environment::sample`](crate::Environment::sample) draws them.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub(super) layers: Vec<LayerShape>,
    /// The factor of each whitened coordinate.
    scales: Vec<f64>,
    /// A whitened coordinate is N(0, 1) conditioned on an absolute value of at most its wall.
    pub(super) walls: Vec<f64>,
}

impl Law {
    pub(super) fn of(spec: &EnvironmentSpec) -> Self {
        let mut law = Self { layers: Vec::new(), scales: Vec::new(), walls: Vec::new() };
        for LayerSize { inputs, units, biased } in spec.layers() {
            let weights = law.extend(
                units * inputs,
                spec.initialization.scale(inputs, units),
                spec.initialization.truncation().unwrap_or(f64::INFINITY),
            );
            let biases = biased.then(|| law.extend(units, bias_scale(inputs), f64::INFINITY));
            law.layers.push(LayerShape { inputs, units, weights, biases });
        }
        law
    }

    fn extend(&mut self, count: usize, scale: f64, wall: f64) -> usize {
        let start = self.scales.len();
        self.scales.resize(start + count, scale);
        self.walls.resize(start + count, wall);
        start
    }

    /// Number of parameters.
    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Draws whitened coordinates from the prior.
    pub(super) fn sample(&self, stream: &mut Stream) -> Vec<f64> {
        let draw = |wall: &f64| if wall.is_finite() { stream.truncated_normal() } else { stream.normal() };
        self.walls.iter().map(draw).collect()
    }

    /// Computes the network's parameters at whitened coordinates.
    pub(super) fn parameters(&self, position: &[f64], parameters: &mut Vec<f32>) {
        parameters.clear();
        parameters.extend(position.iter().zip(&self.scales).map(|(z, scale)| (z * scale) as f32));
    }

    /// Turns a gradient with respect to the parameters into one with respect to the whitened coordinates.
    pub(super) fn whiten(&self, gradient: &mut [f64]) {
        for (slope, scale) in gradient.iter_mut().zip(&self.scales) {
            *slope *= scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use jointly_core::matrix::Matrix;
    use jointly_core::stream::stream;

    use super::Law;
    use crate::environment::{Environment, EnvironmentSpec, Initialization};

    /// Rounding of the parameters in single precision, in probabilities.
    const ROUNDING: f32 = 1e-4;

    #[test]
    fn the_same_stream_gives_the_same_environment() {
        for initialization in [Initialization::Testbed, Initialization::Glorot] {
            let spec =
                EnvironmentSpec { input_dim: 3, num_classes: 4, temperature: 0.1, hidden: vec![5, 6], initialization };
            let mut source = stream(0, "test", "law", 0);
            let inputs = Matrix::new(20, 3, (0..60).map(|_| source.normal() as f32).collect()).unwrap();
            for i in 0..10 {
                let environment = Environment::sample(&spec, &mut stream(0, "test", "law", i + 1));
                let law = Law::of(&spec);
                let mut parameters = Vec::new();
                law.parameters(&law.sample(&mut stream(0, "test", "law", i + 1)), &mut parameters);
                assert_eq!(parameters.len(), law.len());
                let again = Environment::of_parameters(&spec, &parameters).class_probs(&inputs);
                for (a, b) in environment.class_probs(&inputs).iter().zip(again) {
                    assert!((a - b).abs() < ROUNDING, "{a} and {b}");
                }
            }
        }
    }
}
