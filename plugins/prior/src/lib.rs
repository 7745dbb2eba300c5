//! The agent `prior`: draws from the environment's own distribution, and learns nothing.

use std::cell::RefCell;

use jointly_nets::drawn::Drawn;
use jointly_nets::penalty::temperature;
use jointly_nets::simd::{floats, floats_mut};
use jointly_nets::{FirstBiases, Network, Rows, Stream, predict};
use jointly_sdk::{Classifier, Dataset, Description, Failure, Matrix, Setting, Task, settings};

/// Number of hidden layers of the environment if the task does not state it.
const DEFAULT_HIDDEN_LAYERS: u32 = 2;

/// Units in a hidden layer of the environment.
const WIDTH: usize = 50;

settings! {
    /// There is nothing to set.
    struct Settings {}
}

/// Draws a new network for every draw.
#[derive(Debug)]
pub struct Prior {
    widths: Vec<usize>,
    temperature: f32,
    seed: u64,
    /// The parameters of recent draws.
    drawn: Drawn,
    /// A network into which a draw's parameters are loaded.
    network: RefCell<Network>,
}

impl Prior {
    fn network(&self, draw: u64) -> Network {
        let mut rng = Stream::Prior.rng(self.seed, draw);
        Network::new(&self.widths, FirstBiases::Normal, &mut rng).scaled(1.0 / self.temperature)
    }
}

impl Classifier for Prior {
    fn describe() -> Description {
        let summary = "networks drawn from the environment's own law, without regard to the data";
        Description::new("prior", env!("CARGO_PKG_VERSION"), summary)
    }

    fn train(
        task: &Task,
        _data: &Dataset,
        _validation: Option<&Dataset>,
        settings: &[Setting],
        seed: u64,
    ) -> Result<Self, Failure> {
        Settings::parse(settings)?;
        let mut widths = vec![WIDTH; task.hidden_layers.unwrap_or(DEFAULT_HIDDEN_LAYERS) as usize + 2];
        widths[0] = task.input_dim;
        *widths.last_mut().expect("inputs and outputs") = task.num_classes;
        let network = Network::new(&widths, FirstBiases::Zero, &mut Stream::Prior.rng(seed, 0));
        let drawn = Drawn::new(floats(&network.parameters).len());
        Ok(Self { widths, temperature: temperature(task), seed, drawn, network: RefCell::new(network) })
    }

    fn probs(&self, inputs: &Matrix, draw: u64, out: &mut [f32]) -> Result<(), Failure> {
        let mut network = self.network.borrow_mut();
        let make = |numbers: &mut [f32]| numbers.copy_from_slice(floats(&self.network(draw).parameters));
        self.drawn.with(draw, make, |numbers| floats_mut(&mut network.parameters).copy_from_slice(numbers));
        predict(&[&network], &Rows::of(inputs), out)
    }
}

jointly_sdk::export!(classifier: Prior);

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f32 = 1e-6;

    fn prior(temperature: Option<f32>) -> Prior {
        let task = Task { temperature, hidden_layers: Some(1), ..Task::new(2, 3) };
        let data = Dataset { inputs: Matrix::new(0, 2, Vec::new()).unwrap(), labels: Vec::new() };
        Prior::train(&task, &data, None, &[], 5).unwrap()
    }

    fn probs(prior: &Prior, draw: u64) -> Vec<f32> {
        let inputs = Matrix::new(2, 2, vec![1.0, -0.5, 0.3, 2.0]).unwrap();
        let mut out = vec![0.0; 6];
        prior.probs(&inputs, draw, &mut out).unwrap();
        out
    }

    #[test]
    fn a_draw_names_a_network_whatever_was_drawn_before() {
        let prior = prior(None);
        let first = probs(&prior, 1);
        assert_ne!(first, probs(&prior, 2));
        assert_eq!(first, probs(&prior, 1));
        let inputs = Matrix::new(2, 2, vec![1.0, -0.5, 0.3, 2.0]).unwrap();
        let mut expected = [0.0; 6];
        predict(&[&prior.network(1)], &Rows::of(&inputs), &mut expected).unwrap();
        assert_eq!(first, expected);
    }

    #[test]
    fn logits_are_divided_by_the_temperature() {
        let log_odds = |probs: &[f32]| (probs[0] / probs[1]).ln();
        let (warm, cold) = (log_odds(&probs(&prior(None), 0)), log_odds(&probs(&prior(Some(0.5)), 0)));
        assert!((2.0 * warm - cold).abs() < TOLERANCE * (1.0 + cold.abs()) * 10.0, "{warm} {cold}");
    }
}
